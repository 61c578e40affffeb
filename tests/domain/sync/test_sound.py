"""Two phones in synthetic rooms (reverberation of half a second, 2 to 4 m, clocks 30 parts in a million off), and the
right to say no. The seeds were fixed before the first run."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from studio.app.said import is_known
from studio.domain.sync.claps import find_claps
from studio.domain.sync.sound import SoundSync, sync_by_sound
from studio.domain.video.audio import RATE, Sound, read_sound
from studio.domain.video.writer import write_mp4
from studio.schema.errors import StudioError

SEEDS = (1, 2, 3)
SECONDS = 14.0
CLAPS = (2.0, 2.9, 11.5)


def pair(rooms: SimpleNamespace, source: np.ndarray, snr_db: float, rng: np.random.Generator) -> SimpleNamespace:
    phones = {name: rooms.some_phone(rng, snr_db) for name in "ab"}
    return SimpleNamespace(phones=phones, sounds={n: rooms.record(source, p, rng) for n, p in phones.items()})


def errors_ms(
    rooms: SimpleNamespace, recorded: SimpleNamespace, found: SoundSync, at_s: tuple[float, ...]
) -> np.ndarray:
    """By how much the found lag misses the true one at moments of the room's clock."""
    a, b = (rooms.own_time(recorded.phones[name], np.array(at_s)) for name in "ab")
    return 1000 * (found.sync.offset("b") + (found.sync.rate("b") - 1) * a - (b - a))


@pytest.mark.parametrize("snr_db", [40, 25])
def test_claps_tell_the_clock(rooms: SimpleNamespace, snr_db: int) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng([seed, snr_db])
        recorded = pair(rooms, rooms.claps(SECONDS, CLAPS, rng), snr_db, rng)
        found = sync_by_sound(recorded.sounds)
        assert (found.sync.method, found.by, found.events, found.unmatched) == ("sound", "claps", 3, 0)
        assert np.abs(errors_ms(rooms, recorded, found, (2.0, 7.0, 12.0))).max() < 0.2, f"seed {seed}"
        assert found.residual_ms < 0.1
        true = (1 + 1e-6 * recorded.phones["a"].ppm) / (1 + 1e-6 * recorded.phones["b"].ppm) - 1
        assert found.sync.rate("b") - 1 == pytest.approx(true, abs=10e-6)


def test_claps_close_together_tell_no_drift(rooms: SimpleNamespace) -> None:
    rng = np.random.default_rng(4)
    recorded = pair(rooms, rooms.claps(8.0, (2.0, 2.4, 2.9), rng), 40, rng)
    found = sync_by_sound(recorded.sounds)
    assert found.sync.drift is None
    assert np.abs(errors_ms(rooms, recorded, found, (2.0, 3.0))).max() < 0.1


def test_sound_without_claps_tells_the_clock_too(rooms: SimpleNamespace) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 1])
        recorded = pair(rooms, rooms.talk(SECONDS, rng), 25, rng)
        found = sync_by_sound(recorded.sounds)
        assert (found.by, found.unmatched) == ("windows", 0) and found.events >= 4
        assert np.abs(errors_ms(rooms, recorded, found, (2.0, 7.0, 12.0))).max() < 0.5, f"seed {seed}"


def test_files_of_different_takes_are_refused(rooms: SimpleNamespace) -> None:
    """A coach claps the same rhythm before every take, at moments that no two times are the same to 40 ms."""
    for seed in range(8):
        rng = np.random.default_rng([seed, 2])
        sounds = {}
        for name in "ab":
            times = rng.uniform(1.0, 2.0) + 0.5 * np.arange(3) + rng.normal(0, 0.04, 3)
            source = rooms.claps(9.0, (*times, rng.uniform(6.0, 7.5)), rng)
            sounds[name] = rooms.record(source, rooms.some_phone(rng, (40, 25)[seed % 2]), rng)
        with pytest.raises(StudioError, match="Choose two files of one take"):
            sync_by_sound(sounds)


def test_talk_of_different_takes_is_refused(rooms: SimpleNamespace) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 3])
        sounds = {name: rooms.record(rooms.talk(9.0, rng), rooms.some_phone(rng, 40), rng) for name in "ab"}
        with pytest.raises(StudioError):
            sync_by_sound(sounds)


