"""The two phones of the sample on their tripods, and the calibration that states them."""

from __future__ import annotations

import numpy as np
import tomli_w
from scipy.spatial.transform import Rotation

from studio.domain.cameras.mujoco_camera import FreeCamera
from studio.schema.camera import Camera, Rig
from studio.schema.take import Sync

WIDTH, HEIGHT, FPS = 720, 1280, 60.0
FOCAL_PX = 1500.0
"""The narrower lens of a phone, held upright; the man fills two thirds of the picture."""

LENSES = {"a": (0.030, -0.010, 0.0006, -0.0004), "b": (0.022, -0.006, -0.0005, 0.0005)}
"""k1 k2 p1 p2: up to 8 px in the corners."""

PLACES = {"a": (-58.0, 3.30, 1.35), "b": (14.0, 3.30, 1.35)}
"""Where each stands: degrees about the vertical from where he faces, distance from him and height (m). 72 degrees
apart; both equally far, so that what sounds half-way between them reaches both at once."""

AIM_HEIGHT = 0.92
LATE_S = {"a": 0.0, "b": 0.037}
"""How much later (s) each phone's own clock reads than the common one, which is that of phone "a"."""

SYNC = Sync("declared", {"b": LATE_S["b"]}, None)
CLAPPER = (-22.0, 3.45, 1.20)
"""Who claps stands half-way between the phones, as :data:`PLACES`: equally far from both."""


def rig() -> Rig:
    """The phones as they are; phone "a" first."""
    return Rig(tuple(_camera(phone) for phone in PLACES))


def calibration() -> str:
    """The same phones as a Pose2Sim calibration."""
    tables = {
        camera.phone: {
            "name": camera.phone,
            "size": [float(camera.width), float(camera.height)],
            "matrix": camera.matrix.tolist(),
            "distortions": camera.distortion.tolist(),
            "rotation": Rotation.from_matrix(camera.rotation).as_rotvec().tolist(),
            "translation": camera.translation.tolist(),
            "fisheye": False,
        }
        for camera in rig().cameras
    }
    return tomli_w.dumps({**tables, "metadata": {"adjusted": False, "error": 0.0}})


def clap_way_m(phone: str) -> float:
    """Metres from the clapper to a phone."""
    return float(np.linalg.norm(_place(*CLAPPER) - _place(*PLACES[phone])))


def _camera(phone: str) -> Camera:
    azimuth, distance, height = PLACES[phone]
    away = np.hypot(distance, height - AIM_HEIGHT)
    down = np.degrees(np.arctan2(height - AIM_HEIGHT, distance))
    free = FreeCamera((0.0, 0.0, AIM_HEIGHT), float(away), azimuth + 180.0, -float(down))
    pinhole = free.camera(WIDTH, HEIGHT)
    matrix = pinhole.matrix.copy()
    matrix[0, 0] = matrix[1, 1] = FOCAL_PX
    lens = np.array(LENSES[phone])
    return Camera(phone, WIDTH, HEIGHT, matrix, lens, pinhole.rotation, pinhole.translation)


def _place(azimuth: float, distance: float, height: float) -> np.ndarray:
    turn = np.radians(azimuth)
    return np.array([distance * np.cos(turn), distance * np.sin(turn), height])
