"""The virtual phones are what their calibration says, and see all of him all the time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studio.domain.cameras.calibration import read_calibration, to_rig
from studio.domain.cameras.undistort import project
from studio.domain.synthetic import phones, right_knee
from studio.domain.synthetic.exposure import at_times
from studio.domain.synthetic.seen import marker_places
from studio.schema.motion import Motion


def test_the_calibration_is_read_as_the_same_phones(tmp_path: Path) -> None:
    path = tmp_path / "calibration.toml"
    path.write_text(phones.calibration())
    read = to_rig({c.name: c for c in read_calibration(path)}, dict.fromkeys("ab", (phones.WIDTH, phones.HEIGHT)))
    assert read.notes == ()
    for found, true in zip(read.cameras, phones.rig().cameras, strict=True):
        assert found.phone == true.phone
        for name in ("matrix", "distortion", "rotation", "translation"):
            assert np.abs(getattr(found, name) - getattr(true, name)).max() < 1e-9


def test_they_stand_apart_upright_and_at_breast_height() -> None:
    first, second = phones.rig().cameras
    angle = np.degrees(np.arccos(first.rotation[2, :2] @ second.rotation[2, :2] / _flat(first) / _flat(second)))
    assert 65 <= angle <= 80
    for camera in (first, second):
        assert 3.0 <= np.linalg.norm(camera.position[:2]) <= 3.6 and 1.3 <= camera.position[2] <= 1.4
        assert abs(camera.rotation[0, 2]) < 1e-12, "no roll"


def _flat(camera) -> float:
    return float(np.linalg.norm(camera.rotation[2, :2]))


def test_the_clapper_is_equally_far_from_both() -> None:
    assert phones.clap_way_m("a") == pytest.approx(phones.clap_way_m("b"), abs=1e-6)


def test_all_of_him_is_in_both_pictures(knee: Motion) -> None:
    places = marker_places(right_knee.COACH, at_times(knee, np.arange(0.0, 3.6, 0.1)))
    for camera in phones.rig().cameras:
        xy = project(camera, places, distorted=True).reshape(-1, 2)
        assert (xy > 30).all() and (xy < np.array([phones.WIDTH, phones.HEIGHT]) - 30).all()
        assert np.ptp(xy[:, 1]) > 0.5 * phones.HEIGHT, "large enough to be measured"
