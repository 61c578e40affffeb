"""A calibrated OpenCV camera in MuJoCo, exact to the pixel, set per frame without compiling the model again.

The picture is the undistorted one: a lens's distortion is taken out of the video, never put into the rendering.
"""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np

from studio.schema.camera import Camera


@dataclass(frozen=True)
class FreeCamera:
    """A camera turning round a point, in MuJoCo's convention.

    ``lookat`` m, ``distance`` m; ``azimuth`` and ``elevation`` in degrees are the direction in which it looks: azimuth
    90 looks along +y, a negative elevation looks down. ``fov`` is the vertical field of view in degrees.
    """

    lookat: tuple[float, float, float] = (0.0, 0.0, 0.9)
    distance: float = 3.4
    azimuth: float = 140.0
    elevation: float = -12.0
    fov: float = 36.0

    def camera(self, width: int, height: int) -> Camera:
        """The same view as a pinhole camera of ``width`` x ``height`` px."""
        azimuth, elevation = np.radians([self.azimuth, self.elevation])
        forward = np.array(
            [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
        )
        right = np.array([np.sin(azimuth), -np.cos(azimuth), 0.0])
        rotation = np.stack([right, np.cross(forward, right), forward])
        position = np.asarray(self.lookat, float) - self.distance * forward
        focal = height / 2 / np.tan(np.radians(self.fov) / 2)
        matrix = np.array([[focal, 0, width / 2 - 0.5], [0, focal, height / 2 - 0.5], [0, 0, 1]])
        return Camera("free", width, height, matrix, np.zeros(4), rotation, -rotation @ position)


def letterbox(picture: tuple[int, int], pane: tuple[int, int]) -> tuple[float, float, float]:
    """Scale, left and top edge (px) of a picture (width, height) that stands centred in a pane, as large as fits.

    Raises ``ValueError`` for a pane without an area.
    """
    if min(pane) < 1:
        raise ValueError(f"a picture needs an area, not {pane[0]} x {pane[1]}")
    scale = min(pane[0] / picture[0], pane[1] / picture[1])
    return scale, (pane[0] - picture[0] * scale) / 2, (pane[1] - picture[1] * scale) / 2


def letterboxed(camera: Camera, width: int, height: int) -> Camera:
    """The camera of a pane of ``width`` x ``height`` px in which the whole picture stands (:func:`letterbox`).

    What lies beside the picture in the pane is the same pinhole view carried on past the picture's edge. Pixel centres
    are whole numbers (OpenCV), so the principal point scales about the half pixel. Raises ``ValueError`` for no area.
    """
    scale, left, top = letterbox((camera.width, camera.height), (width, height))
    matrix = np.array(camera.matrix, float)
    matrix[0] *= scale
    matrix[1] *= scale
    matrix[0, 2] = (camera.matrix[0, 2] + 0.5) * scale - 0.5 + left
    matrix[1, 2] = (camera.matrix[1, 2] + 0.5) * scale - 0.5 + top
    return replace(camera, width=width, height=height, matrix=matrix, distortion=np.zeros(4))


def scaled(camera: Camera, width: int, height: int) -> Camera:
    """The camera of the same picture stretched to ``width`` x ``height`` px, its distortion kept."""
    sx, sy = width / camera.width, height / camera.height
    matrix = np.array(camera.matrix, float)
    matrix[0, :2] *= sx
    matrix[1, 1] *= sy
    matrix[0, 2] = (camera.matrix[0, 2] + 0.5) * sx - 0.5
    matrix[1, 2] = (camera.matrix[1, 2] + 0.5) * sy - 0.5
    return replace(camera, width=width, height=height, matrix=matrix)


def aim(scene: mujoco.MjvScene, camera: Camera, near: float = 0.05, far: float = 60.0) -> None:
    """Make the scene look through the camera, after ``mjv_updateScene``. ``near`` and ``far`` in m.

    OpenCV's pixel (0, 0) is the centre of the corner pixel, OpenGL's frustum starts at its edge: hence the half.
    Rendered points stand within 0.1 px of projected ones. Skew is not modelled.
    """
    fx, fy = camera.matrix[0, 0], camera.matrix[1, 1]
    cx, cy = camera.matrix[0, 2] + 0.5, camera.matrix[1, 2] + 0.5
    left, right = -cx * near / fx, (camera.width - cx) * near / fx
    for eye in scene.camera:
        eye.pos[:] = camera.position
        eye.forward[:] = camera.rotation[2]
        eye.up[:] = -camera.rotation[1]
        eye.orthographic = 0
        eye.frustum_near, eye.frustum_far = near, far
        eye.frustum_top, eye.frustum_bottom = cy * near / fy, -(camera.height - cy) * near / fy
        # MuJoCo's frustum_width is half of the width; any value above 0 takes the place of the viewport's aspect.
        eye.frustum_center, eye.frustum_width = (left + right) / 2, (right - left) / 2


def aim_parallel(
    scene: mujoco.MjvScene, rotation: np.ndarray, centre: np.ndarray, *, half: float, near: float, depth: float
) -> None:
    """Look along ``rotation``'s third row by parallel rays: a square of ``half`` m each way round ``centre`` (3,) m,
    from ``near`` to ``depth`` m, the centre in the middle of the depth."""
    for eye in scene.camera:
        eye.pos[:] = centre - rotation[2] * depth / 2
        eye.forward[:] = rotation[2]
        eye.up[:] = -rotation[1]
        eye.orthographic = 1
        eye.frustum_near, eye.frustum_far = near, depth
        eye.frustum_top, eye.frustum_bottom = half, -half
        eye.frustum_center, eye.frustum_width = 0.0, half
