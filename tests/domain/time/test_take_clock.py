"""The rounding rule."""

import numpy as np
import pytest

from studio.domain.time import TakeClock, common_time, nearest_frame, own_time
from studio.schema.take import Sync


@pytest.mark.parametrize("fps", [23.976, 29.97, 30.0, 59.94, 60.0, 120.0, 239.76])
@pytest.mark.parametrize("start", [0.0, 0.317, -2.5, 1234.567])
def test_every_frame_comes_back_from_its_time(fps: float, start: float):
    clock = TakeClock(fps, start, 5000)
    assert [clock.frame(clock.time(k)) for k in range(5000)] == list(range(5000))


def test_a_half_counts_up_and_the_take_has_ends():
    clock = TakeClock(60.0, 1.0, 10)
    assert clock.frame(1.0 + 2.5 / 60) == 3
    assert clock.frame(1.0 + 2.49 / 60) == 2
    assert clock.frame(-np.inf) == 0 and clock.frame(np.inf) == 9
    assert clock.frame(0.0) == 0 and clock.frame(99.0) == 9
    assert clock.end_s == pytest.approx(1.0 + 9 / 60)
    assert clock.snap(1.0 + 3.2 / 60) == clock.time(3)


def test_frames_outside_go_on_evenly():
    clock = TakeClock(50.0, 0.0, 3)
    assert clock.time(-1) == pytest.approx(-0.02) and clock.time(10) == pytest.approx(0.2)


@pytest.mark.parametrize(
    "fps, start, frames",
    [(0, 0, 3), (-60, 0, 3), (float("nan"), 0, 3), (float("inf"), 0, 3), (60, 0, 0), (60, float("inf"), 2)],
)
def test_what_is_no_clock_is_refused(fps: float, start: float, frames: int):
    with pytest.raises(ValueError):
        TakeClock(fps, start, frames)


def test_no_time_is_no_frame():
    with pytest.raises(ValueError):
        TakeClock(60.0, 0.0, 3).frame(float("nan"))


def test_a_phones_own_time():
    sync = Sync("sound", {"b": 0.317}, {"b": 2e-5})
    assert own_time(sync, "a", 4.0) == 4.0
    assert own_time(sync, "b", 4.0) == pytest.approx(4.0 * (1 + 2e-5) + 0.317)
    assert common_time(sync, "b", np.array([own_time(sync, "b", 4.0)])) == pytest.approx([4.0])


def test_the_nearest_frame_of_uneven_times():
    pts = np.array([0.0, 0.033, 0.070, 0.100])
    assert [nearest_frame(pts, t) for t in (-1.0, 0.0, 0.016, 0.017, 0.05, 0.0515, 0.069, 0.2)] == [
        0,
        0,
        0,
        1,
        1,
        2,
        2,
        3,
    ]
    assert nearest_frame(np.array([0.0, 1.0]), 0.5) == 1, "a tie counts up"
    assert nearest_frame(np.array([0.0]), 9.0) == 0
