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
APART_S = 0.25
SHARP = 2.5
"""How many times louder than what went before (4 to 25 ms earlier) a clap is; a voice swells slower."""
MOST = 24
"""Only the loudest are looked at."""
BEFORE_S, AFTER_S = 0.030, 0.012
"""Around its loudest moment: where the direct sound of a clap is looked for."""
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
    peaks, _ = find_peaks(loudness, height=LOUD, distance=round(APART_S / BLOCK_S))
    peaks = np.array([p for p in peaks if loudness[p] > SHARP * (1 + loudness[max(p - 25, 0) : max(p - 4, 1)].max())])
    loudest = np.sort(peaks[np.argsort(-loudness[peaks])[:MOST]]) if len(peaks) else np.zeros(0, int)
    found = [(first_arrival(heard, sound.rate, peak * BLOCK_S), loudness[peak]) for peak in loudest]
    found = [(time, loud) for time, loud in found if time is not None]
    times, loud = np.array(found, float).reshape(-1, 2).T
    order = np.argsort(times)
    return Claps(sound.start_s + times[order], loud[order])


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


def first_arrival(heard: np.ndarray, rate: int, peak_s: float) -> float | None:
    """When (s since the first sample) the loudness rises through ``FIRST`` of its peak near ``peak_s``, between two
    samples by a straight line; None where it was loud from the start."""
    first = max(round((peak_s - BEFORE_S) * rate), 0)
    piece = heard[first : round((peak_s + AFTER_S) * rate)]
    power = np.maximum(uniform_filter1d(piece * piece, round(RISE_SMOOTH_S * rate), mode="nearest"), 0.0)
    level = np.sqrt(power)
    quiet = level[: round(0.012 * rate)]
    threshold = max(FIRST * level.max(), 2 * (quiet.mean() + 3 * quiet.std()))
    above = int(np.argmax(level > threshold))
    if above == 0:
        return None
    low, high = level[above - 1], level[above]
    return (first + above - 1 + (threshold - low) / (high - low)) / rate
