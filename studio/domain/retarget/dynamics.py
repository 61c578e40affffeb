"""Where the ground has to push: centre of mass and zero-moment point of a motion, and the area it stands on."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.spatial import ConvexHull, QhullError

from studio.domain import rotations
from studio.domain.fit.kinematics import Kinematics

GRAVITY = 9.81
SMOOTHING_S = 0.025
"""Standard deviation of the smoothing along time: second differences of a fitted motion are noisy."""

LEAST_LOAD = 0.2
"""Share of the weight below which the ground hardly pushes and its point is meaningless."""


@dataclass(frozen=True, eq=False)
class Ground:
    """``com`` (T, 3) m; ``zmp`` (T, 2) m, where the ground reaction has no tipping moment; ``load`` (T,) N upwards."""

    com: np.ndarray
    zmp: np.ndarray
    load: np.ndarray


def ground_reaction(kinematics: Kinematics, qpos: np.ndarray, fps: float) -> Ground:
    """Multibody zero-moment point (Vukobratovic and Borovac 2004) of a motion (T, nq): all parts' inertia, no massless
    legs. Positions are smoothed over 25 ms before they are differentiated."""
    model = kinematics.model
    frames = kinematics.forward(qpos)
    mass = model.body_mass
    centre = _smooth(frames.centre, fps)
    acceleration = _derivative(_derivative(centre, fps), fps)
    force = mass[:, None] * (acceleration + np.array([0.0, 0.0, GRAVITY]))
    spin = _derivative(_smooth(_spin(model, frames.rotation, fps), fps), fps).sum(axis=1)
    load = np.maximum(force[..., 2].sum(axis=1), LEAST_LOAD * GRAVITY * kinematics.mass)
    moment_y = np.sum(centre[..., 2] * force[..., 0] - centre[..., 0] * force[..., 2], axis=1) + spin[:, 1]
    moment_x = np.sum(centre[..., 1] * force[..., 2] - centre[..., 2] * force[..., 1], axis=1) + spin[:, 0]
    zmp = np.stack([-moment_y, moment_x], axis=1) / load[:, None]
    return Ground(kinematics.centre_of_mass(frames), zmp, load)


def outside(points: np.ndarray, places: np.ndarray, standing: np.ndarray) -> np.ndarray:
    """(T,) m that ``points`` (T, 2) lie outside the hull of the standing ``places`` (T, S, 2); negative inside, NaN
    where nothing stands."""
    out = np.full(len(points), np.nan)
    for t, point in enumerate(points):
        corners = places[t][standing[t]]
        if len(corners):
            out[t] = _outside(point, corners)
    return out


def _outside(point: np.ndarray, corners: np.ndarray) -> float:
    try:
        if len(corners) < 3:
            raise QhullError
        planes = ConvexHull(corners).equations
    except QhullError:
        return _from_segment(point, corners)
    depth = float((planes[:, :2] @ point + planes[:, 2]).max())
    if depth <= 0:
        return depth
    hull = corners[ConvexHull(corners).vertices]
    return min(_from_segment(point, np.stack([hull[k - 1], hull[k]])) for k in range(len(hull)))


def _from_segment(point: np.ndarray, ends: np.ndarray) -> float:
    start, along = ends[0], ends[-1] - ends[0]
    share = np.clip((point - start) @ along / max(along @ along, 1e-12), 0.0, 1.0)
    return float(np.linalg.norm(point - start - share * along))


def _spin(model, rotation: np.ndarray, fps: float) -> np.ndarray:
    """(T, B, 3) angular momentum of each part about its own centre."""
    step = rotation[1:] @ np.swapaxes(rotation[:-1], -1, -2)
    between = rotations.matrix_log(step) * fps
    velocity = np.concatenate([between[:1], (between[1:] + between[:-1]) / 2, between[-1:]])
    axes = rotation @ rotations.to_matrix(model.body_iquat)
    inertia = (axes * model.body_inertia[:, None, :]) @ np.swapaxes(axes, -1, -2)
    return np.einsum("tbij,tbj->tbi", inertia, velocity)


def _smooth(values: np.ndarray, fps: float) -> np.ndarray:
    return gaussian_filter1d(values, SMOOTHING_S * fps, axis=0, mode="nearest")


def _derivative(values: np.ndarray, fps: float) -> np.ndarray:
    return np.gradient(values, 1.0 / fps, axis=0)
