"""The technique's own world: it faces +x, starts at the origin, and stands on z = 0."""

from __future__ import annotations

import numpy as np

from studio.domain import rotations


def technique_world(first: np.ndarray, heading_deg: float) -> np.ndarray:
    """(4, 4) from the rig's world: a turn by ``heading_deg`` about z that also brings the root of pose ``first`` (nq,)
    to x = y = 0."""
    turn = rotations.to_matrix(rotations.about_z(np.radians(heading_deg)))
    world = np.eye(4)
    world[:3, :3] = turn
    world[:2, 3] = -(turn @ first[:3])[:2]
    return world


def moved(qpos: np.ndarray, world: np.ndarray) -> np.ndarray:
    """(T, nq) poses carried along by ``world`` (4, 4)."""
    out = qpos.copy()
    out[:, :3] = qpos[:, :3] @ world[:3, :3].T + world[:3, 3]
    turn = rotations.from_matrix(world[:3, :3])
    out[:, 3:7] = rotations.continuous(rotations.multiply(np.broadcast_to(turn, (len(qpos), 4)), qpos[:, 3:7]))
    return out
