"""Contacts from positions whose truth is drawn by hand."""

from __future__ import annotations

import numpy as np
import pytest

from studio.domain.retarget.contacts import close_gaps, find_contacts, floor_level, rigid_contacts

FPS = 60.0


def _standing(count: int = 60, height: float = 0.0) -> np.ndarray:
    soles = np.zeros((count, 8, 3))
    soles[..., 0] = np.arange(8) * 0.1
    soles[..., 2] = height
    return soles


def test_a_step_leaves_and_lands_within_two_frames() -> None:
    soles = _standing()
    lift = np.sin(np.linspace(0, np.pi, 20)) * 0.2
    soles[20:40, 4:, 2] += lift[:, None]
    soles[20:40, 4:, 0] += np.linspace(0, 0.4, 20)[:, None]
    soles[40:, 4:, 0] += 0.4
    on = find_contacts(soles, FPS)
    assert on[:, :4].all()
    assert on[:18, 4:].all() and on[42:, 4:].all()
    assert not on[24:36, 4:].any()


def test_a_wrong_floor_is_measured_once_and_does_not_hide_contacts() -> None:
    soles = _standing(height=0.083)
    soles[20:40, 4:, 2] += 0.2
    assert floor_level(soles, FPS) == pytest.approx(0.083)
    assert find_contacts(soles, FPS, 0.083)[:15].all()


def test_a_heel_that_never_comes_down_does_not_stand() -> None:
    soles = _standing()
    soles[:, 0, 2] = 0.12
    on = find_contacts(soles, FPS)
    assert not on[:, 0].any() and on[:, 1:].all()


def test_a_sliding_foot_on_the_floor_does_not_stand() -> None:
    soles = _standing()
    soles[:, :4, 0] += np.arange(60)[:, None] / FPS * 1.0
    on = find_contacts(soles, FPS)
    assert not on[5:-5, :4].any() and on[:, 4:].all()


def test_tremor_while_one_leg_hides_the_other_is_no_step() -> None:
    soles = _standing()
    soles[30:40, :4, 0] += 0.03 * np.sin(np.arange(10) * 2.5)[:, None]
    assert find_contacts(soles, FPS)[:, :4].all()


def test_short_gaps_close_and_short_contacts_go() -> None:
    on = np.zeros((60, 8), dtype=bool)
    on[5:30, 0] = True
    on[15:17, 0] = False
    on[40:43, 1] = True
    closed = close_gaps(on, FPS)
    assert closed[5:30, 0].all() and not closed[:, 1].any()
    assert not on[15, 0], "the input is left alone"


def test_rolling_over_the_toe_is_no_stand_for_a_stiff_foot() -> None:
    on = np.ones((90, 8), dtype=bool)
    on[20:, 4] = False
    on[28:, 5:] = False
    rigid = rigid_contacts(on, FPS)
    assert rigid[:20, 4:].all() and not rigid[20:, 4:].any()
    long_on_the_ball = np.ones((90, 8), dtype=bool)
    long_on_the_ball[20:80, 4] = False
    rigid = rigid_contacts(long_on_the_ball, FPS)
    assert rigid[30, 4:].tolist() == [False, False, False, True]
