"""Rotations as arrays, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from studio.domain import rotations


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
