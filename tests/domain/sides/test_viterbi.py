"""The cheapest path is the one that trying them all finds."""

from __future__ import annotations

from itertools import product

import numpy as np

from studio.domain.pose.viterbi import cheapest_path


def test_it_equals_exhaustive_search():
    rng = np.random.default_rng(5)
    for _ in range(20):
        state, move = rng.normal(size=(6, 3)), rng.normal(size=(5, 3, 3))
        price = {
            path: sum(state[t, s] for t, s in enumerate(path)) + sum(move[t, path[t], path[t + 1]] for t in range(5))
            for path in product(range(3), repeat=6)
        }
        assert tuple(cheapest_path(state, move)) == min(price, key=price.__getitem__)


def test_a_single_step_takes_the_cheapest_state_and_ties_go_to_the_lower():
    assert cheapest_path(np.array([[2.0, 1.0, 1.0]]), np.zeros((0, 3, 3))).tolist() == [1]
    assert cheapest_path(np.zeros((4, 2)), np.zeros((3, 2, 2))).tolist() == [0, 0, 0, 0]
