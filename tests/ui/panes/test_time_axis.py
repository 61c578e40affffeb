"""Seconds to pixels and back, zoomed and moved."""

from itertools import pairwise

import pytest

from studio.ui.panes.time_axis import TimeAxis

AXIS = TimeAxis.whole(2.0, 12.0, 92.0, 500.0)


def test_pixels_and_moments_are_inverse():
    for moment in (2.0, 3.3, 7.117, 12.0):
        assert AXIS.time(AXIS.x(moment)) == pytest.approx(moment)
    assert AXIS.x(2.0) == 92.0 and AXIS.x(12.0) == 592.0
    assert AXIS.time(0.0) == 2.0 and AXIS.time(9999.0) == 12.0


def test_zoom_keeps_the_moment_under_the_pointer():
    near = AXIS.zoomed(0.25, 7.0)
    assert near.x(7.0) == pytest.approx(AXIS.x(7.0))
    assert near.last_s - near.first_s == pytest.approx(2.5)
    assert near.zoomed(1e9, 7.0).is_whole and not near.is_whole


def test_the_view_never_leaves_the_take():
    near = AXIS.zoomed(0.1, 2.0)
    assert near.first_s == pytest.approx(2.0)
    assert near.moved(-50).first_s == pytest.approx(2.0)
    assert near.moved(+50).last_s == pytest.approx(12.0)
    assert near.zoomed(1e-9, 5.0).last_s - near.zoomed(1e-9, 5.0).first_s == pytest.approx(0.15)


def test_the_view_follows_a_moment_that_left_it():
    near = AXIS.zoomed(0.2, 3.0)
    assert near.following(near.first_s + 0.1) is near
    later = near.following(9.0)
    assert later.first_s < 9.0 < later.last_s
    assert later.last_s - later.first_s == pytest.approx(near.last_s - near.first_s)


@pytest.mark.parametrize("width", [200.0, 500.0, 2000.0])
@pytest.mark.parametrize("factor", [1.0, 0.3, 0.02])
def test_ticks_are_round_and_never_crowd(width: float, factor: float):
    axis = AXIS.laid(92.0, width).zoomed(factor, 6.0)
    ticks, digits = axis.ticks()
    places = [axis.x(t) for t in ticks]
    assert all(b - a >= 60 for a, b in pairwise(places))
    assert all(float(f"{t:.{digits}f}") == pytest.approx(t) for t in ticks)
    assert len(ticks) >= width / 200


def test_a_take_without_length_has_an_axis():
    assert TimeAxis.whole(1.0, 1.0, 0.0, 100.0).x(1.0) == 0.0
