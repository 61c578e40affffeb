from __future__ import annotations

import pytest

from studio.jobs.time_left import TimeLeft


def test_a_steady_rate_tells_the_time_left() -> None:
    left = TimeLeft()
    told = [left.update(second, second / 50) for second in range(11)]
    assert told[0] is None
    assert told[10] == pytest.approx(40.0)


def test_a_slow_start_is_forgotten() -> None:
    left = TimeLeft()
    left.update(0.0, 0.0)
    told = None
    for second in range(60, 90):
        told = left.update(float(second), (second - 59) / 100)
    assert told == pytest.approx(70.0, rel=0.05)


def test_nothing_is_told_before_a_rate_can_be_seen() -> None:
    left = TimeLeft()
    assert left.update(0.0, 0.0) is None
    assert left.update(30.0, 0.01) is None


def test_a_fraction_that_falls_begins_anew() -> None:
    left = TimeLeft()
    for second in range(5):
        left.update(float(second), second / 5)
    assert left.update(5.0, 0.0) is None
