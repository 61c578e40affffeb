"""One clock for all phones: true timestamps, short gaps bridged, long ones kept."""

from __future__ import annotations

import numpy as np
import pytest

from studio.domain.space.resample import common_clock, common_times, to_clock
from studio.schema.errors import StudioError
from studio.schema.keypoints import Keypoints
from studio.schema.take import Sync

FPS = 60.0


def line(times: np.ndarray, phone: str = "b", speed: float = 600.0) -> Keypoints:
    """Every point runs at ``speed`` px/s along x and stands in y."""
    xy = np.stack([np.tile(speed * times[:, None], (1, 26)), np.full((len(times), 26), 7.0)], axis=-1)
    return Keypoints(phone, "synthetic", times, xy, np.full((len(times), 26), 0.8))


def test_offset_and_drift_are_taken_out():
    sync = Sync("sound", {"b": 0.2}, {"b": 30e-6})
    common = np.arange(600) / FPS
    own = line((1 + 30e-6) * common + 0.2)
    at = common + 0.25 / FPS
    found = to_clock(own, sync, FPS, at[:-1])
    assert common_times(own, sync) == pytest.approx(common)
    assert found.xy[:, 5, 0] == pytest.approx(600 * ((1 + 30e-6) * at[:-1] + 0.2))
    assert (found.confidence == 0.8).all()
    assert np.array_equal(found.times, at[:-1])


def test_uneven_timestamps_are_believed():
    rng = np.random.default_rng(2)
    times = np.arange(120) / FPS + rng.uniform(-0.004, 0.004, 120)
    found = to_clock(line(times), Sync(), FPS, np.arange(1, 118) / FPS)
    assert found.xy[:, 0, 0] == pytest.approx(600 * np.arange(1, 118) / FPS)


def test_two_missing_frames_are_bridged_and_three_are_not():
    own = line(np.arange(60) / FPS)
    own.xy[10:12, 3], own.confidence[10:12, 3] = np.nan, 0.0
    own.xy[20:23, 4], own.confidence[20:23, 4] = np.nan, 0.0
    found = to_clock(own, Sync(), FPS, own.times)
    assert found.xy[:, 3, 0] == pytest.approx(600 * own.times)
    assert np.isnan(found.xy[20:23, 4]).all() and (found.confidence[20:23, 4] == 0).all()
    assert np.isfinite(found.xy[[19, 23], 4]).all()
    shifted = to_clock(own, Sync(), FPS, own.times[:-1] + 0.5 / FPS)
    assert np.flatnonzero(np.isnan(shifted.xy[:, 4, 0])).tolist() == [19, 20, 21, 22]


def test_dropped_frames_in_the_file_are_a_gap_too():
    times = np.delete(np.arange(60) / FPS, [30, 31, 32])
    found = to_clock(line(times), Sync(), FPS, np.arange(60) / FPS)
    assert np.flatnonzero(np.isnan(found.xy[:, 0, 0])).tolist() == [30, 31, 32]


def test_confidence_is_that_of_the_worse_neighbour_and_nothing_is_extrapolated():
    own = line(np.arange(10) / FPS)
    own.confidence[4] = 0.3
    found = to_clock(own, Sync(), FPS, np.array([-0.5, 3.5, 4.5, 5.5, 9.5]) / FPS)
    assert found.confidence[:, 0].tolist() == [0.0, 0.3, 0.3, 0.8, 0.0]
    assert np.isnan(found.xy[[0, 4]]).all()


def test_a_point_never_seen_or_seen_once():
    own = line(np.arange(10) / FPS)
    own.xy[:, 1] = np.nan
    own.xy[np.arange(10) != 4, 2] = np.nan
    found = to_clock(own, Sync(), FPS, own.times)
    assert np.isnan(found.xy[:, 1]).all()
    assert np.flatnonzero(np.isfinite(found.xy[:, 2, 0])).tolist() == [4]


def test_a_slow_phone_is_read_between_its_frames():
    own = line(np.arange(50) / 30.0)
    found = to_clock(own, Sync(), FPS, np.arange(98) / FPS)
    assert found.xy[:, 0, 0] == pytest.approx(600 * np.arange(98) / FPS)


def test_the_clock_runs_while_two_phones_film():
    a, b, c = (line(np.arange(n) / FPS, phone) for n, phone in ((100, "a"), (100, "b"), (300, "c")))
    times = common_clock((a, b), Sync(offset_s={"b": -0.5}), FPS)
    assert times[0] == pytest.approx(0.5) and times[-1] == pytest.approx(99 / FPS)
    assert common_clock((a, b, c), Sync(offset_s={"b": -4.0}), FPS)[[0, -1]] == pytest.approx([0.0, 299 / FPS])
    assert np.allclose(times * FPS, np.round(times * FPS))


def test_no_common_time_and_a_clip_of_one_frame_are_refused():
    a, b = line(np.arange(100) / FPS, "a"), line(np.arange(100) / FPS, "b")
    with pytest.raises(StudioError, match="no two phones"):
        common_clock((a, b), Sync(offset_s={"b": -60.0}), FPS)
    with pytest.raises(StudioError, match="1 frames"):
        common_clock((a, line(np.zeros(1), "b")), Sync(), FPS)
