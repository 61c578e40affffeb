"""Points of a take from its in to its out."""

from __future__ import annotations

from dataclasses import replace

from studio.schema.errors import StudioError
from studio.schema.keypoints import Points

LEAST_FRAMES = 10
"""Fewer frames hold no motion that a body could be fitted to."""


def trim(points: Points, start_s: float, end_s: float) -> Points:
    """The frames between ``start_s`` and ``end_s`` (s on the common clock), both included to half a frame.

    Raises :class:`StudioError` where fewer than :data:`LEAST_FRAMES` are left.
    """
    slack = 0.5 / points.fps
    inside = (points.times >= start_s - slack) & (points.times <= end_s + slack)
    if inside.sum() < LEAST_FRAMES:
        raise StudioError(
            "The take is too short",
            f"from {start_s:.2f} to {end_s:.2f} s it holds {inside.sum()} frames",
            "Move its in and out apart in session.toml",
        )
    arrays = ("times", "xyz", "covariance", "residual_px", "confidence")
    return replace(points, **{name: getattr(points, name)[inside] for name in arrays})
