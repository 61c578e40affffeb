"""Bilinear weights over the entries of a table, for any target between them."""

from __future__ import annotations

import numpy as np

from studio.schema.errors import StudioError


def blend_weights(entries: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each wanted place the four surrounding entries and their weights, which sum to 1.

    ``entries`` (V, 2) grid coordinates of a full rectangular grid in any order (V may be 1); ``wanted`` (N, 2),
    clipped to the grid. Returns ``index`` (N, 4) int and ``weight`` (N, 4). Raises :class:`StudioError` for a grid
    with holes.
    """
    entries = np.asarray(entries, float)
    axes = [np.unique(entries[:, i].round(6)) for i in range(2)]
    lookup = _lookup(entries, axes)
    low, share = zip(*(_cell(axis, np.asarray(wanted, float)[:, i]) for i, axis in enumerate(axes)), strict=True)
    index, weight = [], []
    for du in (0, 1):
        for dv in (0, 1):
            u = np.minimum(low[0] + du, len(axes[0]) - 1)
            v = np.minimum(low[1] + dv, len(axes[1]) - 1)
            index.append(lookup[u, v])
            weight.append(np.where(du, share[0], 1 - share[0]) * np.where(dv, share[1], 1 - share[1]))
    return np.stack(index, 1), np.stack(weight, 1)


def blend(arrays: np.ndarray, index: np.ndarray, weight: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """(N, D): rows (V, T, D) at ``frame`` (N,) mixed by ``index`` and ``weight`` (N, 4)."""
    return np.einsum("nk,nkd->nd", weight, arrays[index, frame[:, None]])


def _lookup(entries: np.ndarray, axes: list[np.ndarray]) -> np.ndarray:
    table = np.full((len(axes[0]), len(axes[1])), -1)
    for number, place in enumerate(entries):
        i, j = (int(np.argmin(np.abs(axis - value))) for axis, value in zip(axes, place, strict=True))
        table[i, j] = number
    if (table < 0).any() or table.size != len(entries):
        raise StudioError(
            "This table cannot be practised", "its targets are not a full grid", "Run stage 6 (Variants) again"
        )
    return table


def _cell(axis: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if len(axis) == 1:
        return np.zeros(len(value), int), np.zeros(len(value))
    value = np.clip(value, axis[0], axis[-1])
    low = np.clip(np.searchsorted(axis, value, side="right") - 1, 0, len(axis) - 2)
    return low, (value - axis[low]) / (axis[low + 1] - axis[low])
