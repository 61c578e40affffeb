"""``padwork gate``: judge a snapshot again, without keeping a revision."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.training import GateRow, GateTable
from studio.stages.s8_gate import judge
from studio.store.project import Project


def main(options: argparse.Namespace) -> int:
    """Print the gate's table, for people or as JSON. 1 where a judged row fails."""
    project = Project.open(options.project)
    if options.technique not in project.techniques():
        names = ", ".join(project.techniques()) or "none"
        raise StudioError(f"There is no technique {options.technique!r}", f"the project has {names}", "Choose one")
    table = judge(project, options.technique, _snapshot(project, options.technique, options.snapshot))
    if options.json:
        json.dump(document(table), sys.stdout, sort_keys=True, indent=1)
        print()
    else:
        print("\n".join(lines(table)))
    return 0 if table.passed else 1


def lines(table: GateTable) -> list[str]:
    """The table as text: one row a line, the worst seed of each condition."""
    told = [f"{table.technique}, {table.snapshot}, {len(table.seeds)} seeds"]
    told += [_row(row) for row in table.rows]
    return [*told, "passed" if table.passed else "not passed"]


def _row(row: GateRow) -> str:
    worst = max if row.sense == "below" else min
    values = "  ".join(f"{condition} {worst(v):8.2f}" for condition, v in row.values.items())
    verdict = "shown" if not row.judged else "ok" if row.passed else "FAIL"
    limit = f"{'<=' if row.sense == 'below' else '>='} {row.limit:g} {row.unit}"
    return f"{verdict:<6}{row.name:<28}{values:<34}{limit}"


def _snapshot(project: Project, technique: str, wanted: str) -> Path:
    """A snapshot by its iteration ("90", "iter-000090") or its path; left out, the adopted one."""
    if not wanted:
        return project.adopted(technique)
    revision, files = project.revision(7, technique), project.snapshots(technique)
    iterations = revision.record.summary.get("snapshot_iterations", []) if revision else []
    known = {f"iter-{number:06d}": project.layout.absolute(f) for number, f in zip(iterations, files, strict=False)}
    for name, path in known.items():
        if wanted in (name, str(int(name[5:])), path.name) or Path(wanted).resolve() == path:
            return path
    names = ", ".join(known) or "none"
    raise StudioError(f"There is no snapshot {wanted!r}", f"the newest teacher has {names}", "Choose one of them")
