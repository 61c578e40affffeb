"""Rotations and filters that the motion stages share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from studio.domain import rotations
from studio.domain.filters import bump, fill_gaps, low_pass, moving_median, runs, smooth_step


def test_rotations_agree_with_scipy() -> None:
    a, b = (Rotation.random(50, random_state=s) for s in (1, 2))
    qa, qb = (r.as_quat(scalar_first=True) for r in (a, b))
    product = rotations.multiply(qa, qb)
    assert rotations.to_matrix(product) == pytest.approx((a * b).as_matrix())
    assert rotations.log(qa) == pytest.approx(a.as_rotvec())
    assert rotations.to_matrix(rotations.exp(a.as_rotvec())) == pytest.approx(a.as_matrix())
    assert rotations.to_matrix(rotations.from_matrix(a.as_matrix())) == pytest.approx(a.as_matrix())
    assert rotations.matrix_log(a.as_matrix()) == pytest.approx(a.as_rotvec())
    assert rotations.log(rotations.exp(np.array([1e-10, 0, 0]))) == pytest.approx([1e-10, 0, 0])
    assert rotations.heading(rotations.about_z(np.array([0.3, -2.0]))) == pytest.approx([0.3, -2.0])


def test_signs_become_continuous_without_changing_the_turn() -> None:
    smooth = rotations.about_z(np.linspace(0, 9, 40))
    flipped = smooth * np.where(np.arange(40) % 3 == 0, -1.0, 1.0)[:, None]
    mended = rotations.continuous(flipped)
    assert np.all(np.sum(mended[1:] * mended[:-1], axis=1) > 0)
    assert rotations.to_matrix(mended) == pytest.approx(rotations.to_matrix(smooth))


def test_low_pass_keeps_slow_stops_fast_and_leaves_gaps() -> None:
    t = np.arange(240) / 60
    slow, fast = np.sin(2 * np.pi * 2 * t), np.sin(2 * np.pi * 25 * t)
    out = low_pass((slow + fast)[:, None], 60.0, 8.0)[:, 0]
    assert out[20:-20] == pytest.approx(slow[20:-20], abs=0.03)
    gappy = slow.copy()
    gappy[100:105] = np.nan
    assert np.isnan(low_pass(gappy[:, None], 60.0, 8.0)[100:105]).all()
    assert np.array_equal(low_pass(slow[:5, None], 60.0, 8.0), slow[:5, None])


def test_small_tools() -> None:
    assert runs(np.array([0, 1, 1, 0, 1])) == [(1, 3), (4, 5)] and runs(np.zeros(3)) == []
    assert fill_gaps(np.array([[np.nan], [1.0], [np.nan], [3.0], [np.nan]]))[:, 0].tolist() == [1, 1, 2, 3, 3]
    assert moving_median(np.array([0.0, 0, 9, 0, 0]), 3).tolist() == [0, 0, 0, 0, 0]
    assert smooth_step(np.array([-1.0, 0.5, 2.0])).tolist() == [0.0, 0.5, 1.0]
    shape = bump(np.linspace(0, 1, 101), 0.5, 0.2, 0.3)
    assert shape[50] == 1 and shape[29] == 0 and shape[81] == 0 and shape[40] == pytest.approx(0.5)
