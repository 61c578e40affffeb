"""Bilinear weights over a table's grid."""

import numpy as np
import pytest

from studio.domain.policy.blend import blend, blend_weights
from studio.schema.errors import StudioError

GRID = np.array([(u, v) for u in (-1.0, 0.0, 1.0) for v in (-1.0, 0.0, 1.0)])


def test_an_entry_is_itself() -> None:
    index, weight = blend_weights(GRID, GRID)
    for k in range(len(GRID)):
        assert weight[k][index[k] == k].sum() == pytest.approx(1.0)


def test_a_linear_table_is_reproduced_everywhere() -> None:
    wanted = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    arrays = np.stack([np.tile(GRID @ [2.0, -3.0] + 1.0, (1, 1)).T] * 4, axis=1)
    index, weight = blend_weights(GRID, wanted)
    found = blend(arrays, index, weight, np.full(50, 2))[:, 0]
    assert np.allclose(found, wanted @ [2.0, -3.0] + 1.0)
    assert np.allclose(weight.sum(1), 1.0) and (weight >= 0).all()


def test_places_outside_are_clipped_and_order_does_not_matter() -> None:
    shuffled = GRID[np.random.default_rng(1).permutation(9)]
    index, weight = blend_weights(shuffled, np.array([[5.0, -5.0]]))
    assert np.allclose((weight[0][:, None] * shuffled[index[0]]).sum(0), [1.0, -1.0])


def test_one_entry_is_a_grid_too() -> None:
    index, weight = blend_weights(np.zeros((1, 2)), np.array([[0.7, -0.2]]))
    assert (index == 0).all() and weight.sum() == pytest.approx(1.0)


def test_a_grid_with_a_hole_is_refused() -> None:
    with pytest.raises(StudioError, match="full grid"):
        blend_weights(GRID[:-1], np.zeros((1, 2)))
