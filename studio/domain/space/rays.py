"""Points in space from pixels of several calibrated cameras: direct linear transform, refinement, covariance.

Arrays: C cameras, M points. ``xy`` (C, M, 2) are *undistorted* pixels; ``weight`` (C, M) is 0 where a camera did not
see the point. Method: Hartley and Zisserman, Multiple View Geometry, 2nd ed., sections 12.2 (linear) and A6.2
(Gauss-Newton).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from studio.schema.camera import Camera

MIN_ANGLE_DEG = 1.0
"""Below this angle between the rays depth is unmeasured: 3 px at 1500 px focal length are 0.1 degrees, so depth would
be uncertain by a tenth of the distance."""

REFINE_STEPS = 3
"""Gauss-Newton converges quadratically; from the linear solution the third step is below a micrometre."""


def solve_points(cameras: Sequence[Camera], xy: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(M, 3) m: the points with the least weighted squared reprojection error; NaN where two distinct rays are
    missing or the point would lie behind a camera that saw it."""
    xy, weight = seen_pixels(xy, weight)
    xyz = linear_points(cameras, xy, weight)
    usable = ((weight > 0).sum(axis=0) >= 2) & finite(xyz)
    xyz = np.where(usable[:, None], xyz, 0.0)
    for _ in range(REFINE_STEPS):
        error, jacobian = reprojection(cameras, xyz, xy)
        normal, gradient = _normal_equations(error, jacobian, weight)
        step = np.linalg.solve(_regular(normal, usable), gradient[..., None])[..., 0]
        xyz = xyz + np.where(usable[:, None], step, 0.0)
    depth = np.stack([xyz @ c.rotation[2] + c.translation[2] for c in cameras])
    in_front = np.where(weight > 0, depth > 0, True).all(axis=0)
    apart = ray_angle(cameras, xyz, weight) >= np.radians(MIN_ANGLE_DEG)
    return np.where((usable & in_front & apart)[:, None], xyz, np.nan)


def seen_pixels(xy: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same arrays with weight 0 and pixel 0 wherever either says that the point was not seen."""
    seen = finite(xy) & (np.nan_to_num(weight) > 0)
    return np.where(seen[..., None], xy, 0.0), np.where(seen, weight, 0.0)


def finite(vectors: np.ndarray) -> np.ndarray:
    """(...) bool from (..., n): whether every coordinate is a number."""
    return np.asarray(np.isfinite(vectors).all(axis=-1))


def linear_points(cameras: Sequence[Camera], xy: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(M, 3) m by the direct linear transform, rows in pixels times depth and scaled by the square root of weight."""
    rows = []
    for camera, pixels, w in zip(cameras, xy, np.sqrt(weight), strict=True):
        P = camera.projection / np.linalg.norm(camera.projection[2, :3])
        rows += [w[:, None] * (pixels[:, k, None] * P[2] - P[k]) for k in (0, 1)]
    vector = np.linalg.svd(np.stack(rows, axis=1))[2][:, -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return vector[:, :3] / vector[:, 3:]


def reprojection(cameras: Sequence[Camera], xyz: np.ndarray, xy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Error ``xy`` minus projection (C, M, 2) px, and the projection's Jacobian (C, M, 2, 3) px/m."""
    errors, jacobians = [], []
    for camera, pixels in zip(cameras, xy, strict=True):
        P = camera.projection
        image = xyz @ P[:, :3].T + P[:, 3]
        depth = np.where(np.abs(image[:, 2:]) < 1e-9, 1e-9, image[:, 2:])
        projected = image[:, :2] / depth
        errors.append(pixels - projected)
        jacobians.append((P[:2, :3] - projected[..., None] * P[2, :3]) / depth[..., None])
    return np.stack(errors), np.stack(jacobians)


def covariance(cameras: Sequence[Camera], xyz: np.ndarray, information: np.ndarray) -> np.ndarray:
    """(M, 3, 3) m^2: inverse of the Gauss-Newton normal matrix at ``xyz``; NaN where ``xyz`` is NaN.

    ``information`` (C, M) is 1 / variance of one pixel coordinate (1/px^2), 0 where not seen.
    """
    measured = finite(xyz)
    _, jacobian = reprojection(cameras, np.where(measured[:, None], xyz, 0.0), np.zeros((len(cameras), len(xyz), 2)))
    normal = np.einsum("cmia,cm,cmib->mab", jacobian, information, jacobian)
    inverse = np.linalg.inv(_regular(normal, measured))
    return np.where(measured[:, None, None], (inverse + inverse.swapaxes(1, 2)) / 2, np.nan)


def ray_angle(cameras: Sequence[Camera], xyz: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(M,) rad: the largest angle between two rays that saw the point, 0 where fewer than two did; a right angle is
    best, so an obtuse angle counts as its supplement."""
    rays = np.stack([xyz - c.position for c in cameras])
    length = np.linalg.norm(rays, axis=-1, keepdims=True)
    rays = rays / np.where(length > 0, length, 1.0)
    best = np.zeros(len(xyz))
    for i in range(len(cameras)):
        for k in range(i + 1, len(cameras)):
            sine = np.linalg.norm(np.cross(rays[i], rays[k]), axis=-1)
            angle = np.arctan2(sine, np.abs((rays[i] * rays[k]).sum(axis=-1)))
            best = np.where((weight[i] > 0) & (weight[k] > 0), np.fmax(best, angle), best)
    return best


def _normal_equations(error: np.ndarray, jacobian: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    weighted = jacobian * weight[..., None, None]
    return np.einsum("cmia,cmib->mab", weighted, jacobian), np.einsum("cmia,cmi->ma", weighted, error)


def _regular(normal: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """The normal matrices, with the identity in place of those that carry no information."""
    scale = np.trace(normal, axis1=1, axis2=2)
    sound = usable & np.isfinite(scale) & (scale > 0)
    floor = np.where(sound, scale, 1.0)[:, None, None] * 1e-12 * np.eye(3)
    return np.where(sound[:, None, None], normal, np.eye(3)) + floor
