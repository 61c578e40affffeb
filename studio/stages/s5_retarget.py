"""Stage 5: the coach's motion moved onto the technique's body, with its feet locked, and his layers on top of it."""

from __future__ import annotations

from studio.schema.body import Body
from studio.schema.motion import SkeletonFit
from studio.stages.stage import Context, Result
from studio.store.catalog import body_file


def run(context: Context) -> Result:
    """The retarget (r1.npz), the reference (r1-reference.npz: the retarget with layers, the very same where there are
    none), the body both are for (r1-body.toml); findings and figures are those of the reference."""
    from studio.domain.body.build import build
    from studio.domain.body.load import load_body
    from studio.domain.fit.kinematics import Kinematics
    from studio.domain.layers.relock import relock
    from studio.domain.retarget.retarget import figures, findings, retarget

    project, technique = context.project, context.project.technique(context.subject)
    take, layers = f"{technique.session}/{technique.take}", project.layers(context.subject)
    fit, coach = project.load(4, take, SkeletonFit), project.load(4, take, Body, "coach")
    fighter = load_body(body_file(project, technique.body))
    moved, found = retarget(fit, coach, fighter, context.part(0.0, 0.9, "Locking the feet"))
    reference = moved
    if layers.layers:
        reference = relock(moved, layers, fighter, context.part(0.9, 1.0, "Applying the layers"))
        floor = [one for one in found if one.kind == "floor"]
        found = (*floor, *findings(Kinematics(build(fighter).compile()), reference, fighter))
    summary = {
        "frames": len(reference.qpos),
        "root_scale": round(reference.root_scale, 4),
        "layers": sum(layer.on for layer in layers.layers),
        "findings": len(found),
        **{name: round(value, 2) for name, value in figures(reference, fighter).items()},
    }
    return Result(arrays={"": moved, "reference": reference}, pages={"body": fighter}, findings=found, summary=summary)
