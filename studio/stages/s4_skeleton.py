"""Stage 4: the coach's joint angles, fitted to the unfiltered points on a body with his measures."""

from __future__ import annotations

import numpy as np

from studio.schema.keypoints import Points
from studio.stages.stage import Context, Result


def run(context: Context) -> Result:
    """The fit (r1.npz), the coach's body (r1-coach.toml) and what the points leave open."""
    from studio.domain.fit.certainty import certainty_findings
    from studio.domain.fit.skeleton import fit_skeleton

    points = context.project.load(3, context.subject, Points)
    fit, body = fit_skeleton(points, context.project.coach, context.part(0.0, 1.0, "Fitting the skeleton"))
    seen = np.isfinite(fit.residual)
    summary = {
        "frames": len(fit.qpos),
        "residual_mm": round(1000 * float(np.median(fit.residual[seen])), 1),
        "rejected_percent": round(100 * float(fit.rejected[seen].mean()), 1),
        "stature": body.stature,
    }
    findings = certainty_findings(points, fit, body)
    return Result(arrays={"": fit}, pages={"coach": body}, findings=findings, summary=summary)
