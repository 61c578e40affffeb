"""The one observation layout."""

from dataclasses import replace

import numpy as np
import pytest
from factories import raise_scene

from studio.domain.policy.observation import Moment, make_layout, observe, require_equal, servo_targets
from studio.domain.rotations import exp, multiply
from studio.schema.codec import from_plain, to_plain
from studio.schema.errors import StudioError

SCENE = raise_scene()


def moment(step: int, count: int = 2) -> Moment:
    reference = SCENE.reference
    index, weight = reference.weights(np.zeros((count, 2)))
    rows = reference.rows(index, weight, np.full(count, step))
    target = reference.target(index, weight)
    return Moment(rows.q, rows.qd, rows, target, np.zeros((count, 2)), np.zeros((count, 26)), np.full(count, step))


def part(name: str, row: np.ndarray) -> np.ndarray:
    start = 0
    for found, size in SCENE.layout.parts:
        if found == name:
            return row[start : start + size]
        start += size
    raise KeyError(name)


def test_on_the_reference_all_errors_are_zero() -> None:
    seen = observe(SCENE.layout, SCENE.reference, 3, moment(30))
    assert seen.shape == (2, SCENE.layout.size) and seen.dtype == np.float32
    for name in ("place_error", "heading_error", "joint_error"):
        assert np.allclose(part(name, seen[0]), 0.0, atol=1e-6)
    assert np.flatnonzero(part("slot", seen[0])).tolist() == [3]


def test_turning_the_world_about_z_leaves_what_he_feels() -> None:
    now = moment(40)
    turn = exp(np.array([0.0, 0.0, 1.1]))

    def turned(q: np.ndarray) -> np.ndarray:
        out = q.copy()
        out[:, :2] = q[:, :2] @ np.array([[np.cos(1.1), np.sin(1.1)], [-np.sin(1.1), np.cos(1.1)]])
        out[:, 3:7] = multiply(turn, q[:, 3:7])
        return out

    rotation = np.array([[np.cos(1.1), -np.sin(1.1), 0], [np.sin(1.1), np.cos(1.1), 0], [0, 0, 1]])
    velocity = now.qvel.copy()
    velocity[:, :3] = velocity[:, :3] @ rotation.T
    other = replace(
        now,
        qpos=turned(now.qpos),
        qvel=velocity,
        rows=replace(now.rows, q=turned(now.rows.q)),
        target=now.target @ rotation.T,
    )
    assert np.allclose(
        observe(SCENE.layout, SCENE.reference, 1, now), observe(SCENE.layout, SCENE.reference, 1, other), atol=1e-5
    )


def test_clocks_stop_in_the_hold_and_start_and_end_differ() -> None:
    late, later = (moment(SCENE.reference.clip_steps + n) for n in (20, 45))
    first, last = (observe(SCENE.layout, SCENE.reference, 1, m)[0] for m in (late, later))
    for name in ("phase", "to_impact"):
        assert np.array_equal(part(name, first), part(name, last))
    start = observe(SCENE.layout, SCENE.reference, 1, moment(0))[0]
    assert np.abs(part("phase", start) - part("phase", last)).max() > 1.0


def test_servo_targets_add_the_clipped_action() -> None:
    rows = moment(10).rows
    action = np.zeros((2, 26))
    action[0, 4], action[1, 4] = 1.0, 100.0
    added = servo_targets(SCENE.layout, rows, action) - rows.control
    assert added[0, 4] == pytest.approx(0.25) and added[1, 4] == pytest.approx(1.0)


def test_layouts_travel_as_plain_data_and_unequal_ones_are_refused() -> None:
    layout = SCENE.layout
    assert from_plain(type(layout), to_plain(layout)) == layout
    require_equal(from_plain(type(layout), to_plain(layout)), layout, "it")
    with pytest.raises(StudioError, match="action_scale"):
        require_equal(replace(layout, action_scale=0.5), layout, "it")
    with pytest.raises(StudioError, match="parts"):
        require_equal(make_layout(layout.joints[:-1]), layout, "it")
