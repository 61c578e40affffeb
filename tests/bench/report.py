"""The table of a bench program, its record as JSON, and its verdict."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """``ours`` against ``bound`` (a limit, or what a peer does in the same run) in ``unit``. ``sense``: "below" or
    "above" is good, "shown" is never judged."""

    what: str
    ours: float
    unit: str
    bound: float | None = None
    sense: str = "below"
    peer: str = "limit"

    @property
    def ratio(self) -> float | None:
        return None if not self.bound else self.ours / self.bound

    @property
    def verdict(self) -> str:
        if self.sense == "shown" or self.bound is None:
            return "shown"
        kept = self.ours <= self.bound if self.sense == "below" else self.ours >= self.bound
        return "ok" if kept else "short"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows and the machine there")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a row falls short")


def finish(title: str, rows: Sequence[Row], options: argparse.Namespace) -> int:
    """Print the table, write the record; the last line says what falls short. The exit status under ``--strict``."""
    print_table(title, rows)
    short = [row.what for row in rows if row.verdict == "short"]
    if options.json:
        record = {"title": title, "machine": machine(), "rows": [{**asdict(r), "verdict": r.verdict} for r in rows]}
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print("Falls short: " + "; ".join(short) if short else "Nothing falls short.")
    return int(bool(short) and options.strict)


def print_table(title: str, rows: Sequence[Row]) -> None:
    print(f"{title}  ({machine()})\n")
    lines = [("what", "ours", "bound", "ratio", "verdict")]
    for row in rows:
        bound = "" if row.bound is None else f"{row.bound:.4g} {row.unit} ({row.peer})"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        lines.append((row.what, f"{row.ours:.4g} {row.unit}", bound, ratio, row.verdict))
    widths = [max(len(line[k]) for line in lines) for k in range(5)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    print()


def machine() -> str:
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.system()} {platform.machine()}, {cpus} CPUs, Python {platform.python_version()}"
