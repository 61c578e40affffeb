"""A soft shadow on the floor: the figure seen along the light from below, blurred, laid on the floor."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from studio.domain.cameras.mujoco_camera import aim_parallel

_SIZE = 224
"""Pixels of the light's picture, each way."""
_HALF, _NEAR, _DEPTH = 1.8, 0.05, 11.2
"""m: half of the square that the light sees, and from where to where along it."""
_BANDS = ((0.0, 0.35, 0.012), (0.30, 1.0, 0.03), (0.9, 4.0, 0.06))
"""Distance from the floor along the light (m, from and to), and the blur (m) of what lies there."""


@dataclass(frozen=True, eq=False)
class _Light:
    towards: np.ndarray
    centre: np.ndarray
    bands: tuple[tuple[float, float, float], ...]


class ShadowCaster:
    """Casts the shadow of what the scene holds; uses the drawing context of its owner, who names the ``pose``."""

    def __init__(self, scene: mujoco.MjvScene, drawing: mujoco.MjrContext) -> None:
        self._scene, self._drawing = scene, drawing
        self.pose = b""
        self._masks: dict[tuple, np.ndarray] = {}

    def cast(self, image: np.ndarray, size: tuple[int, int], key: np.ndarray, root: np.ndarray) -> np.ndarray:
        """(H, W) float32 0..1 how much of the light is kept from the floor.

        ``image`` (3, 3) maps floor metres to pixels, ``size`` is the picture's width and height, ``key`` (3,) points to
        the key light, ``root`` (3,) m is where the figure is. The sky's share comes from straight above and is felt
        only close to the floor.
        """
        ground = np.array([root[0], root[1], 0.0])
        direct = self._one(image, size, _Light(key, ground + key * 0.6, _BANDS))
        sky = self._one(image, size, _Light(np.array([0.0, 0.0, 1.0]), ground, ((0.0, 0.22, 0.07),)))
        return 1 - (1 - 0.75 * direct) * (1 - 0.6 * sky)

    def _one(self, image: np.ndarray, size: tuple[int, int], light: _Light) -> np.ndarray:
        import cv2

        rotation = _looking_along(light.towards)
        mask = self._mask(light, rotation)
        plane_to_image = image @ np.linalg.inv(_floor_to_plane(rotation, light.centre))
        return cv2.warpPerspective(mask, plane_to_image, size, flags=cv2.INTER_LINEAR)

    def _mask(self, light: _Light, rotation: np.ndarray) -> np.ndarray:
        """(S, S) float32 the blurred shadow as the light sees it; kept for another view of the same pose."""
        import cv2

        key = (self.pose, *light.towards, *light.centre)
        if key in self._masks:
            return self._masks[key]
        depth = self._depth(rotation, light.centre)
        mask = np.zeros((_SIZE, _SIZE), np.float32)
        above = depth - _floor_depth(rotation, light.centre)
        for start, end, blur in light.bands:
            part = ((depth < _DEPTH * 0.999) & (above >= start - 0.1 * (start == 0)) & (above < end)).astype(np.float32)
            mask = np.maximum(mask, cv2.GaussianBlur(part, (0, 0), blur / (2 * _HALF) * _SIZE))
        while len(self._masks) > 4:
            self._masks.pop(next(iter(self._masks)))
        self._masks[key] = mask
        return mask

    def _depth(self, rotation: np.ndarray, centre: np.ndarray) -> np.ndarray:
        """(S, S) m along the light from the camera's plane, rows downwards."""
        rect = mujoco.MjrRect(0, 0, _SIZE, _SIZE)
        depth = np.empty((_SIZE, _SIZE), np.float32)
        aim_parallel(self._scene, rotation, centre, half=_HALF, near=_NEAR, depth=_DEPTH)
        self._scene.nlight = 0
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 0
        mujoco.mjr_render(rect, self._scene, self._drawing)
        mujoco.mjr_readPixels(None, depth, rect, self._drawing)
        return (_NEAR + depth * (_DEPTH - _NEAR))[::-1]


def _looking_along(direction: np.ndarray) -> np.ndarray:
    """(3, 3) rows right, down, forward of a camera that looks along a direction that points upwards."""
    forward = direction / np.linalg.norm(direction)
    right = np.cross(forward, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward])


def _floor_to_plane(rotation: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """(3, 3) floor metres (x, y, 1) to pixels of the light's picture."""
    scale = _SIZE / (2 * _HALF)
    rows = [[*(rotation[k, :2] * scale), (-rotation[k] @ centre) * scale + _SIZE / 2 - 0.5] for k in (0, 1)]
    return np.array([*rows, [0.0, 0.0, 1.0]])


def _floor_depth(rotation: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """(S, S) m along the light from the camera's plane to the floor, for each pixel of the light's picture."""
    steps = (np.arange(_SIZE) + 0.5) / _SIZE * 2 * _HALF - _HALF
    right, down = np.meshgrid(steps, steps)
    start = centre - rotation[2] * _DEPTH / 2
    heights = start[2] + right * rotation[0, 2] + down * rotation[1, 2]
    return -heights / rotation[2, 2]
