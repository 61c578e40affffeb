"""The one solver: a whole clip by Levenberg-Marquardt with banded normal equations and hard joint limits.

Minimises a sum of residuals over all frames at once. Frames are coupled only by second differences in time, so the
normal equations are a band of 2 n sub-diagonals and cost O(T n^3) (Nocedal and Wright, chapter 10; scipy's
``solveh_banded``). Joint limits are never exceeded: every trial is projected onto them, and an angle that sits at a
limit and wants to leave is held for that step (projected Newton, Bertsekas 1982).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, solveh_banded

from studio.domain.fit.kinematics import ROOT_DOFS, Frames, Kinematics

MIN_DAMPING, MAX_DAMPING = 1e-9, 1e6
HELD = 1e9
"""Factor on the diagonal of an angle that is held at its limit."""


@dataclass(frozen=True, eq=False)
class Clip:
    """The state that residuals look at: ``qpos`` (T, nq), its poses, and the free degrees of freedom ``dofs`` (n,)."""

    kinematics: Kinematics
    qpos: np.ndarray
    frames: Frames
    dofs: np.ndarray


class Normal:
    """Normal equations of a clip: ``matrix`` (T, n, n), ``slope`` (T, n) the negative gradient / 2, and couplings to
    the next (T-1, n) and the frame after (T-2, n), diagonal per degree of freedom."""

    def __init__(self, frames: int, dofs: int) -> None:
        self.matrix = np.zeros((frames, dofs, dofs))
        self.slope = np.zeros((frames, dofs))
        self.next = np.zeros((max(frames - 1, 0), dofs))
        self.second = np.zeros((max(frames - 2, 0), dofs))

    def add(self, jacobian: np.ndarray, error: np.ndarray, weight: np.ndarray) -> None:
        """Rows ``jacobian`` (T, R, n), ``error`` (T, R) with ``weight`` (T, R)."""
        weighted = jacobian * weight[..., None]
        self.matrix += np.swapaxes(weighted, 1, 2) @ jacobian
        self.slope -= np.einsum("trn,tr->tn", weighted, error)

    def add_diagonal(self, error: np.ndarray, weight: np.ndarray) -> None:
        """Residual ``error`` (T, n) on the degrees of freedom themselves."""
        index = np.arange(self.slope.shape[1])
        self.matrix[:, index, index] += weight
        self.slope -= weight * error


class Residual(Protocol):
    """One kind of wish about the motion."""

    def evaluate(self, clip: Clip, normal: Normal | None) -> float:
        """Cost at the clip; adds its linearisation to ``normal`` when given."""
        ...


@dataclass(frozen=True)
class Options:
    """``tolerance``: relative fall of the cost below which the solve ends; ``step``: largest change of an angle (rad)
    or of the root (m) in one iteration and frame; ``margin`` (rad) is kept inside the limits."""

    iterations: int = 20
    tolerance: float = 1e-3
    damping: float = 1e-4
    step: float = 0.5
    margin: float = 0.0


@dataclass(frozen=True, eq=False)
class Solution:
    """``qpos`` (T, nq) and what is left of the cost."""

    qpos: np.ndarray
    cost: float


def solve(
    kinematics: Kinematics,
    start: np.ndarray,
    residuals: Sequence[Residual],
    options: Options | None = None,
    *,
    locked: np.ndarray | None = None,
    on_progress: Callable[[float], None] | None = None,
    enough: Callable[[], bool] | None = None,
) -> Solution:
    """Improve ``start`` (T, nq) until the cost no longer falls; the cost never rises.

    ``locked`` (nv,) bool keeps degrees of freedom as they are. ``on_progress`` gets 0..1. ``enough`` is asked after
    every iteration: true ends the solve with the best so far. The result is inside the joint limits even where
    ``start`` was not. Raises ``ValueError`` for a start that is not finite.
    """
    options = options or Options()
    if not np.all(np.isfinite(start)):
        raise ValueError("the start of the solve holds NaN or infinity")
    dofs = np.flatnonzero(~locked) if locked is not None else np.arange(kinematics.model.nv)
    box = _box(kinematics, options.margin)
    clip = _clip(kinematics, _project(start, *box), dofs)
    cost, normal = _linearise(clip, residuals)
    damping = options.damping
    for iteration in range(1, options.iterations + 1):
        step = _step(normal, damping, _held(clip, normal, box))
        trial = _clip(kinematics, _project(_moved(clip, step, options.step), *box), dofs)
        trial_cost = sum(r.evaluate(trial, None) for r in residuals)
        if trial_cost < cost:
            fall = (cost - trial_cost) / max(cost, 1e-300)
            clip, damping = trial, max(damping * 0.3, MIN_DAMPING)
            cost, normal = _linearise(clip, residuals)
            converged = fall < options.tolerance
        else:
            damping *= 10
            converged = damping > MAX_DAMPING or np.abs(step).max() < 1e-9
        if on_progress:
            on_progress(iteration / options.iterations)
        if converged or (enough is not None and enough()):
            break
    return Solution(clip.qpos, cost)


def _clip(kinematics: Kinematics, qpos: np.ndarray, dofs: np.ndarray) -> Clip:
    return Clip(kinematics, qpos, kinematics.forward(qpos), dofs)


def _linearise(clip: Clip, residuals: Sequence[Residual]) -> tuple[float, Normal]:
    normal = Normal(len(clip.qpos), len(clip.dofs))
    return sum(residual.evaluate(clip, normal) for residual in residuals), normal


def _box(kinematics: Kinematics, margin: float) -> tuple[np.ndarray, np.ndarray]:
    room = np.minimum(margin, (kinematics.high - kinematics.low) / 4)
    return kinematics.low + room, kinematics.high - room


def _project(qpos: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.concatenate([qpos[:, :7], np.clip(qpos[:, 7:], low, high)], axis=1)


def _held(clip: Clip, normal: Normal, box: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """(T, n) bool: at a limit, and the cost falls outwards."""
    held = np.zeros_like(normal.slope, dtype=bool)
    hinges = clip.dofs >= ROOT_DOFS
    columns = clip.dofs[hinges] - ROOT_DOFS
    angle, slope = clip.qpos[:, 7:][:, columns], normal.slope[:, hinges]
    low, high = box[0][columns], box[1][columns]
    held[:, hinges] = ((angle <= low) & (slope < 0)) | ((angle >= high) & (slope > 0))
    return held


def _step(normal: Normal, damping: float, held: np.ndarray) -> np.ndarray:
    """(T, n) solution of the damped normal equations."""
    frames, n = normal.slope.shape
    index = np.arange(n)
    diagonal = normal.matrix[:, index, index]
    scale = diagonal.mean(0) + 1e-9
    matrix = normal.matrix.copy()
    matrix[:, index, index] += damping * scale + np.where(held, HELD * (scale + 1.0), 0.0)
    slope = np.where(held, 0.0, normal.slope)
    rows, columns = np.tril_indices(n)
    reach = 2 * n if frames > 2 else n - 1 if frames == 1 else n
    band = np.zeros((reach + 1, frames, n))
    band[rows - columns, :, columns] = matrix[:, rows, columns].T
    if frames > 1:
        band[n, :-1] = normal.next
    if frames > 2:
        band[2 * n, :-2] = normal.second
    try:
        flat = solveh_banded(
            band.reshape(reach + 1, frames * n), slope.ravel(), lower=True, check_finite=False, overwrite_ab=True
        )
    except LinAlgError:
        return np.where(held, 0.0, slope / (diagonal + scale))
    return flat.reshape(frames, n)


def _moved(clip: Clip, step: np.ndarray, limit: float) -> np.ndarray:
    full = np.zeros((len(step), clip.kinematics.model.nv))
    largest = np.abs(step).max(axis=1, keepdims=True)
    full[:, clip.dofs] = step * np.minimum(1.0, limit / np.maximum(largest, 1e-12))
    return clip.kinematics.integrate(clip.qpos, full)
