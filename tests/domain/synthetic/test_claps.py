"""Each phone hears the claps when the air brings them, on its own clock."""

from __future__ import annotations

import numpy as np
import pytest

from studio.domain.synthetic import phones
from studio.domain.synthetic.claps import NOISE, SPEED_OF_SOUND, heard
from studio.domain.video.audio import RATE

CLAPS = (0.23, 0.51, 0.86, 3.34)


def onsets(samples: np.ndarray, threshold: float) -> np.ndarray:
    """s at which something loud begins after at least 60 ms of less."""
    loud = np.flatnonzero(np.abs(samples) > threshold)
    return loud[np.diff(loud, prepend=-RATE) > 0.06 * RATE] / RATE


@pytest.mark.parametrize("phone", ["a", "b"])
def test_claps_arrive_after_their_way(phone: str) -> None:
    sound = heard(phone, CLAPS, 3.6, 11)
    late = phones.LATE_S[phone] + phones.clap_way_m(phone) / SPEED_OF_SOUND
    found = onsets(sound.samples, 0.15)
    assert len(found) == len(CLAPS)
    assert np.abs(found - np.array(CLAPS) - late).max() < 0.001


def test_the_arrivals_differ_by_the_clocks_alone() -> None:
    found = [onsets(heard(phone, CLAPS, 3.6, 11).samples, 0.15) for phone in "ab"]
    assert np.abs(found[1] - found[0] - 0.037).max() < 0.0005


@pytest.mark.parametrize("phone", ["a", "b"])
def test_between_claps_there_is_the_noise_of_the_room(phone: str) -> None:
    sound = heard(phone, CLAPS, 3.6, 11)
    assert sound.rate == RATE and sound.start_s == 0.0 and len(sound.samples) == round(3.6 * RATE)
    quiet = sound.samples[round(2.0 * RATE) : round(3.0 * RATE)]
    assert quiet.std() == pytest.approx(NOISE[phone], rel=0.1)
    echo = sound.samples[round(0.31 * RATE) : round(0.36 * RATE)]
    assert echo.std() > 1.5 * NOISE[phone], "a room rings on"
    assert np.abs(sound.samples).max() < 1.0


def test_it_sounds_the_same_every_time() -> None:
    first, second = heard("a", CLAPS, 3.6, 11), heard("a", CLAPS, 3.6, 11)
    assert np.array_equal(first.samples, second.samples)
    assert not np.array_equal(first.samples, heard("a", CLAPS, 3.6, 12).samples)
