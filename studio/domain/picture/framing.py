"""Which part of a phone's picture is worth showing: where the technique happens, the same for video and fighter."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np

from studio.domain.cameras.undistort import project
from studio.schema.camera import Camera

MARGIN = 0.16
SMALLEST = 0.45
"""Share of the action's size left free round it, and the least share of the picture's width that is shown."""


@dataclass(frozen=True)
class Crop:
    """A rectangle of a picture, px."""

    left: int
    top: int
    width: int
    height: int


def whole(camera: Camera) -> Crop:
    """All of the picture."""
    return Crop(0, 0, camera.width, camera.height)


def cropped(camera: Camera, crop: Crop) -> Camera:
    """The camera of that part of the picture; its distortion stays with the pixels it belongs to."""
    matrix = np.array(camera.matrix, float)
    matrix[:2, 2] -= (crop.left, crop.top)
    return replace(camera, matrix=matrix, width=crop.width, height=crop.height)


def action_points(model: mujoco.MjModel, qpos: np.ndarray) -> np.ndarray:
    """(N, 3) m where the parts of the body are over a motion (T, nq), every fourth frame."""
    data, places = mujoco.MjData(model), []
    for state in qpos[::4]:
        data.qpos[:] = state
        mujoco.mj_kinematics(model, data)
        places.append(data.xpos[1:].copy())
    return np.concatenate(places)


def frame_action(camera: Camera, points: np.ndarray) -> Crop:
    """The part of the picture with all the points (N, 3) m in it and room round them; the whole where none is seen.

    The crop keeps within the picture and is never taller than 1.25 times its width nor flatter than square, unless the
    picture ends there.
    """
    xy = project(camera, points)
    xy = xy[np.isfinite(xy).all(axis=1)]
    if not len(xy):
        return whole(camera)
    low, high = xy.min(axis=0), xy.max(axis=0)
    room = MARGIN * max(high - low)
    low, high = low - (room, room * 1.2), high + room
    width = max(high[0] - low[0], SMALLEST * camera.width)
    height = max(high[1] - low[1], width)
    width = max(width, height / 1.25)
    left, right = _within((low[0] + high[0]) / 2, width, camera.width)
    top, bottom = _within((low[1] + high[1]) / 2, height, camera.height)
    return Crop(left, top, right - left, bottom - top)


def _within(middle: float, size: float, end: int) -> tuple[int, int]:
    """A stretch of ``size`` round ``middle``, moved and cut to lie within 0 and ``end``."""
    size = min(size, end)
    start = min(max(middle - size / 2, 0), end - size)
    return round(start), round(start + size)
