"""Stage 3: both phones on one clock, sides repaired, points in space with their uncertainty."""

from __future__ import annotations

import numpy as np

from studio.schema.keypoints import Keypoints
from studio.stages.stage import Context, Result


def run(context: Context) -> Result:
    """Points (r1.npz) and the keypoints after the repair of sides (r1-a.npz, r1-b.npz)."""
    from studio.domain.pose.sides import repair_sides
    from studio.domain.space import quality
    from studio.domain.space.triangulate import triangulate
    from studio.domain.space.trim import trim

    project = context.project
    take = project.take(context.subject)
    rig = project.rig(take.session)
    raw = tuple(project.load(2, context.subject, Keypoints, video.phone) for video in take.videos)
    context.progress(0.1, "Comparing left and right between the phones")
    repair = repair_sides(rig, raw, take.sync, take.videos[0].fps)
    context.progress(0.5, "Finding points in space")
    points = triangulate(rig, repair.keypoints, take.sync, take.videos[0].fps)
    points = trim(points, take.start_s, take.end_s)
    context.progress(1.0, "Points found")
    swapped = sum(int(np.any(list(groups.values()), axis=0).sum()) for groups in repair.swaps.values() if groups)
    figures = quality.summary(rig, repair.keypoints, points, take.sync)
    summary = {
        "fps": round(points.fps, 3),
        "swaps": swapped,
        "sync": take.sync.method,
        "measured_percent": round(100 * figures.pop("measured_share"), 1),
        **{name: round(value, 3) for name, value in figures.items()},
    }
    findings = (*repair.findings, *quality.calibration_findings(rig, repair.keypoints, points, take.sync))
    arrays = {"": points, **{k.phone: k for k in repair.keypoints}}
    return Result(arrays=arrays, findings=findings, summary=summary)
