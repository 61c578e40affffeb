"""The floor behind the fighter: a grid every half metre that fades with the distance, drawn exactly, without OpenGL.

Only its shadow changes from frame to frame, so a floor is computed once per camera and darkened per frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.domain.picture.palette import Floor
from studio.schema.camera import Camera

STEP = 0.5
LINE_PX = 1.1
FADE = (2.0, 5.0)


@dataclass(frozen=True, eq=False)
class FloorView:
    """``back`` and ``floor`` (H, W, 3) float32: what is always seen, and what a shadow darkens. ``image`` (3, 3) maps
    floor metres (x, y, 1) to pixels."""

    back: np.ndarray
    floor: np.ndarray
    image: np.ndarray

    def shaded(self, shadow: np.ndarray | None, strength: float) -> np.ndarray:
        """(H, W, 3) float32 picture. ``shadow`` (H, W) 0..1, 1 where no light comes; ``strength`` how dark that is."""
        if shadow is None:
            return self.back + self.floor
        return self.back + self.floor * (1 - strength * shadow)[..., None]


def floor_view(camera: Camera, centre: tuple[float, float], palette: Floor) -> FloorView:
    """The floor z = 0 seen by an undistorted camera, fading round ``centre`` (m)."""
    u, v = np.meshgrid(np.arange(camera.width, dtype=np.float32), np.arange(camera.height, dtype=np.float32))
    rays = np.stack(
        [
            (u - camera.matrix[0, 2]) / camera.matrix[0, 0],
            (v - camera.matrix[1, 2]) / camera.matrix[1, 1],
            np.ones_like(u),
        ],
        axis=-1,
    ) @ camera.rotation.astype(np.float32)
    down = np.where(np.abs(rays[..., 2]) < 1e-6, 1e-6, rays[..., 2])
    reach = -camera.position[2] / down
    seen = (reach > 0) & (reach < 80)
    ground = camera.position[:2].astype(np.float32) + rays[..., :2] * np.where(seen, reach, 0)[..., None]
    away = np.hypot(ground[..., 0] - centre[0], ground[..., 1] - centre[1])
    fade = np.where(seen, np.clip(1 - (away - FADE[0]) / (FADE[1] - FADE[0]), 0, 1) ** 1.6, 0)[..., None]
    lines = _line_cover(ground)[..., None]
    back, floor, line = (np.array(c, np.float32) for c in (palette.back, palette.floor, palette.line))
    lit = floor * (1 - lines) + line * lines
    image = camera.matrix @ np.column_stack([camera.rotation[:, :2], camera.translation])
    return FloorView((back * (1 - fade)).astype(np.float32), (lit * fade).astype(np.float32), image)


def _line_cover(ground: np.ndarray) -> np.ndarray:
    """(H, W) how much of each pixel the grid's lines cover; lines that crowd vanish instead of flickering."""
    cover = np.zeros(ground.shape[:2], np.float32)
    for axis in (0, 1):
        cells = ground[..., axis] / STEP
        slope = np.hypot(np.gradient(cells, axis=0), np.gradient(cells, axis=1)) + 1e-9
        distance_px = np.abs(cells - np.round(cells)) / slope
        crowd = np.clip(1.4 - slope * 5, 0, 1)
        cover = np.maximum(cover, np.clip(LINE_PX / 2 + 0.5 - distance_px, 0, 1) * crowd)
    return cover
