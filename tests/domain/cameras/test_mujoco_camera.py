"""A calibrated camera in MuJoCo looks where OpenCV says."""

import mujoco
import numpy as np
import pytest

from studio.domain.cameras.mujoco_camera import FreeCamera, aim, letterboxed, scaled
from studio.domain.cameras.undistort import project
from studio.domain.picture.context import offscreen_context
from studio.schema.camera import Camera

WIDTH, HEIGHT, RADIUS = 1280, 720, 0.012


def phone() -> Camera:
    """Anisotropic, off centre, rolled: nothing that a wrong sign or a missing half pixel could hide behind."""
    eye, target, roll = np.array([3.4, -2.1, 1.4]), np.array([0.0, 0.0, 1.0]), 0.1
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, [0, 0, 1])
    right /= np.linalg.norm(right)
    turn = np.array([[np.cos(roll), np.sin(roll), 0], [-np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    rotation = turn @ np.stack([right, np.cross(forward, right), forward])
    matrix = np.array([[1050.3, 0, 700.4], [0, 1043.7, 331.8], [0, 0, 1]])
    return Camera("a", WIDTH, HEIGHT, matrix, np.zeros(4), rotation, -rotation @ eye)


def spheres() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.column_stack([rng.uniform(-1.2, 1.2, 40), rng.uniform(-1.2, 1.2, 40), rng.uniform(0.1, 2, 40)])


def picture(points: np.ndarray, camera: Camera) -> np.ndarray:
    """White spheres on black, a single colour channel, top row first."""
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = camera.width, camera.height
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = [1, 1, 1], [0, 0, 0]
    spec.visual.headlight.specular = [0, 0, 0]
    spec.visual.quality.offsamples = 8
    for point in points:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, pos=point, size=[RADIUS, 0, 0], rgba=[1, 1, 1, 1])
    context = offscreen_context(camera.width, camera.height)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    drawing = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, drawing)
    scene = mujoco.MjvScene(model, 100)
    mujoco.mjv_updateScene(
        model, data, mujoco.MjvOption(), mujoco.MjvPerturb(), mujoco.MjvCamera(), mujoco.mjtCatBit.mjCAT_ALL, scene
    )
    aim(scene, camera)
    rect, rgb = mujoco.MjrRect(0, 0, camera.width, camera.height), np.empty((camera.height, camera.width, 3), np.uint8)
    mujoco.mjr_render(rect, scene, drawing)
    mujoco.mjr_readPixels(rgb, None, rect, drawing)
    drawing.free()
    context.free()
    return rgb[::-1, :, 0].astype(float)


def offsets(points: np.ndarray, camera: Camera, reach: int = 9) -> np.ndarray:
    """(N, 2) px from each isolated sphere's projection to the centroid of its picture."""
    shown, places = picture(points, camera), project(camera, points)
    found = []
    for k, (u, v) in enumerate(places):
        inside = 12 < u < camera.width - 12 and 12 < v < camera.height - 12
        alone = np.hypot(*(np.delete(places, k, axis=0) - places[k]).T).min() > 24
        if inside and alone:
            row, column = round(v), round(u)
            patch = shown[row - reach : row + reach + 1, column - reach : column + reach + 1]
            rows, columns = np.mgrid[row - reach : row + reach + 1, column - reach : column + reach + 1]
            found.append(((columns * patch).sum() / patch.sum() - u, (rows * patch).sum() / patch.sum() - v))
    return np.array(found)


def test_spheres_stand_where_they_are_projected():
    found = offsets(spheres(), phone())
    error = np.hypot(*found.T)
    assert len(found) >= 28
    assert error.mean() < 0.1 and error.max() < 0.2
    assert np.abs(found.mean(axis=0)).max() < 0.05, "a shift common to all would be a lost half pixel"


def test_a_pane_of_another_shape_keeps_the_framing():
    pane = letterboxed(phone(), 700, 620)
    found = offsets(spheres(), pane, reach=6)
    assert len(found) >= 20
    assert np.hypot(*found.T).mean() < 0.1


def test_the_letterboxed_picture_is_centred_and_whole():
    camera, pane = phone(), letterboxed(phone(), 600, 600)
    scale = 600 / WIDTH
    corner = np.linalg.inv(camera.matrix) @ [-0.5, -0.5, 1]
    far = np.linalg.inv(camera.matrix) @ [WIDTH - 0.5, HEIGHT - 0.5, 1]
    assert (pane.matrix @ corner)[:2] == pytest.approx([-0.5, (600 - HEIGHT * scale) / 2 - 0.5])
    assert (pane.matrix @ far)[:2] == pytest.approx([599.5, (600 + HEIGHT * scale) / 2 - 0.5])


def test_scaling_there_and_back_changes_nothing():
    back = scaled(scaled(phone(), 333, 777), WIDTH, HEIGHT)
    assert back.matrix == pytest.approx(phone().matrix)
    assert np.array_equal(back.distortion, phone().distortion)


def test_the_free_camera_is_mujocos():
    free = FreeCamera((0.2, -0.1, 0.9), 3.0, 160.0, -15.0, 45.0)
    model = mujoco.MjSpec().compile()
    model.vis.global_.fovy = 45.0
    scene, view = mujoco.MjvScene(model, 10), mujoco.MjvCamera()
    view.lookat[:], view.distance, view.azimuth, view.elevation = (
        free.lookat,
        free.distance,
        free.azimuth,
        free.elevation,
    )
    mujoco.mjv_updateScene(
        model, mujoco.MjData(model), mujoco.MjvOption(), mujoco.MjvPerturb(), view, mujoco.mjtCatBit.mjCAT_ALL, scene
    )
    theirs = (np.mean([e.pos for e in scene.camera], axis=0), scene.camera[0].forward, scene.camera[0].up)
    camera = free.camera(640, 480)
    for ours, their in zip((camera.position, camera.rotation[2], -camera.rotation[1]), theirs, strict=True):
        assert ours == pytest.approx(np.asarray(their), abs=1e-5)
    assert camera.rotation @ camera.rotation.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(camera.rotation) == pytest.approx(1.0)
    top = (240 - 0.5 - camera.matrix[1, 2] + 240) / camera.matrix[1, 1]
    assert np.degrees(np.arctan(top)) * 2 == pytest.approx(45.0, abs=0.2)


def test_no_area_is_refused():
    with pytest.raises(ValueError, match="area"):
        letterboxed(phone(), 0, 10)
