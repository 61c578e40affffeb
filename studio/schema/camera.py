"""Calibrated cameras of one session."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Camera:
    """A pinhole camera with Brown-Conrady distortion, in OpenCV's convention.

    ``matrix`` (3, 3) px; ``distortion`` (4,) k1 k2 p1 p2; ``rotation`` (3, 3) and ``translation`` (3,) m map the
    rig's world (z up, floor at z = 0) to the camera. ``width`` and ``height`` are those of the upright picture.
    """

    phone: str
    width: int
    height: int
    matrix: np.ndarray
    distortion: np.ndarray
    rotation: np.ndarray
    translation: np.ndarray

    @property
    def position(self) -> np.ndarray:
        """(3,) m, the optical centre in the world."""
        return -self.rotation.T @ self.translation

    @property
    def projection(self) -> np.ndarray:
        """(3, 4) world to undistorted pixels."""
        return self.matrix @ np.column_stack([self.rotation, self.translation])


@dataclass(frozen=True, eq=False)
class Rig:
    """The cameras of a session, phone "a" first, and in words what was done to their calibration."""

    cameras: tuple[Camera, ...]
    notes: tuple[str, ...] = ()

    def camera(self, phone: str) -> Camera:
        """The camera of one phone. Raises ``KeyError``."""
        for camera in self.cameras:
            if camera.phone == phone:
                return camera
        raise KeyError(phone)
