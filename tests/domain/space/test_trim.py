"""A take is what lies between its in and its out."""

from __future__ import annotations

import numpy as np
import pytest

from studio.domain.space.trim import trim
from studio.schema.errors import StudioError
from studio.schema.keypoints import Points

FRAMES = 60


def points() -> Points:
    times = 1.0 + np.arange(FRAMES) / 60
    each = np.arange(FRAMES, dtype=float)
    xyz = np.tile(each[:, None, None], (1, 26, 3))
    covariance = np.zeros((FRAMES, 26, 3, 3))
    return Points(60.0, times, xyz, covariance, np.zeros((FRAMES, 26)), np.ones((FRAMES, 26)))


def test_all_arrays_are_cut_to_the_same_frames() -> None:
    cut = trim(points(), 1.0 + 10 / 60, 1.0 + 40 / 60)
    assert len(cut.times) == 31 and cut.xyz[0, 0, 0] == 10 and cut.xyz[-1, 5, 2] == 40
    assert cut.covariance.shape[0] == cut.residual_px.shape[0] == cut.confidence.shape[0] == 31


def test_the_whole_take_stays_as_it_is() -> None:
    assert np.array_equal(trim(points(), 0.0, 9.0).times, points().times)


def test_a_take_of_a_few_frames_is_refused() -> None:
    with pytest.raises(StudioError, match=r"too short: from 1\.00 to 1\.05 s it holds 4 frames"):
        trim(points(), 1.0, 1.05)
