"""Stage 5: the coach's motion moved onto the technique's body, with its feet locked, and his layers on top of it."""

from __future__ import annotations

from studio.schema.body import Body
from studio.schema.findings import Finding
from studio.schema.motion import Retarget, SkeletonFit
from studio.stages.stage import Context, Result
from studio.store import fingerprint
from studio.store.catalog import body_file, declaration


def run(context: Context) -> Result:
    """The retarget (r1.npz), the reference (r1-reference.npz: the retarget with layers, the very same where there are
    none), the body both are for (r1-body.toml); findings and figures are those of the reference."""
    from studio.domain.body.build import build
    from studio.domain.body.load import load_body
    from studio.domain.fit.kinematics import Kinematics
    from studio.domain.layers.relock import relock
    from studio.domain.retarget.retarget import figures, findings

    project, layers = context.project, context.project.layers(context.subject)
    fighter = load_body(body_file(project, project.technique(context.subject).body))
    moved, floor = _known(context) or _moved(context, fighter)
    reference = relock(moved, layers, fighter, context.part(0.9, 1.0, "Applying the layers"))
    found = (*floor, *findings(Kinematics(build(fighter).compile()), reference, fighter))
    summary = {
        "frames": len(reference.qpos),
        "root_scale": round(reference.root_scale, 4),
        "layers": sum(layer.on for layer in layers.layers),
        "findings": len(found),
        **{name: round(value, 2) for name, value in figures(reference, fighter).items()},
    }
    return Result(arrays={"": moved, "reference": reference}, pages={"body": fighter}, findings=found, summary=summary)


def _moved(context: Context, fighter: Body) -> tuple[Retarget, tuple[Finding, ...]]:
    """The retarget, and what was found of the floor."""
    from studio.domain.retarget.retarget import retarget

    project, technique = context.project, context.project.technique(context.subject)
    take = f"{technique.session}/{technique.take}"
    fit, coach = project.load(4, take, SkeletonFit), project.load(4, take, Body, "coach")
    moved, found = retarget(fit, coach, fighter, context.part(0.0, 0.9, "Locking the feet"))
    return moved, _of_the_floor(found)


def _known(context: Context) -> tuple[Retarget, tuple[Finding, ...]] | None:
    """The same, taken from the newest revision where nothing but the layers changed since: a corrected curve need not
    wait for the whole solve. None where something else did."""
    project, subject = context.project, context.subject
    revision = project.revision(5, subject)
    if revision is None:
        return None
    wanted = fingerprint.of(project, 5, subject, declaration(5).inputs(project, subject))
    if not fingerprint.differs_in_layers_alone(revision.record, wanted):
        return None
    if fingerprint.damage(project, revision.record):
        return None
    return project.load(5, subject, Retarget), _of_the_floor(revision.record.findings)


def _of_the_floor(found: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(one for one in found if one.kind == "floor")
