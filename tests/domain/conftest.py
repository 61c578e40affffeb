"""A synthetic person who walks on the spot and kicks, virtual phones that film him, a real kick. Truth is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from motions import Truth, read_kick
from scipy.spatial.transform import Rotation

from studio.domain.cameras.calibration import read_calibration, to_rig
from studio.domain.cameras.undistort import project
from studio.domain.pose.mapping import blazepose_to_halpe
from studio.schema.camera import Camera, Rig
from studio.schema.keypoints import INDEX, Keypoints

FPS = 60.0


def _about_y(angle: np.ndarray) -> Rotation:
    return Rotation.from_rotvec(angle[:, None] * [0.0, 1.0, 0.0])


def kicker(times: np.ndarray) -> np.ndarray:
    """(T, 26, 3) m at ``times``: steps on the spot, turns and kicks with the right leg at 1.2 s; faces +x."""
    xyz = np.full((len(times), 26, 3), np.nan)
    kick = np.exp(-(((times - 1.2) / 0.13) ** 2))
    step = np.sin(2 * np.pi * times)
    hips = Rotation.from_euler("zy", np.stack([1.0 * kick, -0.35 * kick], axis=1))
    chest = Rotation.from_euler("zy", np.stack([0.4 * kick, -0.3 * kick], axis=1))
    pelvis = np.stack([0.05 * step, 0.03 * np.cos(2 * np.pi * times), 0.93 + 0.02 * step**2], axis=1)

    def put(name: str, place: np.ndarray) -> np.ndarray:
        xyz[:, INDEX[name]] = place
        return place

    put("Hip", pelvis)
    neck = put("Neck", pelvis + chest.apply([0.0, 0.0, 0.5]))
    put("Nose", neck + chest.apply([0.11, 0.0, 0.15]))
    put("Head", neck + chest.apply([0.0, 0.0, 0.28]))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        flexion = 0.35 + 0.3 * sign * step + (1.5 * kick if side == "R" else 0.0)
        bend = 0.5 + 0.3 * sign * step + (0.6 * np.exp(-(((times - 1.08) / 0.1) ** 2)) if side == "R" else 0.0)
        thigh = hips * _about_y(-flexion)
        shank = thigh * _about_y(bend)
        knee = put(
            f"{side}Knee", put(f"{side}Hip", pelvis + hips.apply([0, 0.1 * sign, 0])) + thigh.apply([0, 0, -0.4])
        )
        ankle = put(f"{side}Ankle", knee + shank.apply([0.0, 0.0, -0.4]))
        put(f"{side}Heel", ankle + shank.apply([-0.05, 0.0, -0.07]))
        put(f"{side}BigToe", ankle + shank.apply([0.17, -0.02 * sign, -0.07]))
        put(f"{side}SmallToe", ankle + shank.apply([0.15, 0.05 * sign, -0.07]))
        shoulder = put(f"{side}Shoulder", neck + chest.apply([0.0, 0.17 * sign, -0.03]))
        elbow = put(f"{side}Elbow", shoulder + chest.apply([0.1, 0.05 * sign, -0.26]))
        put(f"{side}Wrist", elbow + chest.apply([0.15, -0.1 * sign, 0.2 + 0.05 * sign]))
    return xyz


def phone(name: str, azimuth_deg: float, distance: float = 3.6) -> Camera:
    """A portrait phone 1.4 m high that looks at the middle of the person."""
    angle = np.radians(azimuth_deg)
    position = np.array([distance * np.cos(angle), distance * np.sin(angle), 1.4])
    z = np.array([0.0, 0.0, 0.95]) - position
    z /= np.linalg.norm(z)
    x = np.cross(z, [0.0, 0.0, 1.0])
    x /= np.linalg.norm(x)
    rotation = np.stack([x, np.cross(z, x), z])
    matrix = np.array([[1480.0, 0.0, 540.0], [0.0, 1480.0, 960.0], [0.0, 0.0, 1.0]])
    return Camera(name, 1080, 1920, matrix, np.array([0.03, -0.05, 1e-3, -1e-3]), rotation, -rotation @ position)


def film(
    rig: Rig,
    seed: int = 0,
    *,
    seconds: float = 2.0,
    noise_px: float = 3.0,
    opinion_px: float = 3.0,
    late_frames: tuple[float, ...] = (),
    motion: Callable[[np.ndarray], np.ndarray] = kicker,
) -> tuple[Keypoints, ...]:
    """Keypoints of every phone: noise from frame to frame, and a constant opinion of where each point is.
    ``late_frames``: how much later than phone "a" each phone takes its frames; its own clock says so."""
    rng = np.random.default_rng(seed)
    found = []
    for camera, late in zip(rig.cameras, late_frames or (0.0,) * len(rig.cameras), strict=True):
        times = (np.arange(round(seconds * FPS)) + late) / FPS
        xy = project(camera, motion(times), distorted=True)
        xy += rng.normal(0, noise_px, xy.shape) + rng.normal(0, opinion_px, (1, *xy.shape[1:]))
        seen = np.isfinite(xy).all(axis=-1)
        found.append(Keypoints(camera.phone, "synthetic", times, xy, np.where(seen, 0.9, 0.0)))
    return tuple(found)


@pytest.fixture(name="film")
def film_fixture() -> Callable[..., tuple[Keypoints, ...]]:
    return film


@pytest.fixture(name="kicker")
def kicker_fixture() -> Callable[[np.ndarray], np.ndarray]:
    return kicker


@pytest.fixture
def phones() -> Callable[..., Rig]:
    """``phones(30, 100)``: a rig of phones "a", "b", ... at these azimuths (deg)."""
    return lambda *azimuths: Rig(tuple(phone("abcdefgh"[i], a) for i, a in enumerate(azimuths)))


@pytest.fixture
def demo_rig(shared: Path) -> Callable[[str], Rig]:
    """The four cameras of Pose2Sim's demo with their "original" (biased) or "refined" calibration."""

    def read(which: str) -> Rig:
        cameras = read_calibration(shared / "two_view" / f"calib_{which}.toml")
        return to_rig({c.name: c for c in cameras}, {c.name: (c.width, c.height) for c in cameras})

    return read


@pytest.fixture
def demo_keypoints(shared: Path) -> Callable[..., tuple[Keypoints, ...]]:
    """``demo_keypoints("full", "cam01", "cam02")``: stored landmarks of a BlazePose model as HALPE_26."""

    def read(model: str, *names: str) -> tuple[Keypoints, ...]:
        with np.load(shared / "two_view" / f"blazepose_{model}.npz") as stored:
            clips = [(name, [blazepose_to_halpe(frame) for frame in stored[name].astype(float)]) for name in names]
        return tuple(
            Keypoints(name, model, np.arange(len(c)) / FPS, np.stack([x for x, _ in c]), np.stack([w for _, w in c]))
            for name, c in clips
        )

    return read


@pytest.fixture(scope="session")
def kick(shared: Path) -> Truth:
    """A real kick with known joint angles."""
    return read_kick(shared / "mocap" / "deepmimic_kick.txt")
