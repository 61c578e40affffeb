"""A phone's frame as a pinhole would have seen it, at the size of the pane it is shown in."""

from __future__ import annotations

import numpy as np

from studio.domain.cameras.mujoco_camera import letterbox, letterboxed, scaled
from studio.domain.picture.framing import Crop, cropped, whole
from studio.schema.camera import Camera


class UndistortedView:
    """Shows frames of one camera in a pane of ``width`` x ``height`` px, letterboxed over ``back`` (RGB).

    ``crop`` shows only that part of the picture. The frame is shrunk first (area average) and then straightened once;
    the maps are made once. ``camera`` is the pinhole through which the fighter beside it must be drawn.
    """

    def __init__(
        self, camera: Camera, width: int, height: int, back: tuple[int, int, int] = (0, 0, 0), crop: Crop | None = None
    ) -> None:
        import cv2

        crop = crop or whole(camera)
        self.camera = letterboxed(cropped(camera, crop), width, height)
        self.back = back
        scale = min(width / crop.width, height / crop.height, 1.0)
        self._size = (max(1, round(camera.width * scale)), max(1, round(camera.height * scale)))
        seen = scaled(camera, *self._size)
        across, down = cv2.initUndistortRectifyMap(
            seen.matrix, seen.distortion, np.eye(3), self.camera.matrix, (width, height), cv2.CV_32FC1
        )
        # Beside the picture a strong lens folds back on itself; nothing is shown there.
        left, top, right, bottom = picture_box(crop, width, height)
        u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        across[(u < left) | (u > right) | (v < top) | (v > bottom)] = -10.0
        self._maps = cv2.convertMaps(across, down, cv2.CV_16SC2)

    def show(self, frame: np.ndarray) -> np.ndarray:
        """(height, width, 3) uint8 RGB of an upright frame (H, W, 3) uint8 RGB of this camera."""
        import cv2

        small = cv2.resize(frame, self._size, interpolation=cv2.INTER_AREA)
        return cv2.remap(small, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=self.back)


def picture_box(crop: Crop, width: int, height: int) -> tuple[float, float, float, float]:
    """Left, top, right and bottom edge (px) of a letterboxed picture in its pane."""
    _, left, top = letterbox((crop.width, crop.height), (width, height))
    return left, top, width - left, height - top
