"""Which part of a phone's picture is shown, and the straightened picture in it."""

import cv2
import numpy as np
import pytest

from studio.domain.cameras.mujoco_camera import FreeCamera
from studio.domain.cameras.undistort import project
from studio.domain.picture.dress import dressed_fighter
from studio.domain.picture.framing import Crop, action_points, cropped, frame_action, whole
from studio.domain.picture.undistorted import UndistortedView, picture_box
from studio.schema.body import Body
from studio.schema.camera import Camera


def phone(width: int = 360, height: int = 640, distortion: tuple[float, ...] = (-0.35, 0.12, 0.004, -0.003)) -> Camera:
    base = FreeCamera((0.0, 0.0, 0.9), 3.6, 150.0, -12.0, 52.0).camera(width, height)
    matrix = base.matrix + np.array([[0, 0, 7.3], [0, 0, -11.8], [0, 0, 0]])
    return Camera("a", width, height, matrix, np.array(distortion), base.rotation, base.translation)


def dots(camera: Camera, points: np.ndarray) -> np.ndarray:
    """White dots where the real lens shows the points."""
    frame = np.zeros((camera.height, camera.width, 3), np.uint8)
    for u, v in project(camera, points, distorted=True):
        cv2.circle(frame, (round(u * 16), round(v * 16)), 4 * 16, (255, 255, 255), -1, cv2.LINE_AA, 4)
    return frame


def points() -> np.ndarray:
    return np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (0.0, 0.9, 1.8)])


@pytest.mark.parametrize("crop", [None, Crop(31, 77, 290, 430)])
@pytest.mark.parametrize("pane", [(360, 640), (500, 420)])
def test_points_of_the_video_stand_where_the_pinhole_projects_them(crop: Crop | None, pane: tuple[int, int]):
    camera = phone()
    view = UndistortedView(camera, *pane, crop=crop)
    moved = np.linalg.norm(project(camera, points()) - project(camera, points(), distorted=True), axis=1)
    assert moved.max() > 2, "this lens bends: leaving it out would show"
    left, top, right, bottom = picture_box(crop or whole(camera), *pane)
    seen = 0
    for point in points():
        shown = view.show(dots(camera, point[None]))[..., 0].astype(float)
        u, v = project(view.camera, point)
        if not (left + 10 < u < right - 10 and top + 10 < v < bottom - 10):
            continue
        rows, columns = np.mgrid[: pane[1], : pane[0]]
        centre = ((columns * shown).sum() / shown.sum(), (rows * shown).sum() / shown.sum())
        assert np.hypot(centre[0] - u, centre[1] - v) < 0.5
        seen += 1
    assert seen >= 6


def test_beside_the_picture_is_the_given_colour():
    view = UndistortedView(phone(), 900, 320, back=(9, 90, 200))
    shown = view.show(np.full((640, 360, 3), 255, np.uint8))
    left, top, right, bottom = picture_box(whole(phone()), 900, 320)
    assert (left, top, right, bottom) == (360, 0, 540, 320)
    assert (shown[:, :358] == (9, 90, 200)).all() and (shown[:, 542:] == (9, 90, 200)).all()
    assert (shown[60:260, 380:520] == 255).all()


def test_a_crop_moves_pixels_not_the_world():
    camera, crop = phone(), Crop(40, 100, 200, 300)
    assert project(cropped(camera, crop), points()) == pytest.approx(project(camera, points()) - (40, 100))


def test_the_action_is_framed_with_room():
    camera = phone(1080, 1920, (0.0, 0.0, 0.0, 0.0))
    small = points() * 0.6 + [0, 0, 0.3]
    crop = frame_action(camera, small)
    xy = project(camera, small)
    low, high = xy.min(axis=0), xy.max(axis=0)
    assert crop.left <= low[0] and crop.left + crop.width >= high[0]
    assert crop.top < low[1] and crop.top + crop.height > high[1]
    assert crop.left >= 0 and crop.left + crop.width <= 1080 and crop.top >= 0 and crop.top + crop.height <= 1920
    assert crop.height < 1.3 * crop.width


def test_an_action_out_of_sight_shows_the_whole_picture():
    behind = np.array([[30.0, -30.0, 1.0]]) * np.array([[-1, -1, 1]])
    camera = phone()
    ahead = camera.rotation[2]
    assert frame_action(camera, camera.position[None] - ahead * 5) == whole(camera)
    assert frame_action(camera, behind).width <= camera.width


def test_action_points_follow_the_motion():
    model = dressed_fighter(Body("fighter", 1.80, 70.0, 1.25))
    still = np.tile(model.qpos0, (8, 1))
    moved = still.copy()
    moved[4:, 0] += 2.0
    cloud = action_points(model, moved)
    assert np.ptp(cloud[:, 0]) > np.ptp(action_points(model, still)[:, 0]) + 1.9
