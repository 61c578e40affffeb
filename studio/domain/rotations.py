"""Rotations as arrays: quaternions w x y z, rotation vectors, matrices; everything works on leading axes."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Hamilton product (..., 4): first ``b``, then ``a``."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: np.ndarray) -> np.ndarray:
    """Inverse of unit quaternions (..., 4)."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def normalise(q: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4); a zero quaternion becomes the identity."""
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    identity = np.zeros_like(q)
    identity[..., 0] = 1.0
    return np.where(norm > 1e-12, q / np.maximum(norm, 1e-12), identity)


def exp(vector: np.ndarray) -> np.ndarray:
    """Rotation vectors (..., 3) rad to quaternions (..., 4)."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    half_sinc = np.where(angle > 1e-8, np.sin(angle / 2) / np.maximum(angle, 1e-8), 0.5)
    return np.concatenate([np.cos(angle / 2), vector * half_sinc], axis=-1)


def log(q: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) to the shortest rotation vectors (..., 3) rad."""
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., :1])
    return q[..., 1:] * np.where(sine > 1e-8, angle / np.maximum(sine, 1e-8), 2.0)


def to_matrix(q: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) to matrices (..., 3, 3)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(matrix: np.ndarray) -> np.ndarray:
    """Matrices (..., 3, 3) to quaternions (..., 4) with w >= 0."""
    flat = Rotation.from_matrix(matrix.reshape(-1, 3, 3)).as_quat(canonical=True, scalar_first=True)
    return flat.reshape(*matrix.shape[:-2], 4)


def matrix_log(matrix: np.ndarray) -> np.ndarray:
    """Matrices (..., 3, 3) to rotation vectors (..., 3) rad."""
    return Rotation.from_matrix(matrix.reshape(-1, 3, 3)).as_rotvec().reshape(*matrix.shape[:-2], 3)


def about_z(angle: float | np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) of turns about the vertical (rad)."""
    half = np.asarray(angle) / 2
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, zero, np.sin(half)], axis=-1)


def continuous(q: np.ndarray) -> np.ndarray:
    """(T, 4) with signs such that neighbours lie on the same half of the sphere."""
    flips = np.sum(q[1:] * q[:-1], axis=-1) < 0
    signs = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2, -1.0, 1.0)])
    return q * signs[:, None]


def heading(q: np.ndarray) -> np.ndarray:
    """(...,) rad, where the rotated x axis points on the floor."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))
