"""How good a table is as a whole: what stage 6 promises, over all entries and between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.domain import rotations
from studio.domain.body.build import build
from studio.domain.body.roles import roles as roles_of
from studio.domain.fit.kinematics import Kinematics
from studio.domain.policy.blend import blend, blend_weights
from studio.domain.retarget import check
from studio.schema.body import Body
from studio.schema.variants import Table


@dataclass(frozen=True)
class Quality:
    """The worst of all entries, in mm: ``hit_mm`` striker to target at the impact (0 where nothing strikes);
    ``between_mm`` the same half-way between neighbours, mixed as training mixes them; ``slide_mm`` a sole point's
    largest distance from the middle of its contact; ``below_mm`` the deepest place of a sole point below the floor;
    ``limit_frames`` frames with a joint beyond its limit. ``between_slide_mm``, ``between_below_mm``: half-way too."""

    hit_mm: float
    between_mm: float
    slide_mm: float
    below_mm: float
    limit_frames: int
    between_slide_mm: float
    between_below_mm: float


def table_quality(table: Table, body: Body) -> Quality:
    """The figures of a table made for ``body``; for instance ``table_quality(project.load(6, name, Table),
    project.load(6, name, Body, "body"))``."""
    kinematics = Kinematics(build(body).compile())
    here, between = table.qpos, mixed(table, midpoints(table.uv))
    entries, halves = (_standing(kinematics, body, table, clips) for clips in (here, between))
    goals = _mix(table.targets, table.uv, midpoints(table.uv))
    return Quality(
        hit_mm=_miss(kinematics, body, table, here, table.targets),
        between_mm=_miss(kinematics, body, table, between, goals),
        slide_mm=entries["slide_peak_mm"],
        below_mm=entries["penetration_mm"],
        limit_frames=int(sum((check.limit_margin(kinematics, qpos) < 0).any(axis=1).sum() for qpos in here)),
        between_slide_mm=halves["slide_peak_mm"],
        between_below_mm=halves["penetration_mm"],
    )


def midpoints(uv: np.ndarray) -> np.ndarray:
    """(M, 2) places half-way between neighbours of the full grid ``uv`` (V, 2), along the axes and across; none for a
    single entry."""
    axes = [np.unique(uv[:, k].round(6)) for k in range(2)]
    finer = [np.unique(np.concatenate([axis, (axis[1:] + axis[:-1]) / 2])) for axis in axes]
    return np.array([
        (u, v) for u in finer[0] for v in finer[1] if not (np.isin(u, axes[0]) and np.isin(v, axes[1]))
    ]).reshape(-1, 2)  # fmt: skip


def mixed(table: Table, uv: np.ndarray) -> np.ndarray:
    """(M, T, nq) clips at places ``uv`` (M, 2) of the grid, mixed linearly from the entries around them."""
    index, weight = blend_weights(table.uv, uv)
    frames = np.arange(table.qpos.shape[1])
    clips = np.array([
        blend(table.qpos, np.tile(i, (len(frames), 1)), np.tile(w, (len(frames), 1)), frames)
        for i, w in zip(index, weight, strict=True)
    ]).reshape(len(uv), *table.qpos.shape[1:])  # fmt: skip
    clips[:, :, 3:7] = rotations.normalise(clips[:, :, 3:7])
    return clips


def _mix(values: np.ndarray, entries: np.ndarray, uv: np.ndarray) -> np.ndarray:
    index, weight = blend_weights(entries, uv)
    return np.einsum("nk,nkd->nd", weight, values[index])


def _miss(kinematics: Kinematics, body: Body, table: Table, clips: np.ndarray, goals: np.ndarray) -> float:
    if not table.striker or not len(clips):
        return 0.0
    site = kinematics.site_ids([roles_of(body).strikers[table.striker]])[0]
    hits = kinematics.forward(clips[:, table.impact_frame]).site[:, site]
    return 1e3 * float(np.linalg.norm(hits - goals, axis=1).max())


def _standing(kinematics: Kinematics, body: Body, table: Table, clips: np.ndarray) -> dict[str, float]:
    roles = roles_of(body)
    sites = kinematics.site_ids(roles.soles)
    worst = {"slide_peak_mm": 0.0, "penetration_mm": 0.0}
    for qpos in clips:
        soles = check.sole_errors(kinematics.forward(qpos).site[:, sites], table.contacts, table.fps)
        found = {"slide_peak_mm": 1e3 * float(soles.peak.max()), "penetration_mm": 1e3 * float(soles.depth.max())}
        worst = {name: max(worst[name], found[name]) for name in worst}
    return worst
