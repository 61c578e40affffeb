"""Motions for targets between the entries of a table."""

from __future__ import annotations

import numpy as np

from studio.domain import rotations
from studio.schema.variants import Table


def interpolate(table: Table, uv: np.ndarray) -> np.ndarray:
    """(N, T, nq) bilinear between the four entries around each ``uv`` (N, 2), clamped to the grid.

    Hinges and root position are linear, the root quaternion is a normalised blend of sign-aligned neighbours. Raises
    ``ValueError`` when the table is not a full grid.
    """
    return blend(table, entry_weights(table.uv, np.atleast_2d(uv)))


def entry_weights(grid: np.ndarray, uv: np.ndarray) -> np.ndarray:
    """(N, V) shares of the entries at ``grid`` (V, 2) for ``uv`` (N, 2); each row adds up to 1."""
    ticks = [np.unique(grid[:, k]) for k in range(2)]
    if len(grid) != len(ticks[0]) * len(ticks[1]):
        raise ValueError("the entries of the table do not form a full grid")
    rows, columns = (_hat(ticks[k], uv[:, k]) for k in range(2))
    cell = [np.searchsorted(ticks[k], grid[:, k]) for k in range(2)]
    return rows[:, cell[0]] * columns[:, cell[1]]


def blend(table: Table, weights: np.ndarray) -> np.ndarray:
    """(N, T, nq) from ``weights`` (N, V)."""
    mixed = np.einsum("nv,vtq->ntq", weights, table.qpos)
    turns = table.qpos[:, :, 3:7]
    signs = np.sign(np.einsum("vtq,tq->vt", turns, turns[len(turns) // 2]))[..., None]
    mixed[:, :, 3:7] = rotations.normalise(np.einsum("nv,vtq->ntq", weights, turns * np.where(signs < 0, -1.0, 1.0)))
    return mixed


def _hat(ticks: np.ndarray, value: np.ndarray) -> np.ndarray:
    """(N, len(ticks)) shares of the two ticks around each value."""
    value = np.clip(value, ticks[0], ticks[-1])
    shares = np.zeros((len(value), len(ticks)))
    right = np.clip(np.searchsorted(ticks, value), 1, max(len(ticks) - 1, 1)) if len(ticks) > 1 else None
    if right is None:
        shares[:, 0] = 1.0
        return shares
    rows, left = np.arange(len(value)), right - 1
    share = (value - ticks[left]) / (ticks[right] - ticks[left])
    shares[rows, left], shares[rows, right] = 1 - share, share
    return shares
