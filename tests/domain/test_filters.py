"""Filters along time and ramps."""

from __future__ import annotations

import numpy as np
import pytest

from studio.domain.filters import bump, fill_gaps, low_pass, moving_median, runs, smooth_step
from studio.schema.keypoints import INDEX


def test_low_pass_keeps_slow_stops_fast_and_leaves_gaps() -> None:
    t = np.arange(240) / 60
    slow, fast = np.sin(2 * np.pi * 2 * t), np.sin(2 * np.pi * 25 * t)
    out = low_pass((slow + fast)[:, None], 60.0, 8.0)[:, 0]
    assert out[20:-20] == pytest.approx(slow[20:-20], abs=0.03)
    gappy = slow.copy()
    gappy[100:105] = np.nan
    assert np.isnan(low_pass(gappy[:, None], 60.0, 8.0)[100:105]).all()
    assert np.array_equal(low_pass(slow[:5, None], 60.0, 8.0), slow[:5, None])


def test_the_peak_speed_of_a_kick_survives_12_hz_and_not_6(kicker) -> None:
    toe = kicker(np.arange(150) / 60)[:, INDEX["RBigToe"]]
    peak, fine, coarse = (
        np.linalg.norm(np.gradient(path, 1 / 60, axis=0), axis=1).max()
        for path in (toe, low_pass(toe, 60.0, 12.0), low_pass(toe, 60.0, 6.0))
    )
    assert fine == pytest.approx(peak, rel=0.02)
    assert coarse < 0.97 * peak


def test_a_slow_camera_cannot_be_cut_off_above_its_own_limit() -> None:
    moved = np.sin(2 * np.pi * 2 * np.arange(60) / 20)[:, None]
    assert low_pass(moved, 20.0, 12.0)[5:-5] == pytest.approx(moved[5:-5], abs=0.01)


def test_small_tools() -> None:
    assert runs(np.array([0, 1, 1, 0, 1])) == [(1, 3), (4, 5)] and runs(np.zeros(3)) == []
    assert fill_gaps(np.array([[np.nan], [1.0], [np.nan], [3.0], [np.nan]]))[:, 0].tolist() == [1, 1, 2, 3, 3]
    assert moving_median(np.array([0.0, 0, 9, 0, 0]), 3).tolist() == [0, 0, 0, 0, 0]
    assert smooth_step(np.array([-1.0, 0.5, 2.0])).tolist() == [0.0, 0.5, 1.0]
    shape = bump(np.linspace(0, 1, 101), 0.5, 0.2, 0.3)
    assert shape[50] == 1 and shape[29] == 0 and shape[81] == 0 and shape[40] == pytest.approx(0.5)
