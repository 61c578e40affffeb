"""The table: a reference solved again for each target of a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Table:
    """V entries of T frames in the technique's own world: it faces +x, starts near the origin, floor at z = 0.

    ``uv`` (V, 2) grid coordinates in -1..1; ``targets`` (V, 3) m; ``qpos`` (V, T, 7 + n); ``contacts`` (T, S) bool;
    ``hit_error`` (V,) m at the impact frame. ``start_s`` is frame 0 on the take's common clock, ``world`` (4, 4)
    maps the rig's world to this one.
    """

    technique: str
    body: str
    body_hash: str
    fps: float
    start_s: float
    joints: tuple[str, ...]
    soles: tuple[str, ...]
    striker: str
    impact_frame: int
    events: dict[str, float]
    uv: np.ndarray
    targets: np.ndarray
    qpos: np.ndarray
    contacts: np.ndarray
    hit_error: np.ndarray
    world: np.ndarray
