"""The films show him where the keypoints say he is, dressed as somebody else than the fighter."""

from __future__ import annotations

import numpy as np
import pytest

from studio.domain.cameras.undistort import project
from studio.domain.synthetic import film, phones, right_knee
from studio.domain.synthetic.exposure import at_times, exposed
from studio.domain.synthetic.seen import marker_places
from studio.schema.keypoints import INDEX
from studio.schema.motion import Motion

FRAME = 99


@pytest.mark.parametrize("phone", ["a", "b"])
def test_his_joints_lie_on_his_picture(knee: Motion, phone: str) -> None:
    camera = phones.rig().camera(phone)
    late = Motion(knee.body, knee.body_hash, knee.fps, -FRAME / phones.FPS, knee.joints, knee.qpos)
    picture = next(film.pictures(right_knee.COACH, late, camera, 0.05))
    assert picture.shape == (phones.HEIGHT, phones.WIDTH, 3) and picture.dtype == np.uint8
    pose = at_times(knee, exposed(phone, 3.6)[1][FRAME : FRAME + 1])
    xy = project(camera, marker_places(right_knee.COACH, pose), distorted=True)[0]
    for name in ("LKnee", "RKnee", "LAnkle", "RAnkle"):
        red, green, blue = _around(picture, xy[INDEX[name]])
        assert red > blue + 15 or max(red, green, blue) < 70, f"{name}: skin or the anklet, not the grey floor"
    red, green, blue = _around(picture, xy[INDEX["Hip"]])
    assert max(red, green, blue) < 70, "black shorts"
    edge = picture[:40].reshape(-1, 3).astype(int)
    assert np.ptp(edge, axis=1).max() < 12 and edge.min() > 150, "an empty room above him"


def _around(picture: np.ndarray, xy: np.ndarray) -> np.ndarray:
    x, y = np.round(xy).astype(int)
    return np.median(picture[y - 3 : y + 4, x - 3 : x + 4].reshape(-1, 3), axis=0)


def test_a_picture_is_kept_while_he_stands_still(knee: Motion) -> None:
    still = Motion(knee.body, knee.body_hash, knee.fps, 0.0, knee.joints, knee.qpos[:2].repeat(6, axis=0))
    shown = list(film.pictures(right_knee.COACH, still, phones.rig().cameras[0], 0.1))
    assert len(shown) == 6 and all(picture is shown[0] for picture in shown)


def test_he_is_not_dressed_as_the_fighter() -> None:
    model = film.dressed_coach(right_knee.COACH)
    colours = {model.geom(i).name: model.geom_rgba[i, :3] for i in range(model.ngeom)}
    red, _, blue = colours["look_glove_l"]
    assert red > 3 * blue and np.ptp(colours["look_chest"]) < 0.05
    assert np.allclose(colours["look_thigh_r"], colours["look_shank_r"]), "his skin is left alone"
    assert model.body_mass.sum() == pytest.approx(70.0)
