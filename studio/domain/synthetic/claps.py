"""What the phones hear: claps in a room, each by its own way, and the noise of the room."""

from __future__ import annotations

import numpy as np
from scipy.signal import butter, sosfilt

from studio.domain.synthetic import phones
from studio.domain.video.audio import RATE, Sound

SPEED_OF_SOUND = 343.0
"""m/s in air of 20 degrees."""

CLAP_S, CLAP_BAND = 0.012, (700.0, 7000.0)
"""How fast a clap dies away (s, to 1/e), and where it is loudest (Hz)."""

ROOM_S, ROOM_SHARE, ECHOES = 0.09, 0.012, ((0.0083, 0.35), (0.0147, -0.25), (0.0236, 0.20), (0.0391, 0.12))
"""The room: how its reverberation dies away (s, to 1/e) and begins, and its first echoes (s after the clap, share)."""

LOUDNESS = {"a": 0.60, "b": 0.42}
NOISE = {"a": 0.004, "b": 0.006}
"""Peak of a clap and noise (root mean square) of full scale: the phones differ."""

BEFORE_S = 0.02
"""s of sound that is made before time 0, so that a filter is at rest when it begins."""


def heard(phone: str, claps_s: tuple[float, ...], duration_s: float, seed: int) -> Sound:
    """The sound track of a phone's film of ``duration_s``: claps at ``claps_s`` on the common clock, later by its own
    clock and by their way through the air."""
    rng = np.random.default_rng([seed, ord(phone)])
    count = round((duration_s + BEFORE_S) * RATE)
    samples = rng.normal(0.0, NOISE[phone], count)
    late = phones.LATE_S[phone] + phones.clap_way_m(phone) / SPEED_OF_SOUND
    own_room = np.random.default_rng([seed, ord(phone), 1])
    response = _room(own_room)
    for number, at in enumerate(claps_s):
        clap = np.convolve(_clap(np.random.default_rng([seed, number])), response)
        first = round((at + late + BEFORE_S) * RATE)
        length = min(len(clap), count - first)
        samples[first : first + length] += LOUDNESS[phone] * clap[:length]
    return Sound(RATE, samples[round(BEFORE_S * RATE) :].astype(np.float32))


def _clap(rng: np.random.Generator) -> np.ndarray:
    """(N,) a burst of noise with its largest at once, peak 1."""
    time = np.arange(round(6 * CLAP_S * RATE)) / RATE
    burst = rng.normal(size=len(time)) * np.exp(-time / CLAP_S)
    burst[0] = 4.0
    shaped = np.asarray(sosfilt(butter(2, CLAP_BAND, btype="bandpass", fs=RATE, output="sos"), burst))
    return shaped / np.abs(shaped).max()


def _room(rng: np.random.Generator) -> np.ndarray:
    """(N,) response of the room to an impulse where this phone stands: the direct sound first."""
    time = np.arange(round(4 * ROOM_S * RATE)) / RATE
    response = ROOM_SHARE * rng.normal(size=len(time)) * np.exp(-time / ROOM_S)
    response[: round(ECHOES[0][0] * RATE)] = 0.0
    for after, share in ECHOES:
        response[round(after * rng.uniform(0.9, 1.1) * RATE)] += share
    response[0] = 1.0
    return response
