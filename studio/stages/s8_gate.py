"""Stage 8: the adopted snapshot judged by an independent program, with fixed seeds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from studio.schema.body import Body
from studio.schema.training import GateTable
from studio.schema.variants import Table
from studio.stages.stage import Context, Result
from studio.store.catalog import gate_seeds
from studio.store.project import Project


def run(context: Context) -> Result:
    """The gate's table (r1-table.json): the same bytes from every run with the same snapshot."""
    snapshot = context.project.adopted(context.subject)
    on_progress = context.part(0.0, 1.0, "Fighting in the air and on the bag")
    table = judge(context.project, context.subject, snapshot, on_progress)
    return Result(pages={"table.json": table}, summary=summarise(table))


def judge(
    project: Project, technique: str, snapshot: Path, on_progress: Callable[[float], None] | None = None
) -> GateTable:
    """Run the gate on any snapshot of a technique, keeping nothing. Raises :class:`StudioError`."""
    from studio.domain.gates.table import run_gate

    table, body = project.load(6, technique, Table), project.load(6, technique, Body, "body")
    return run_gate(snapshot, table, body, gate_seeds(), on_progress=on_progress)


def summarise(table: GateTable) -> dict[str, object]:
    """The figures of a gate for the rail."""
    judged = [row for row in table.rows if row.judged]
    return {
        "passed": table.passed,
        "rows_judged": len(judged),
        "rows_passed": sum(row.passed for row in judged),
        "failed": [row.name for row in judged if not row.passed],
        "snapshot": table.snapshot,
    }
