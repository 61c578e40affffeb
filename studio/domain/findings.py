"""Findings from values along time."""

from __future__ import annotations

import numpy as np

from studio.domain.filters import runs
from studio.schema.findings import Finding


def spans_over(
    values: np.ndarray, times: np.ndarray, kind: str, subject: str, *, unit: str, limit: float
) -> list[Finding]:
    """A finding per span of the (T,) ``values`` above ``limit``, with the largest value of it. ``times`` (T,) s."""
    return [
        Finding(kind, subject, float(times[a]), float(times[b - 1]), float(values[a:b].max()), unit, limit)
        for a, b in runs(values > limit)
    ]
