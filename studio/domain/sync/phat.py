"""Lags of a sound without claps: talk, pads and music, correlated window by window.

Generalised cross-correlation with phase transform (Knapp and Carter, 1976), its weighting softened so that bands in
which a phone hears nothing but noise count for less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.signal import fftconvolve

from studio.domain.sync.claps import BLOCK_S, band, block_envelope
from studio.domain.video.audio import Sound

WINDOW_S = 2.0
"""Windows do not overlap, so that one noise is one witness."""
AROUND_S = 0.030
BAND_HZ = (300.0, 8000.0)
WHITENING = 0.8
CLEAR = 1.4
"""How many times higher than anything 20 ms away the peak of a window must be to count."""
BESIDE_S = 0.020
SURE_COARSE = 6.0
"""Standard deviations by which the right rough lag stands out: 10 and more where it is right, 3.6 to 4.1 where it is
not."""
LEAST_OVERLAP_S = 4.0


@dataclass(frozen=True, eq=False)
class Windows:
    """``times`` (K,) s, middle of each clear window on phone a's clock; ``lags`` (K,) s by which the other's clock was
    then ahead."""

    times: np.ndarray
    lags: np.ndarray


def window_lags(a: Sound, b: Sound) -> Windows:
    """The lag of every window in which both phones clearly hear the same; none where not even a rough lag is found."""
    rough = rough_lag(a, b)
    if rough is None:
        return Windows(np.zeros(0), np.zeros(0))
    size = round(WINDOW_S * a.rate)
    behind = round((rough - b.start_s + a.start_s) * b.rate)
    found = []
    for first in range(0, len(a.samples) - size + 1, size):
        other = first + behind
        if other < 0 or other + size > len(b.samples):
            continue
        lag = _lag(a.samples[first : first + size], b.samples[other : other + size], a.rate)
        if lag is not None:
            start = a.start_s + first / a.rate
            found.append((start + WINDOW_S / 2, b.start_s + other / b.rate - start + lag))
    times, lags = np.array(found, float).reshape(-1, 2).T
    return Windows(times, lags)


def rough_lag(a: Sound, b: Sound) -> float | None:
    """Seconds to a millisecond by which b's clock is ahead, where both get louder together; None where no lag stands
    out."""
    rises_a, rises_b = _rises(a), _rises(b)
    least = round(LEAST_OVERLAP_S / BLOCK_S)
    if min(len(rises_a), len(rises_b)) < least:
        return None
    alike = fftconvolve(rises_b, rises_a[::-1])
    lags = np.arange(-len(rises_a) + 1, len(rises_b))
    overlap = np.minimum(len(rises_a), len(rises_b) - lags) - np.maximum(0, -lags)
    alike, lags = alike[overlap >= least], lags[overlap >= least]
    if alike.std() <= 0 or (alike.max() - alike.mean()) / alike.std() < SURE_COARSE:
        return None
    return float(lags[np.argmax(alike)]) * BLOCK_S + b.start_s - a.start_s


def _rises(sound: Sound) -> np.ndarray:
    """(B,) by how much the loudness rises per millisecond (log), its mean taken away."""
    blocks, room = block_envelope(band(sound.samples, sound.rate), sound.rate)
    if room <= 0:
        return np.zeros(len(blocks))
    rises = np.maximum(np.diff(np.log(np.maximum(blocks, 1e-3 * room))), 0.0)
    return rises - rises.mean()


def _lag(a: np.ndarray, b: np.ndarray, rate: int) -> float | None:
    """Seconds by which ``b`` (N,) is behind ``a`` (N,), between two samples by a parabola; None where unclear."""
    length = 2 * len(a)
    cross = np.conj(np.fft.rfft(a, length)) * np.fft.rfft(b, length)
    frequency = np.fft.rfftfreq(length, 1 / rate)
    strength = np.abs(cross)
    if not strength.any():
        return None
    cross = np.where((frequency > BAND_HZ[0]) & (frequency < BAND_HZ[1]), cross / (strength + 1e-12) ** WHITENING, 0)
    reach = round(AROUND_S * rate)
    alike = np.roll(np.fft.irfft(cross, length), reach)[: 2 * reach + 1]
    peak = int(np.argmax(alike))
    beside = round(BESIDE_S * rate)
    others = np.concatenate([alike[: max(peak - beside, 0)], alike[peak + beside + 1 :]])
    if not 0 < peak < 2 * reach or not len(others) or alike[peak] < CLEAR * others.max():
        return None
    before, here, after = alike[peak - 1 : peak + 2]
    return (peak - reach + 0.5 * (before - after) / (before - 2 * here + after)) / rate
