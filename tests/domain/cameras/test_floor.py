"""A wrong floor in the calibration moves the world, not what the phones see."""

from __future__ import annotations

import numpy as np

from studio.domain.cameras.floor import on_floor
from studio.domain.cameras.undistort import project
from studio.schema.camera import Camera, Rig


def test_a_foot_on_the_new_floor_is_seen_where_it_was() -> None:
    turned = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])
    lens = np.array([[1500.0, 0.0, 540.0], [0.0, 1500.0, 960.0], [0.0, 0.0, 1.0]])
    camera = Camera("a", 1080, 1920, lens, np.zeros(4), turned, np.array([0.1, 1.2, 3.0]))
    foot = np.array([[0.2, -0.1, 0.08], [0.3, 0.4, 1.0]])
    moved = on_floor(Rig((camera,)), 0.08).camera("a")
    assert np.allclose(project(moved, foot - [0, 0, 0.08]), project(camera, foot), atol=1e-9)
    assert np.isclose(moved.position[2], camera.position[2] - 0.08)
