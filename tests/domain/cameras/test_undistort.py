import numpy as np
import pytest

from studio.domain.cameras.undistort import distort_points, project, undistort_points
from studio.schema.camera import Camera


@pytest.fixture
def camera() -> Camera:
    """A phone 3 m away with the bent lens of a wide module."""
    from scipy.spatial.transform import Rotation

    return Camera(
        "a",
        1080,
        1920,
        np.array([[1500.0, 0, 550], [0, 1490, 950], [0, 0, 1]]),
        np.array([0.12, -0.18, 0.002, -0.003]),
        Rotation.from_rotvec([1.6, 0.4, -0.3]).as_matrix(),
        np.array([0.1, 0.9, 3.0]),
    )


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(7).uniform([-0.7, -0.7, 0], [0.7, 0.7, 1.8], (50, 4, 3))


def test_as_opencv_projects(camera: Camera, points: np.ndarray) -> None:
    import cv2

    turn, _ = cv2.Rodrigues(camera.rotation)
    for distorted in (False, True):
        terms = camera.distortion * distorted
        theirs, _ = cv2.projectPoints(points.reshape(-1, 1, 3), turn, camera.translation, camera.matrix, terms)
        assert np.allclose(project(camera, points, distorted), theirs.reshape(50, 4, 2), atol=1e-6)


def test_undistorting_undoes_the_lens(camera: Camera, points: np.ndarray) -> None:
    seen = project(camera, points, distorted=True)
    ideal = project(camera, points)
    assert np.abs(seen - ideal).max() > 2, "the lens bends by pixels"
    assert np.allclose(undistort_points(camera, seen), ideal, atol=1e-6)
    assert np.allclose(distort_points(camera, ideal), seen, atol=1e-9)


def test_projection_matrix_agrees(camera: Camera, points: np.ndarray) -> None:
    flat = np.concatenate([points.reshape(-1, 3), np.ones((200, 1))], axis=1) @ camera.projection.T
    assert np.allclose(flat[:, :2] / flat[:, 2:], project(camera, points).reshape(-1, 2))


def test_unseen_stays_unseen(camera: Camera) -> None:
    xy = np.array([[100.0, 200.0], [np.nan, np.nan]])
    out = undistort_points(camera, xy)
    assert np.isfinite(out[0]).all()
    assert np.isnan(out[1]).all()


def test_behind_the_camera_is_not_in_the_picture(camera: Camera) -> None:
    behind = camera.position - camera.rotation[2]
    assert np.isnan(project(camera, behind)).all()
    assert np.isfinite(project(camera, camera.position + camera.rotation[2])).all()
