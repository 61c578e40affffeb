"""The camera of a film keeps the whole fighter in its picture, and a try of the gate becomes a film with words."""

from __future__ import annotations

from pathlib import Path

import av
import mujoco
import numpy as np
import pytest

from studio.app.films import VIEWS, Scene, camera_for, make_scene, places_in
from studio.app.try_film import PANE, write_tries
from studio.domain.body.load import load_body


@pytest.fixture
def scene(made) -> Scene:
    return make_scene(made.made_table(), load_body("fighter"))


def falling(scene: Scene, frames: int = 24) -> np.ndarray:
    """He walks a metre and a half, tips over and lies on the floor."""
    qpos = np.tile(scene.skeleton.qpos0, (frames, 1))
    share = np.linspace(0, 1, frames)
    qpos[:, 1] += 1.5 * share
    qpos[:, 2] = 1.0 - 0.85 * share
    qpos[:, 3], qpos[:, 4] = np.cos(share * np.pi / 4), np.sin(share * np.pi / 4)
    return qpos


def ends(scene: Scene, track: np.ndarray) -> np.ndarray:
    """(N, 3) m: the six ends of every shape of the fighter in each frame."""
    model, data, found = scene.skeleton, mujoco.MjData(scene.skeleton), []
    sides = np.concatenate([np.eye(3), -np.eye(3)])
    for qpos in track:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        for k in range(model.ngeom):
            turn, size = data.geom_xmat[k].reshape(3, 3), model.geom_aabb[k]
            found.append(data.geom_xpos[k] + (size[:3] + sides * size[3:]) @ turn.T)
    return np.concatenate(found)


@pytest.mark.parametrize("size", [(640, 300), (480, 540), (230, 420)])
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_of_the_fighter_leaves_the_picture(scene, view, size):
    track = falling(scene)
    camera = camera_for(view, scene, places_in(scene, (track,)), *size).camera(*size)
    seen = ends(scene, track) @ camera.rotation.T + camera.translation
    xy = seen @ camera.matrix.T
    xy = xy[:, :2] / xy[:, 2:]
    assert (seen[:, 2] > 0.3).all()
    assert (xy > -0.5).all() and (xy < np.array(size) - 0.5).all()


def test_one_who_stands_is_shown_larger_than_one_who_falls(scene):
    track = falling(scene)
    near, far = (camera_for("side", scene, places_in(scene, (t,)), 480, 540).distance for t in (track[:1], track))
    assert near < 0.85 * far
    assert near < 4.5, "he fills the picture"


def test_a_try_is_filmed_beside_the_reference_with_names_and_time(scene, made, gym, tmp_path: Path):
    from studio.store.project import Project

    track = falling(scene, 4)
    bag = np.tile([1.0, 0.0, 0.0, 0.0], (4, 2))
    tracks = (("What he did", np.hstack([track, bag])), ("The reference", np.repeat(track[:1], 5, axis=0)))
    assert write_tries(tmp_path / "try.mp4", Project.open(gym), "right-knee", tracks) == 4, "as long as the shorter one"
    with av.open(str(tmp_path / "try.mp4")) as container:
        pictures = [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]
    first, last = pictures[0], pictures[-1]
    assert first.shape == (PANE[1], 2 * PANE[0], 3)
    assert first[12:34, 14:120].max() > 180 and first[12:34, PANE[0] + 14 : PANE[0] + 120].max() > 180, "names"
    moved = np.abs(last - first).max(axis=2) > 40
    assert moved[:, : PANE[0]].sum() > 20 * moved[60:, PANE[0] :].sum() and moved[:, : PANE[0]].mean() > 0.01
    assert moved[10:36, -110:].any(), "the time goes on"
