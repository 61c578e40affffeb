"""What is drawn: the figure where its markers project, the floor of its theme, a shadow, a ghost."""

import os
import subprocess
import sys

import cv2
import mujoco
import numpy as np
import pytest

from studio.domain.cameras.undistort import project
from studio.domain.picture import palette
from studio.domain.picture.dress import dressed_fighter, dressed_world
from studio.domain.picture.renderer import FighterRenderer, FreeCamera
from studio.schema.body import Body

FIGHTER = Body("fighter", 1.80, 70.0, 1.25)
WIDTH, HEIGHT = 320, 300
CAMERA = FreeCamera((0.0, 0.0, 0.9), 3.4, 150.0, -12.0)


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return dressed_fighter(FIGHTER)


@pytest.fixture(scope="module")
def renderer(model: mujoco.MjModel):
    with FighterRenderer(model, WIDTH, HEIGHT) as made:
        yield made


def stance(model: mujoco.MjModel, **angles: float) -> np.ndarray:
    qpos = mujoco.MjData(model).qpos.copy()
    for name, angle in angles.items():
        qpos[model.jnt_qposadr[model.joint(name).id]] = angle
    return qpos


def warm(picture: np.ndarray) -> np.ndarray:
    """Where skin is: red well above blue."""
    red, blue = picture[..., 0].astype(float), picture[..., 2].astype(float)
    return (red > 1.15 * blue) & (red > 25)


def test_the_figure_stands_where_its_markers_project(model: mujoco.MjModel, renderer: FighterRenderer):
    qpos = stance(model, knee_r=1.2, hip_pitch_r=-1.0)
    picture = renderer.draw(qpos, CAMERA)
    assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.uint8
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    camera = CAMERA.camera(WIDTH, HEIGHT)
    for name in ("LKnee", "RKnee", "Nose", "LElbow"):
        u, v = project(camera, data.site(name).xpos)
        assert warm(picture)[round(v), round(u)], name
    assert not warm(picture)[:40, :40].any()


def test_themes_have_their_floors(model: mujoco.MjModel, renderer: FighterRenderer):
    qpos = stance(model)
    dark = renderer.draw(qpos, CAMERA)
    assert np.array_equal(dark[2, 2], palette.DARK.back)
    renderer.set_light(True)
    light = renderer.draw(qpos, CAMERA)
    renderer.set_light(False)
    assert np.array_equal(light[2, 2], palette.LIGHT.back)
    assert np.array_equal(renderer.draw(qpos, CAMERA), dark), "the same state gives the same picture"


def test_the_theme_is_read_from_the_dressed_model():
    with FighterRenderer(dressed_fighter(FIGHTER, light=True), 40, 40) as made:
        assert made.palette is palette.LIGHT


def test_a_shadow_falls_under_the_feet(model: mujoco.MjModel, renderer: FighterRenderer):
    renderer.set_light(True)
    high = stance(model)
    high[2] += 30.0
    down = FreeCamera((0.0, 0.0, 0.0), 3.5, 150.0, -35.0)
    with_figure, empty = renderer.draw(stance(model), down), renderer.draw(high, down)
    renderer.set_light(False)
    u, v = project(down.camera(WIDTH, HEIGHT), np.array([[-0.05, 0.2, 0.0]]))[0]
    here = np.s_[round(v) - 20 : round(v) + 20, round(u) - 30 : round(u) + 30]
    assert with_figure[here].min() < empty[here].min() - 25


def test_a_ghost_is_seen_behind(model: mujoco.MjModel, renderer: FighterRenderer):
    alone = renderer.draw(stance(model), CAMERA)
    ghost = stance(model, hip_roll_l=1.0)
    both = renderer.draw(stance(model), CAMERA, ghost=ghost)
    changed = (np.abs(alone.astype(int) - both) > 12).any(axis=2)
    assert changed.sum() > 300
    figure = cv2.erode(warm(alone).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    assert figure.sum() > 1000 and not (changed & figure).any(), "it never covers the fighter"


def test_film_lays_shadows_on_the_body(model: mujoco.MjModel):
    qpos = stance(model, shoulder_pitch_l=-1.2, elbow_l=1.5)
    with FighterRenderer(model, 160, 160, film=True) as film, FighterRenderer(model, 160, 160) as live:
        first, second = film.draw(qpos, CAMERA), live.draw(qpos, CAMERA)
    assert np.abs(first.astype(int) - second)[warm(second)].mean() > 3


def test_the_bag_is_drawn():
    model = dressed_world(FIGHTER, (0.9, 0.0, 2.3))
    with FighterRenderer(model, 200, 200) as made:
        qpos = mujoco.MjData(model).qpos
        near = made.draw(qpos, CAMERA)
        model.body_pos[model.body("bag_anchor").id][0] += 30
        away = made.draw(qpos, CAMERA)
    assert (near != away).any(axis=2).sum() > 1500


def test_a_state_of_another_length_is_refused(renderer: FighterRenderer):
    with pytest.raises(ValueError, match="qpos has shape"):
        renderer.draw(np.zeros(12), CAMERA)


def test_closing_twice_is_fine(model: mujoco.MjModel):
    made = FighterRenderer(model, 40, 40)
    made.close()
    made.close()


NO_GL = """
from studio.schema.errors import StudioError
from studio.domain.picture import context
context._WAYS["linux"] = ("egl",)
try:
    context.offscreen_context(10, 10)
except StudioError as error:
    print(error.what, "|", error.why, "|", error.next_step)
else:
    print("made")
"""


def test_without_opengl_it_says_what_to_install(tmp_path):
    env = {k: v for k, v in os.environ.items() if k not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")}
    env |= {"__EGL_VENDOR_LIBRARY_DIRS": str(tmp_path), "__EGL_VENDOR_LIBRARY_FILENAMES": str(tmp_path / "none.json")}
    answer = subprocess.run(
        [sys.executable, "-c", NO_GL], env=env, capture_output=True, text=True, timeout=60, check=True
    )
    assert "The fighter cannot be drawn" in answer.stdout and "libosmesa6" in answer.stdout
    assert "Traceback" not in answer.stderr, "nor does the context that was never made speak up at the end"
