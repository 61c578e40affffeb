"""The grid of targets around the recorded one."""

from __future__ import annotations

import numpy as np

from studio.schema.errors import StudioError
from studio.schema.technique import Grid

AXES = {"x": 0, "y": 1, "z": 2}
MAX_ENTRIES = 81


def grid_coordinates(grid: Grid) -> np.ndarray:
    """(V, 2) coordinates in -1..1, row-major with the first axis slowest; a single cell on an axis is 0.

    Raises :class:`StudioError` for a grid that cannot be used.
    """
    if len(grid.axes) != 2 or len(set(grid.axes)) != 2 or not set(grid.axes) <= set(AXES) or len(grid.counts) != 2:
        raise _refused(f"it has the axes {', '.join(grid.axes)} and {len(grid.counts)} counts")
    if any(c < 1 or c % 2 == 0 for c in grid.counts) or np.prod(grid.counts) > MAX_ENTRIES:
        raise _refused(f"its counts are {' x '.join(map(str, grid.counts))}")
    if not 0 < grid.step <= 0.5:
        raise _refused(f"its step is {grid.step} m")
    ticks = [np.linspace(-1, 1, c) if c > 1 else np.zeros(1) for c in grid.counts]
    return np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1).reshape(-1, 2)


def offsets(grid: Grid) -> np.ndarray:
    """(V, 3) m: from the recorded target to each entry's, along the world's axes."""
    coordinates = grid_coordinates(grid)
    moved = np.zeros((len(coordinates), 3))
    for column, (axis, count) in enumerate(zip(grid.axes, grid.counts, strict=True)):
        moved[:, AXES[axis]] = coordinates[:, column] * grid.step * (count // 2)
    return moved


def _refused(why: str) -> StudioError:
    next_step = "Use two of the axes x, y, z, odd counts and a step up to 0.5 m in technique.toml"
    return StudioError("The grid of targets cannot be used", why, next_step)
