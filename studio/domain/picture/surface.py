"""Round parts grown together into one smooth surface: a distance field on a grid, meshed by surface nets.

Surface nets: Gibson 1998, "Constrained elastic surface nets" (the naive form: one vertex per cell, at the mean of where
its edges cross the surface).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.ndimage import gaussian_filter, map_coordinates
from scipy.spatial import ConvexHull

from studio.domain.picture.hull import Ball, Surface, ball_points

CELL = 0.021
BLEND = 0.018
"""m: edge of a grid cell, and how far from each other two parts begin to flow together."""


def grown_together(pieces: Sequence[tuple[Sequence[Ball], tuple[float, float, float]]], cell: float = CELL) -> Surface:
    """One closed surface round several hulls of balls (each with its stretch), smooth where they meet."""
    hulls = [ConvexHull(ball_points(balls, stretch)) for balls, stretch in pieces]
    corners = np.concatenate([hull.points for hull in hulls])
    low, high = corners.min(axis=0) - 3 * cell, corners.max(axis=0) + 3 * cell
    axes = [np.arange(a, b, cell) for a, b in zip(low, high, strict=True)]
    field = _outside(axes, hulls[0])
    for hull in hulls[1:]:
        field = _smooth_minimum(field, _outside(axes, hull), BLEND)
    field = gaussian_filter(field, 0.6)
    vertices, faces = surface_nets(field)
    slopes = np.stack([map_coordinates(g, vertices.T, order=1) for g in np.gradient(field)], axis=1)
    return Surface(low + vertices * cell, slopes / np.linalg.norm(slopes, axis=1, keepdims=True), faces)


def surface_nets(field: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a (X, Y, Z) field crosses 0: vertices (V, 3) in grid units, faces (F, 3) seen from the positive side."""
    inside = field < 0
    cells = tuple(n - 1 for n in field.shape)
    total, count = np.zeros((*cells, 3)), np.zeros(cells)
    for axis in range(3):
        crossing, place = _crossings(field, inside, axis)
        for shift in product((0, 1), repeat=2):
            window = [slice(0, n) for n in cells]
            offset = np.zeros(3)
            for other, step in zip([k for k in range(3) if k != axis], shift, strict=True):
                window[other] = slice(step, step + cells[other])
                offset[other] = step
            mask = crossing[tuple(window)]
            count += mask
            total += np.where(mask[..., None], offset, 0)
            total[..., axis] += np.where(mask, place[tuple(window)], 0)
    active = count > 0
    index = np.full(cells, -1)
    index[active] = np.arange(active.sum())
    vertices = np.argwhere(active) + total[active] / count[active][:, None]
    return vertices, np.concatenate([_quads(inside, index, axis) for axis in range(3)])


def _outside(axes: Sequence[np.ndarray], hull: ConvexHull) -> np.ndarray:
    """(X, Y, Z) how far (m) outside the most violated plane of a convex hull each grid point lies, negative inside."""
    x, y, z = (axis.astype(np.float32) for axis in axes)
    distance = np.full((len(x), len(y), len(z)), -np.inf, np.float32)
    for a, b, c, offset in np.unique(np.round(hull.equations, 5), axis=0).astype(np.float32):
        flat = (x * a + offset)[:, None] + (y * b)[None]
        np.maximum(distance, flat[:, :, None] + z * c, out=distance)
    return distance.astype(float)


def _smooth_minimum(a: np.ndarray, b: np.ndarray, width: float) -> np.ndarray:
    share = np.clip(0.5 + 0.5 * (b - a) / width, 0, 1)
    return b * (1 - share) + a * share - width * share * (1 - share)


def _crossings(field: np.ndarray, inside: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges along an axis whose ends lie on different sides, and where along the edge (0..1) the surface is."""
    size = field.shape[axis]
    first, second = (np.take(field, range(k, size - 1 + k), axis) for k in (0, 1))
    crossing = np.take(inside, range(size - 1), axis) != np.take(inside, range(1, size), axis)
    span = first - second
    return crossing, np.where(crossing, first / np.where(span == 0, 1, span), 0)


def _quads(inside: np.ndarray, index: np.ndarray, axis: int) -> np.ndarray:
    """Two triangles for each crossing edge along ``axis``, between the four cells round it."""
    size = inside.shape[axis]
    first, second = (np.take(inside, range(k, size - 1 + k), axis) for k in (0, 1))
    edges = np.argwhere(first != second)
    b, c = (axis + 1) % 3, (axis + 2) % 3
    inner = (
        (edges[:, b] > 0)
        & (edges[:, c] > 0)
        & (edges[:, b] < inside.shape[b] - 1)
        & (edges[:, c] < inside.shape[c] - 1)
    )
    edges = edges[inner]
    round_it = []
    for db, dc in ((1, 1), (0, 1), (0, 0), (1, 0)):
        cell = edges.copy()
        cell[:, b] -= db
        cell[:, c] -= dc
        round_it.append(index[tuple(cell.T)])
    quad = np.stack(round_it, axis=1)
    leaving = first[tuple(edges.T)]
    quad = np.where(leaving[:, None], quad, quad[:, ::-1])
    return np.concatenate([quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]])
