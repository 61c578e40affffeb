"""A take with the sync that was found: its in and out on the common clock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from studio.domain.time import common_time
from studio.schema.errors import StudioError
from studio.schema.session import DeclaredTake
from studio.schema.take import Sync, Take, Video


def with_sync(take: Take, declared: DeclaredTake, sync: Sync) -> Take:
    """The take on another clock: from its declared in to its declared out, as far as every phone was filming.

    Raises :class:`StudioError` where nothing is left.
    """
    spans = [_span(video, sync) for video in take.videos]
    first, last = max(0.0, *(start for start, _ in spans)), min(end for _, end in spans)
    start = first if declared.start_s is None else max(first, declared.start_s)
    end = last if declared.end_s is None else min(last, declared.end_s)
    if end <= start:
        raise StudioError(
            f"Take {take.name} is empty", f"it would last from {start:.2f} to {end:.2f} s", "Correct session.toml"
        )
    return replace(take, sync=sync, start_s=start, end_s=end)


def _span(video: Video, sync: Sync) -> tuple[float, float]:
    """First and last frame of a phone on the common clock (s)."""
    first, last = common_time(sync, video.phone, np.array([0.0, max(video.duration_s - 1.0 / video.fps, 0.0)]))
    return float(first), float(last)
