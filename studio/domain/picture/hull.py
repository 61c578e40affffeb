"""The smooth surface round a few balls: the shape every visible part of the fighter is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.spatial import ConvexHull

Ball = tuple[tuple[float, float, float], float]
"""Centre (m) in the frame of a body, radius (m)."""


@dataclass(frozen=True, eq=False)
class Surface:
    """``vertices`` (V, 3) m, ``normals`` (V, 3) unit, ``faces`` (F, 3) counter-clockwise seen from outside."""

    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray


def wrap(balls: Sequence[Ball], stretch: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Surface:
    """Convex hull of balls (each an ellipsoid by ``stretch``), with normals that shade it smooth.

    Two balls give a tapered capsule. The normal of a vertex is the one of its own ball, so no facet shows.
    """
    points = ball_points(balls, stretch)
    normals = np.tile(_sphere() / np.asarray(stretch), (len(balls), 1))
    hull = ConvexHull(points)
    corners, faces = np.unique(hull.simplices, return_inverse=True)
    faces = faces.reshape(hull.simplices.shape)
    vertices = points[corners]
    outward = np.einsum("fi,fi->f", hull.equations[:, :3], _cross(vertices, faces))
    faces = np.where((outward < 0)[:, None], faces[:, ::-1], faces)
    kept = normals[corners]
    return Surface(vertices, kept / np.linalg.norm(kept, axis=1, keepdims=True), faces)


def ball_points(balls: Sequence[Ball], stretch: tuple[float, float, float]) -> np.ndarray:
    """(N, 3) m points on the balls, each an ellipsoid by ``stretch``."""
    scale = np.asarray(stretch)
    return np.concatenate([np.asarray(centre) + _sphere() * radius * scale for centre, radius in balls])


def _cross(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


@cache
def _sphere(rings: int = 3) -> np.ndarray:
    """(N, 3) points of an icosphere: an icosahedron's faces split ``rings`` times."""
    golden = (1 + 5**0.5) / 2
    base = np.array([[0, s, t * golden] for s in (-1, 1) for t in (-1, 1)], float)
    points = np.concatenate([np.roll(base, k, axis=1) for k in range(3)])
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    for _ in range(rings - 1):
        faces = ConvexHull(points).simplices
        middles = np.concatenate([(points[faces[:, k]] + points[faces[:, k - 1]]) / 2 for k in range(3)])
        middles /= np.linalg.norm(middles, axis=1, keepdims=True)
        points = np.unique(np.round(np.concatenate([points, middles]), 9), axis=0)
    return points / np.linalg.norm(points, axis=1, keepdims=True)