def quiet(seconds: float, times: tuple[float, ...], rng: np.random.Generator, loud: float = 0.5) -> Sound:
    samples = rng.normal(0, 0.002, round(seconds * RATE))
    burst = round(0.012 * RATE)
    for time in times:
        at = round(time * RATE)
        samples[at : at + burst] += loud * rng.normal(0, 1, burst) * np.exp(-np.arange(burst) / (0.002 * RATE))
    return Sound(RATE, samples.astype(np.float32))


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ((), (1.0, 2.0), "no clap is heard on phone a"),
        ((), (), "no clap is heard"),
        ((1.0, 2.3), (1.5,), "only 1 clap is heard on phone b"),
        ((1.0, 2.3, 4.0), (1.5, 2.0, 4.4), "only 1 clap is heard by both"),
        ((1.0, 1.5, 2.1, 3.0, 4.2), (1.2, 1.7, 2.6, 3.4, 4.3), "2 claps fit, 4 were heard by one phone alone"),
        ((1.0, 1.5, 2.0, 2.5), (3.0, 3.5, 4.0, 4.5), ""),
        ((1.0, 1.33, 1.87), (0.7, 1.36, 2.44), "one of them plays 2 times slower than the other"),
    ],
)
def test_a_clear_no(a: tuple[float, ...], b: tuple[float, ...], why: str) -> None:
    rng = np.random.default_rng(6)
    sounds = {"a": quiet(6.0, a, rng), "b": quiet(6.0, b, rng)}
    if not why:
        assert sync_by_sound(sounds).sync.offset("b") == pytest.approx(2.0, abs=1e-3)
        return
    with pytest.raises(StudioError) as raised:
        sync_by_sound(sounds)
    assert raised.value.why == why
    assert all(is_known(part) for part in (raised.value.what, raised.value.why, raised.value.next_step))


def test_claps_that_fit_in_two_ways_are_refused() -> None:
    rng = np.random.default_rng(7)
    sounds = {"a": quiet(4.0, (0.2, 1.7, 3.2), rng), "b": quiet(4.0, (0.2, 1.7), rng)}
    with pytest.raises(StudioError, match="2 claps come so regularly that they fit in several ways"):
        sync_by_sound(sounds)


def test_a_noise_beside_one_phone_does_no_harm(rooms: SimpleNamespace) -> None:
    """A hand on the phone at both ends, a step, a door far away."""
    rng = np.random.default_rng(8)
    a = quiet(8.0, (1.0, 1.6, 6.0), rng)
    b = quiet(8.0, (1.5, 2.1, 6.5, 4.0), rng)
    for time, loud in ((0.2, 2.0), (7.8, 2.0), (3.0, 0.03), (4.6, 0.03)):
        a.samples[:] += quiet(8.0, (time,), rng, loud).samples
    found = sync_by_sound({"a": a, "b": b})
    assert (found.events, found.unmatched) == (3, 1)
    assert found.sync.offset("b") == pytest.approx(0.5, abs=1e-3)


def test_too_short_silent_and_constant_sounds_are_refused() -> None:
    rng = np.random.default_rng(9)
    good = quiet(6.0, (1.0, 2.0), rng)
    with pytest.raises(StudioError, match=r"The sound of phone b is too short: it lasts 1\.50 s"):
        sync_by_sound({"a": good, "b": quiet(1.5, (1.0,), rng)})
    for flat in (0.0, 0.5):
        with pytest.raises(StudioError, match="no clap is heard"):
            sync_by_sound({"a": good, "b": Sound(RATE, np.full(6 * RATE, flat, np.float32))})


def test_when_a_sound_starts_is_heeded() -> None:
    rng = np.random.default_rng(10)
    a, b = quiet(6.0, (1.0, 2.1), rng), quiet(6.0, (1.0, 2.1), rng)
    late = Sound(RATE, b.samples, start_s=0.328)
    assert sync_by_sound({"a": a, "b": late}).sync.offset("b") == pytest.approx(0.328, abs=1e-3)
    assert find_claps(late).times == pytest.approx([1.328, 2.428], abs=1e-3)


def test_through_two_films(tmp_path: Path, rooms: SimpleNamespace) -> None:
    """AAC in MP4, sound tracks that start after the pictures."""
    rng = np.random.default_rng(11)
    recorded = pair(rooms, rooms.claps(7.0, (1.8, 2.2, 5.0), rng), 30, rng)
    read = {}
    for name, start in (("a", 0.05), ("b", 0.328)):
        sound = Sound(RATE, recorded.sounds[name].samples, start)
        write_mp4(tmp_path / f"{name}.mp4", (np.full((48, 64, 3), k, np.uint8) for k in range(180)), 30, sound)
        read[name] = read_sound(tmp_path / f"{name}.mp4")
    found = sync_by_sound(read)
    lag = errors_ms(rooms, recorded, found, (2.0,))[0]
    assert found.events == 3
    assert lag == pytest.approx(1000 * (0.328 - 0.05), abs=0.5)
