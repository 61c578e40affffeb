"""Angles on pixels: there and back, lines at whole degrees, room for limits that are near."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from studio.ui.panes.angle_axis import AngleAxis, fitting

FAR = (-math.inf, math.inf)


def test_more_is_further_up_and_back_again():
    axis = AngleAxis(-0.5, 0.5, 20, 200)
    assert axis.y(0.5) == 20 and axis.y(-0.5) == 220 and axis.y(0.0) == 120
    assert axis.angle(axis.y(0.321)) == pytest.approx(0.321)


def test_lines_stand_at_whole_degrees_with_room_between():
    axis = fitting(math.radians(-33), math.radians(41), FAR, 0, 200)
    ticks = axis.ticks()
    steps = {b - a for a, b in pairwise(ticks)}
    assert len(steps) == 1 and 0 in ticks and len(ticks) >= 3
    assert axis.y(math.radians(ticks[0])) - axis.y(math.radians(ticks[1])) >= 29


def test_a_flat_curve_still_gets_some_degrees():
    axis = fitting(0.3, 0.3, FAR, 0, 100)
    assert axis.high - axis.low >= math.radians(8) and axis.low < 0.3 < axis.high


def test_a_limit_that_is_near_comes_into_view_and_a_far_one_does_not():
    near = fitting(0.0, 1.0, (-0.4, 5.0), 0, 100)
    assert near.low < -0.4 and near.high < 2.0
    assert fitting(0.0, 1.0, (-3.0, 5.0), 0, 100).low > -3.0
