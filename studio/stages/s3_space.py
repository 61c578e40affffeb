"""Stage 3: both phones on one clock, sides repaired, points in space with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.schema.findings import Finding
from studio.schema.keypoints import Keypoints
from studio.schema.take import Take
from studio.stages.stage import Context, Result

if TYPE_CHECKING:
    from studio.domain.sync.sound import SoundSync

CHECKED = ("sound", "hand")
"""Ways of finding a sync that the two views can contradict; cameras that ran together are taken at their word."""


def run(context: Context) -> Result:
    """Points (r1.npz), the keypoints after the repair of sides (r1-a.npz, r1-b.npz) and the sync (r1-sync.toml)."""
    from studio.domain.pose.sides import repair_sides
    from studio.domain.space import quality
    from studio.domain.space.triangulate import triangulate
    from studio.domain.space.trim import trim

    project = context.project
    take, heard = _on_one_clock(context, project.filmed_take(context.subject))
    rig, fps = project.rig(take.session), take.videos[0].fps
    raw = tuple(project.load(2, context.subject, Keypoints, video.phone) for video in take.videos)
    context.progress(0.2, "Comparing left and right between the phones")
    repair = repair_sides(rig, raw, take.sync, fps)
    context.progress(0.5, "Finding points in space")
    points = trim(triangulate(rig, repair.keypoints, take.sync, fps), take.start_s, take.end_s)
    swapped = sum(int(np.any(list(groups.values()), axis=0).sum()) for groups in repair.swaps.values() if groups)
    figures = quality.summary(rig, repair.keypoints, points, take.sync)
    seen, doubts = _seen(context, take, repair.keypoints)
    context.progress(1.0, "Points found")
    summary = {
        "fps": round(points.fps, 3),
        "swaps": swapped,
        "sync": take.sync.method,
        **_sync_figures(take, heard),
        **seen,
        "measured_percent": round(100 * figures.pop("measured_share"), 1),
        **{name: round(value, 3) for name, value in figures.items()},
    }
    findings = (
        *repair.findings,
        *doubts,
        *quality.calibration_findings(rig, repair.keypoints, points, take.sync),
    )
    arrays = {"": points, **{k.phone: k for k in repair.keypoints}}
    return Result(arrays=arrays, pages={"sync": take.sync}, findings=findings, summary=summary)


def _on_one_clock(context: Context, take: Take) -> tuple[Take, SoundSync | None]:
    """The take with the sync it was declared with, or with the one that the sound of its films tells."""
    from studio.domain.sync.overlap import with_sync
    from studio.domain.sync.sound import sync_by_sound
    from studio.domain.video.audio import read_sound

    if take.sync.method != "sound":
        return take, None
    folder = context.project.layout.take(context.subject)
    sounds = {}
    for number, video in enumerate(take.videos):
        context.progress(0.05 * number, f"Listening to phone {video.phone}")
        sounds[video.phone] = read_sound(folder / video.file)
    context.progress(0.1, "Comparing what the phones heard")
    heard = sync_by_sound(sounds)
    return with_sync(take, context.project.declared_take(context.subject), heard.sync), heard


def _sync_figures(take: Take, heard: SoundSync | None) -> dict[str, Any]:
    """How the clocks were put together, for the page of the stage."""
    if take.sync.method not in CHECKED:
        return {}
    other = take.videos[-1].phone
    figures: dict[str, Any] = {"offset_ms": round(1000 * take.sync.offset(other), 2)}
    if heard is not None:
        figures |= {f"sync_{heard.by}": heard.events, "sync_residual_ms": round(heard.residual_ms, 3)}
        if heard.unmatched:
            figures["sync_unmatched"] = heard.unmatched
        if take.sync.drift:
            figures["drift_ppm"] = round(1e6 * take.sync.drift[other], 1)
    return figures


def _seen(context: Context, take: Take, keypoints: Sequence[Keypoints]) -> tuple[dict[str, float], tuple[Finding, ...]]:
    """The offset at which the two views fit best (ms), and what to suspect where it is another than the one in use."""
    from studio.domain.sync.agree import agreement, sync_findings

    if take.sync.method not in CHECKED:
        return {}, ()
    context.progress(0.8, "Checking the sync against what the phones saw")
    fps, other = take.videos[0].fps, take.videos[-1].phone
    found = agreement(context.project.rig(take.session), keypoints, take.sync, fps)
    span = (take.start_s, take.end_s)
    figures = {} if found.best_s is None else {"views_ms": round(1000 * (take.sync.offset(other) + found.best_s), 2)}
    return figures, sync_findings(found, other, span, fps)
