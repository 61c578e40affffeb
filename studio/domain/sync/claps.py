"""Claps in a sound: what starts suddenly out of a quiet room, and its first moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import uniform_filter1d
from scipy.signal import butter, find_peaks, sosfiltfilt

from studio.domain.video.audio import Sound

BAND_HZ = (1000.0, 10_000.0)
"""Where a clap is loud and voices, steps and handling are not."""
BLOCK_S = 0.001
SMOOTH_S = 0.002
LOUD = 8.0
"""How many times louder than the room a clap must be to be heard at all."""
APART_S = 0.12
SHARP = 2.5
BEFORE_S = (0.025, 0.003)
"""A clap is at once ``SHARP`` times louder than anything in this stretch before it; a voice swells slower, and the
echoes of a clap that rings on are no louder than it was."""
RINGS_S = 0.030
MOST = 24
"""Only the loudest are looked at."""
LOOK_S = (0.020, 0.008)
"""Before and after it: where the direct sound of a clap is looked for."""
RISE_SMOOTH_S = 0.0004
FIRST = 0.25
"""The direct sound has arrived at this share of the loudest; reflections and loudness come later and differ between
phones, the first arrival does not."""


@dataclass(frozen=True, eq=False)
class Claps:
    """``times`` (N,) s on the pictures' clock, when the direct sound of each arrived, increasing; ``loudness`` (N,),
    how many times louder than the room."""

    times: np.ndarray
    loudness: np.ndarray

    def __len__(self) -> int:
        return len(self.times)


def find_claps(sound: Sound) -> Claps:
    """The claps that a phone heard, by their first arrival to a fraction of a sample's neighbours."""
    heard = band(sound.samples, sound.rate)
    blocks, room = block_envelope(heard, sound.rate)
    if room <= 0:
        return Claps(np.zeros(0), np.zeros(0))
    loudness = blocks / room
    found = []
    for onset in _onsets(loudness):
        arrived = first_arrival(heard, sound.rate, onset * BLOCK_S)
        if arrived is not None:
            found.append((float(loudness[onset : onset + round(RINGS_S / BLOCK_S)].max()), arrived))
    loudest = sorted(found, reverse=True)[:MOST]
    loud, times = np.array(sorted(loudest, key=lambda clap: clap[1]), float).reshape(-1, 2).T
    return Claps(sound.start_s + times, loud)


def _onsets(loudness: np.ndarray) -> np.ndarray:
    """Blocks (K,) in which something loud starts at once."""
    longest, shortest = (round(s / BLOCK_S) for s in BEFORE_S)
    before = np.ones(len(loudness))
    for back in range(shortest, longest + 1):
        before[back:] = np.maximum(before[back:], loudness[:-back])
    sharpness = np.where(loudness >= LOUD, loudness / before, 0.0)
    return find_peaks(sharpness, height=SHARP, distance=round(APART_S / BLOCK_S))[0]


def band(samples: np.ndarray, rate: int) -> np.ndarray:
    """(N,) float64 of ``samples`` within ``BAND_HZ``, without delay."""
    sections = butter(2, BAND_HZ, "band", fs=rate, output="sos")
    return sosfiltfilt(sections, samples.astype(float))


def block_envelope(heard: np.ndarray, rate: int) -> tuple[np.ndarray, float]:
    """Loudest root mean square of each millisecond (B,), and the room's: the median where anything is heard."""
    power = np.maximum(uniform_filter1d(heard * heard, round(SMOOTH_S * rate), mode="nearest"), 0.0)
    size = round(BLOCK_S * rate)
    blocks = np.sqrt(power[: len(power) // size * size].reshape(-1, size).max(axis=1))
    audible = blocks[blocks > 1e-9 * blocks.max(initial=0.0)]
    return blocks, float(np.median(audible)) if len(audible) else 0.0


def first_arrival(heard: np.ndarray, rate: int, onset_s: float) -> float | None:
    """When (s since the first sample) the loudness rises through ``FIRST`` of its peak near ``onset_s``, between two
    samples by a straight line; None where it was loud from the start."""
    first = max(round((onset_s - LOOK_S[0]) * rate), 0)
    piece = heard[first : round((onset_s + LOOK_S[1]) * rate)]
    power = np.maximum(uniform_filter1d(piece * piece, round(RISE_SMOOTH_S * rate), mode="nearest"), 0.0)
    level = np.sqrt(power)
    quiet = level[: round(LOOK_S[0] * rate / 2)]
    threshold = max(FIRST * level.max(), 2 * (quiet.mean() + 3 * quiet.std()))
    above = int(np.argmax(level > threshold))
    if above == 0:
        return None
    low, high = level[above - 1], level[above]
    return (first + above - 1 + (threshold - low) / (high - low)) / rate
