"""``padwork verify``: every file against its record."""

from __future__ import annotations

import argparse
import sys

from studio.store.project import Project
from studio.store.verify import verify


def main(options: argparse.Namespace) -> int:
    """Print what is wrong; 1 where something is."""
    report = verify(Project.open(options.project))
    for problem in report.problems:
        print(problem, file=sys.stderr)
    print(
        f"{report.records} records, {report.files} files, {report.approvals} verdicts checked: "
        f"{'nothing is wrong' if not report.problems else f'{len(report.problems)} wrong'}"
    )
    return 1 if report.problems else 0
