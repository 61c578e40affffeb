"""Stage 6: the reference solved again for every target of the technique's grid."""

from __future__ import annotations

from studio.schema.body import Body
from studio.stages.stage import Context, Result


def run(context: Context) -> Result:
    """The table (r1.npz), the body it is for (r1-body.toml) and findings."""
    from studio.domain.variants.resolve import resolve_table

    project, name = context.project, context.subject
    body = project.load(5, name, Body, "body")
    motion, on_progress = project.reference(name), context.part(0.0, 1.0, "Solving the targets")
    table, findings = resolve_table(project.technique(name), motion, body, on_progress)
    summary = {
        "entries": len(table.uv),
        "frames": table.qpos.shape[1],
        "hit_error_mm": round(1000 * float(table.hit_error.max()), 1),
        "findings": len(findings),
    }
    return Result(arrays={"": table}, pages={"body": body}, findings=findings, summary=summary)
