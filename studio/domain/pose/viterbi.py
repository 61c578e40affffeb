"""The cheapest path through a trellis (Viterbi 1967)."""

from __future__ import annotations

import numpy as np


def cheapest_path(state_cost: np.ndarray, move_cost: np.ndarray) -> np.ndarray:
    """(T,) int: one state per step with the least total cost; the lower state wins a tie.

    ``state_cost`` (T, S); ``move_cost`` (T - 1, S, S) from the state (second axis) to that of the next step (third).
    """
    steps, states = state_cost.shape
    total = state_cost[0].astype(float)
    back = np.zeros((steps, states), int)
    for t in range(1, steps):
        arriving = total[:, None] + move_cost[t - 1]
        back[t] = arriving.argmin(axis=0)
        total = arriving[back[t], np.arange(states)] + state_cost[t]
    path = np.zeros(steps, int)
    path[-1] = int(total.argmin())
    for t in range(steps - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path
