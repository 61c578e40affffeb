"""Stage 5: the coach's motion moved onto the technique's body, with its feet locked."""

from __future__ import annotations

from studio.schema.body import Body
from studio.schema.motion import SkeletonFit
from studio.stages.stage import Context, Result
from studio.store.catalog import body_file


def run(context: Context) -> Result:
    """The retarget (r1.npz), the body it is for (r1-body.toml) and findings."""
    from studio.domain.body.load import load_body
    from studio.domain.retarget.retarget import figures, retarget

    project, technique = context.project, context.project.technique(context.subject)
    take = f"{technique.session}/{technique.take}"
    fit, coach = project.load(4, take, SkeletonFit), project.load(4, take, Body, "coach")
    fighter = load_body(body_file(project, technique.body))
    on_progress = context.part(0.0, 1.0, "Locking the feet")
    moved, findings = retarget(fit, coach, fighter, on_progress)
    summary = {
        "frames": len(moved.qpos),
        "root_scale": round(moved.root_scale, 4),
        "findings": len(findings),
        **{name: round(value, 2) for name, value in figures(moved, fighter).items()},
    }
    return Result(arrays={"": moved}, pages={"body": fighter}, findings=findings, summary=summary)
