"""What a motion can be asked for: markers, orientations, places, floor, limits, smoothness, nearness to a reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.domain import rotations
from studio.domain.fit.kinematics import ROOT_DOFS
from studio.domain.fit.solver import Clip, Normal


@dataclass(frozen=True, eq=False)
class Markers:
    """Sites near measured points, with the Geman-McClure loss, which stops listening to points farther than ``scale``.

    ``sites`` (K,); ``points`` (T, K, 3) m; ``information`` (T, K, 3, 3), 1 is full weight, 0 where unseen.
    """

    sites: np.ndarray
    points: np.ndarray
    information: np.ndarray
    scale: float

    def evaluate(self, clip: Clip, normal: Normal | None) -> float:
        error = clip.frames.site[:, self.sites] - self.points
        weighted = np.einsum("tkij,tkj->tki", self.information, error)
        squared = np.einsum("tki,tki->tk", error, weighted)
        trust = self.scale**2 / (self.scale**2 + squared)
        if normal is not None:
            jacobian = _site_jacobian(clip, self.sites)
            frames, n = len(jacobian), len(clip.dofs)
            pulled = (self.information * (trust**2)[..., None, None]) @ jacobian
            flat = jacobian.reshape(frames, -1, n)
            normal.matrix += np.swapaxes(pulled.reshape(frames, -1, n), 1, 2) @ flat
            force = weighted * (trust**2)[..., None]
            normal.slope -= np.einsum("trn,tr->tn", flat, force.reshape(frames, -1))
        return float(np.sum(trust * squared))


@dataclass(frozen=True, eq=False)
class Places:
    """Sites at places: ``targets`` and ``weights`` (T, K, 3), m and 1/m^2; weight 0 asks nothing. Locks and hits."""

    sites: np.ndarray
    targets: np.ndarray
    weights: np.ndarray

    def evaluate(self, clip: Clip, normal: Normal | None) -> float:
        error = clip.frames.site[:, self.sites] - self.targets
        if normal is not None:
            jacobian = _site_jacobian(clip, self.sites)
            frames, n = len(jacobian), len(clip.dofs)
            normal.add(jacobian.reshape(frames, -1, n), error.reshape(frames, -1), self.weights.reshape(frames, -1))
        return float(np.sum(self.weights * error**2))


@dataclass(frozen=True, eq=False)
class Floor:
    """Sites not below z = 0, or not below ``heights`` (T, K) m, one-sided. ``sites`` (K,), ``weight`` 1/m^2."""

    sites: np.ndarray
    weight: float
    heights: np.ndarray | float = 0.0

    def evaluate(self, clip: Clip, normal: Normal | None) -> float:
        depth = np.minimum(clip.frames.site[:, self.sites, 2] - self.heights, 0.0)
        if normal is not None and depth.any():
            normal.add(_site_jacobian(clip, self.sites)[:, :, 2], depth, self.weight * (depth < 0))
        return float(self.weight * np.sum(depth**2))


@dataclass(frozen=True, eq=False)
class Orientations:
    """Bodies turned like targets: ``bodies`` (K,), ``targets`` (T, K, 3, 3), ``weights`` (T, K) 1/rad^2."""

    bodies: np.ndarray
    targets: np.ndarray
    weights: np.ndarray

    def evaluate(self, clip: Clip, normal: Normal | None) -> float:
        current = clip.frames.rotation[:, self.bodies]
        error = rotations.matrix_log(current @ np.swapaxes(self.targets, -1, -2))
        weight = np.repeat(self.weights[..., None], 3, axis=-1)
        if normal is not None:
            jacobian = clip.kinematics.rotation_jacobian(clip.frames, self.bodies, clip.dofs)
            frames, n = len(current), len(clip.dofs)
            normal.add(jacobian.reshape(frames, -1, n), error.reshape(frames, -1), weight.reshape(frames, -1))
        return float(np.sum(weight * error**2))


@dataclass(frozen=True, eq=False)
class CentreOfMass:
    """Centre of mass along ``targets`` (T, 3) m with ``weights`` (T, 3) 1/m^2."""

    targets: np.ndarray
    weights: np.ndarray

    def evaluate(self, clip: Clip, normal: Normal | None) -> float:
        error = clip.kinematics.centre_of_mass(clip.frames) - self.targets
        if normal is not None:
            jacobian = clip.kinematics.centre_of_mass_jacobian(clip.frames, clip.dofs)
            normal.add(jacobian, error, self.weights)
        return float(np.sum(self.weights * error**2))


@dataclass(frozen=True, eq=False)
class Deviation:
    """Nearness to ``reference`` (T, nq) per degree of freedom: ``weights`` (nv,), ``smoothness`` (nv,) on the second
    difference of the deviation, so a correction comes and goes softly while the reference keeps its own snap."""

    reference: np.ndarray
    weights: np.ndarray
    smoothness: np.ndarray | None = None

    def evaluate(self, clip: Clip, normal: Normal | None) -> float:
        error = clip.kinematics.difference(self.reference, clip.qpos)[:, clip.dofs]
        weights = self.weights[clip.dofs]
        cost = float(np.sum(weights * error**2))
        if normal is not None:
            normal.add_diagonal(error, np.broadcast_to(weights, error.shape))
        if self.smoothness is not None:
            cost += _second_difference(np.diff(error, axis=0), self.smoothness[clip.dofs], normal)
        return cost


@dataclass(frozen=True, eq=False)
class Joined:
    """Smoothness of the deviation from ``reference`` (T, nq) over a piece of a longer motion whose other frames stay:
    ``weights`` (nv,) on its second difference, the neighbours ``before`` and ``after`` the piece deviating by nothing.
    So pose, speed and acceleration go on across both borders. Without a neighbour that end is free."""

    reference: np.ndarray
    weights: np.ndarray
    before: bool
    after: bool

    def evaluate(self, clip: Clip, normal: Normal | None) -> float:
        weights = self.weights[clip.dofs]
        error = clip.kinematics.difference(self.reference, clip.qpos)[:, clip.dofs]
        first, last = 2 * self.before, 2 * self.after
        change = np.diff(np.pad(error, ((first, last), (0, 0))), n=2, axis=0)
        if normal is not None and len(change):
            piece = slice(first, first + len(error))
            links = np.zeros((3, len(error) + first + last))
            for row, shifts in enumerate(((1.0, 4.0, 1.0), (-2.0, -2.0), (1.0,))):
                for k, share in enumerate(shifts):
                    links[row, k : k + len(change)] += share
            index, count = np.arange(len(weights)), len(error)
            normal.matrix[:, index, index] += links[0, piece, None] * weights
            normal.next += links[1, piece][: max(count - 1, 0), None] * weights
            normal.second += links[2, piece][: max(count - 2, 0), None] * weights
            pull = np.zeros((len(links[0]), len(weights)))
            pull[:-2] += change
            pull[1:-1] -= 2 * change
            pull[2:] += change
            normal.slope -= weights * pull[piece]
        return float(np.sum(weights * change**2))


@dataclass(frozen=True, eq=False)
class Acceleration:
    """Little change of velocity from frame to frame: ``weights`` (nv,) on q[t+1] - 2 q[t] + q[t-1]."""

    weights: np.ndarray

    def evaluate(self, clip: Clip, normal: Normal | None) -> float:
        if len(clip.qpos) < 3:
            return 0.0
        velocity = clip.kinematics.difference(clip.qpos[:-1], clip.qpos[1:])[:, clip.dofs]
        return _second_difference(velocity, self.weights[clip.dofs], normal)


@dataclass(frozen=True, eq=False)
class Limits:
    """A soft wall ``margin`` rad, one number or (T, hinges), inside the hard joint limits, ``weight`` 1/rad^2."""

    margin: float | np.ndarray
    weight: float

    def evaluate(self, clip: Clip, normal: Normal | None) -> float:
        hinges = clip.dofs >= ROOT_DOFS
        columns = clip.dofs[hinges] - ROOT_DOFS
        angle = clip.qpos[:, 7:][:, columns]
        margin = self.margin[:, columns] if isinstance(self.margin, np.ndarray) else self.margin
        low, high = clip.kinematics.low[columns] + margin, clip.kinematics.high[columns] - margin
        error = np.zeros((len(angle), len(clip.dofs)))
        error[:, hinges] = np.minimum(angle - low, 0.0) + np.maximum(angle - high, 0.0)
        if normal is not None:
            normal.add_diagonal(error, self.weight * (error != 0))
        return float(self.weight * np.sum(error**2))


def _site_jacobian(clip: Clip, sites: np.ndarray) -> np.ndarray:
    """(T, K, 3, n) of the places of ``sites`` (K,)."""
    bodies = clip.kinematics.model.site_bodyid[sites]
    return clip.kinematics.point_jacobian(clip.frames, clip.frames.site[:, sites], bodies, clip.dofs)


def _second_difference(velocity: np.ndarray, weights: np.ndarray, normal: Normal | None) -> float:
    """Cost of the differences of ``velocity`` (T-1, n); couples each frame to the next two."""
    if len(velocity) < 2:
        return 0.0
    change = np.diff(velocity, axis=0)
    if normal is not None:
        index = np.arange(len(weights))
        share = np.zeros(len(velocity) + 1)
        share[:-2] += 1
        share[1:-1] += 4
        share[2:] += 1
        normal.matrix[:, index, index] += share[:, None] * weights
        link = np.zeros(len(velocity))
        link[:-1] -= 2
        link[1:] -= 2
        normal.next += link[:, None] * weights
        normal.second += weights
        normal.slope[:-2] -= weights * change
        normal.slope[1:-1] += 2 * weights * change
        normal.slope[2:] -= weights * change
    return float(np.sum(weights * change**2))
