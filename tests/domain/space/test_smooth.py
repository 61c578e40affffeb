"""The display low-pass keeps a kick and does not reach across gaps."""

from __future__ import annotations

import numpy as np
import pytest

from studio.domain.space.smooth import low_pass

FPS = 60.0


def test_slow_passes_and_fast_is_stopped():
    times = np.arange(240) / FPS
    slow, fast = np.sin(2 * np.pi * 2 * times), np.sin(2 * np.pi * 25 * times)
    inner = slice(30, -30)
    assert np.abs(low_pass(slow, FPS) - slow)[inner].max() < 0.01
    assert np.abs(low_pass(fast, FPS))[inner].max() < 0.05


def test_the_peak_speed_of_a_kick_survives_12_hz_and_not_6(kicker):
    toe = kicker(np.arange(150) / FPS)[:, 20 + 1]
    peak = [np.linalg.norm(np.gradient(p, 1 / FPS, axis=0), axis=1).max() for p in (toe, low_pass(toe, FPS))]
    assert peak[1] == pytest.approx(peak[0], rel=0.02)
    coarse = np.linalg.norm(np.gradient(low_pass(toe, FPS, 6.0), 1 / FPS, axis=0), axis=1).max()
    assert coarse < 0.97 * peak[0]


def test_each_run_by_itself():
    values = np.concatenate([np.zeros(40), np.full(5, np.nan), np.ones(40), np.full(3, np.nan), [5.0, 6.0]])
    smooth = low_pass(np.stack([values, values], axis=1), FPS)
    assert np.allclose(smooth[:40], 0) and np.allclose(smooth[45:85], 1)
    assert np.array_equal(np.isnan(smooth[:, 0]), np.isnan(values))
    assert smooth[-2:, 1].tolist() == [5.0, 6.0]
    with pytest.raises(ValueError, match="half of"):
        low_pass(values, 20.0)
