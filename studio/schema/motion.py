"""Motion of a named body, the fit that found it, and what a fighter makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Motion:
    """``qpos`` (T, 7 + n): root position m, root quaternion w x y z, then the hinge angles (rad) named in ``joints``.

    Frame k is at ``start_s + k / fps`` on the take's common clock. World of the rig: z up, floor at z = 0.
    """

    body: str
    body_hash: str
    fps: float
    start_s: float
    joints: tuple[str, ...]
    qpos: np.ndarray

    @property
    def frames(self) -> int:
        return len(self.qpos)

    @property
    def times(self) -> np.ndarray:
        """(T,) s on the common clock."""
        return self.start_s + np.arange(len(self.qpos)) / self.fps


@dataclass(frozen=True, eq=False)
class SkeletonFit:
    """Result of stage 4: the coach's motion and, per marker, how well it is explained.

    ``qpos`` (T, 7 + n); ``residual`` (T, K) m, NaN where the marker was not seen; ``rejected`` (T, K) bool, the robust
    loss gave it less than half weight; ``offsets`` (K, 3) m, marker places found, in the frame of their part.
    """

    body: str
    body_hash: str
    fps: float
    start_s: float
    joints: tuple[str, ...]
    markers: tuple[str, ...]
    qpos: np.ndarray
    residual: np.ndarray
    rejected: np.ndarray
    offsets: np.ndarray

    @property
    def motion(self) -> Motion:
        return Motion(self.body, self.body_hash, self.fps, self.start_s, self.joints, self.qpos)


@dataclass(frozen=True, eq=False)
class Retarget:
    """Result of stage 5: the fighter's motion with its feet locked, the copy before the lock, and the contacts.

    ``qpos``, ``copied`` (T, 7 + n); ``contacts`` (T, S) bool per sole point; ``root_scale`` = fighter leg / coach leg.
    He stands on z = 0; ``floor_m`` is how high that floor lies in the rig's world.
    """

    body: str
    body_hash: str
    fps: float
    start_s: float
    joints: tuple[str, ...]
    soles: tuple[str, ...]
    root_scale: float
    qpos: np.ndarray
    copied: np.ndarray
    contacts: np.ndarray
    floor_m: float = 0.0

    @property
    def motion(self) -> Motion:
        return Motion(self.body, self.body_hash, self.fps, self.start_s, self.joints, self.qpos)
