"""Faults of a table's entries, found relative to the base and to their neighbours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from studio.domain.fit.kinematics import Kinematics
from studio.domain.retarget import check
from studio.schema.body import Roles
from studio.schema.findings import Finding
from studio.schema.variants import Table

HIT_MM, NEIGHBOUR_DEG = 15.0, 8.0
FLICKS = check.FlickLimits(acceleration=5.0, spike=8.0, swivel_rate=8.0, swivel_spike=6.0)
"""Relative to the base. Clean tables stay at 1.5, 2.6, 3.2 and 1.4; a knee that flicks by 10 degrees
for four frames, its foot staying put, gives 5 to 6, 8 to 10, 5 to 8 and 8 to 10."""


def check_entry(kinematics: Kinematics, roles: Roles, table: Table, entry: int, base: np.ndarray) -> list[Finding]:
    """What is wrong with one entry, each finding's subject naming it."""
    qpos, times = table.qpos[entry], table.start_s + np.arange(table.qpos.shape[1]) / table.fps
    found = check.standing_findings(kinematics, roles, kinematics.forward(qpos), table.contacts, times, fps=table.fps)
    found += check.limit_findings(kinematics, qpos, times)
    found += check.flick_findings(kinematics, check.flicks(kinematics, qpos, base, table.fps), times, FLICKS)
    allowed = float(check.self_penetration(kinematics, base).max())
    found += check.collapse_findings(check.self_penetration(kinematics, qpos), times, allowed)
    if table.hit_error[entry] * 1e3 > HIT_MM:
        at = float(times[table.impact_frame])
        found.append(Finding("hit", table.striker, at, at, 1e3 * float(table.hit_error[entry]), "mm", HIT_MM))
    return [replace(f, subject=f"entry {entry}: {f.subject}") for f in found]


def neighbour_residuals(table: Table) -> np.ndarray:
    """(V,) degrees: largest hinge difference of an entry to what its neighbours predict.

    Between two neighbours on an axis their mean; at a corner the parallelogram. 0 where there are no neighbours.
    """
    angles = np.degrees(table.qpos[:, :, 7:])
    rows, columns = (len(np.unique(table.uv[:, k])) for k in range(2))
    grid = angles.reshape(rows, columns, *angles.shape[1:])
    out = np.zeros((rows, columns))
    for r in range(rows):
        for c in range(columns):
            predicted = _predict(grid, r, c)
            if predicted is not None:
                out[r, c] = np.abs(grid[r, c] - predicted).max()
    return out.ravel()


def neighbour_findings(table: Table) -> list[Finding]:
    """Entries that stand out from those around them."""
    end = table.start_s + (table.qpos.shape[1] - 1) / table.fps
    return [
        Finding("neighbour", f"entry {k}", table.start_s, end, float(value), "deg", NEIGHBOUR_DEG)
        for k, value in enumerate(neighbour_residuals(table))
        if value > NEIGHBOUR_DEG
    ]


def _predict(grid: np.ndarray, r: int, c: int) -> np.ndarray | None:
    rows, columns = grid.shape[:2]
    means = []
    if 0 < r < rows - 1:
        means.append((grid[r - 1, c] + grid[r + 1, c]) / 2)
    if 0 < c < columns - 1:
        means.append((grid[r, c - 1] + grid[r, c + 1]) / 2)
    if means:
        return np.mean(means, axis=0)
    if rows == 1 or columns == 1:
        return None
    inner_r, inner_c = (1 if r == 0 else r - 1), (1 if c == 0 else c - 1)
    return grid[inner_r, c] + grid[r, inner_c] - grid[inner_r, inner_c]
