"""Synthetic rooms: what two phones record of one performance, each through its own echoes, clock and noise."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.signal import butter, fftconvolve, sosfiltfilt

from studio.domain.video.audio import RATE, Sound

SPEED_OF_SOUND = 343.0
REVERBERATION_S = 0.5


@dataclass(frozen=True)
class Phone:
    """``start_s``: when on the room's clock its recording begins; ``ppm`` by which its clock runs fast."""

    start_s: float
    ppm: float
    distance_m: float
    snr_db: float


def claps(seconds: float, times: tuple[float, ...], rng: np.random.Generator) -> np.ndarray:
    """Bursts of 12 ms that die away with 2 ms."""
    source = np.zeros(round(seconds * RATE))
    size = round(0.012 * RATE)
    for time in times:
        at = round(time * RATE)
        source[at : at + size] += 3 * rng.normal(0, 1, size) * np.exp(-np.arange(size) / (0.002 * RATE))
    return source


def talk(seconds: float, rng: np.random.Generator) -> np.ndarray:
    """Noise in the band of a voice, swelling eight times a second."""
    voice = sosfiltfilt(butter(2, [150, 3500], "band", fs=RATE, output="sos"), rng.normal(0, 1, round(seconds * RATE)))
    swell = np.repeat(rng.uniform(0, 1, int(seconds * 8) + 1) ** 2, RATE // 8)[: len(voice)]
    return voice * swell


def response(rng: np.random.Generator) -> np.ndarray:
    """A room's answer to an impulse: the direct sound, eight early reflections, reverberation of half a second."""
    size = round(REVERBERATION_S * RATE)
    tail = rng.normal(0, 1, size) * np.exp(-6.9 * np.arange(size) / size)
    tail[: round(0.003 * RATE)] = 0
    tail *= 0.35 / np.sqrt((tail**2).sum())
    tail[0] = 1.0
    for _ in range(8):
        tail[round(rng.uniform(0.002, 0.03) * RATE)] += rng.uniform(-0.5, 0.5)
    return tail


def record(source: np.ndarray, phone: Phone, rng: np.random.Generator) -> Sound:
    """What the phone records of ``source`` (N,) until half a second before its end, clipped at its loudest."""
    heard = fftconvolve(source, response(rng))[: len(source)]
    seconds = len(source) / RATE - phone.start_s - 0.5
    own = np.arange(round(seconds * RATE)) / RATE
    at = (phone.start_s + own * (1 + phone.ppm * 1e-6) - phone.distance_m / SPEED_OF_SOUND) * RATE
    heard = np.interp(at, np.arange(len(heard)), heard)
    heard = sosfiltfilt(butter(2, [120, 14_000], "band", fs=RATE, output="sos"), heard)
    peak = float(np.sqrt(np.convolve(heard * heard, np.ones(96) / 96, "same").max()))
    heard = np.clip(heard + rng.normal(0, peak / 10 ** (phone.snr_db / 20), len(heard)), -peak, peak)
    return Sound(RATE, (0.7 * heard / peak).astype(np.float32))


def own_time(phone: Phone, room_s: np.ndarray) -> np.ndarray:
    """When (s, own clock) a phone hears what sounds at ``room_s`` on the room's clock."""
    return (room_s + phone.distance_m / SPEED_OF_SOUND - phone.start_s) / (1 + phone.ppm * 1e-6)


def some_phone(rng: np.random.Generator, snr_db: float) -> Phone:
    """Started within 1.5 s, a clock within 30 parts in a million, 2 to 4 m away."""
    return Phone(rng.uniform(0, 1.5), rng.uniform(-30, 30), rng.uniform(2, 4), snr_db)


@pytest.fixture(scope="session")
def rooms() -> SimpleNamespace:
    """The functions of this file."""
    return SimpleNamespace(
        claps=claps, talk=talk, record=record, own_time=own_time, some_phone=some_phone, phone=Phone, rate=RATE
    )
