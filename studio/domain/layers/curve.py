"""The curve of a layer: minimum-jerk pieces from knot to knot, nothing before its start and after its end.

Between two knots runs the quintic that has their values and speeds and no acceleration at either: with speed zero at
both it is the minimum-jerk movement of a human hand (Flash and Hogan 1985). A knot's speed is the harmonic mean of the
two slopes beside it, zero where they differ in sign (Butland 1980), hence at most twice the flatter one. With end
speeds of a and b slopes the quintic's own speed is 30 w + a (1 - s - 15 w) + b (s - 15 w) slopes, where
s = 3 u^2 - 2 u^3 and w = u^2 (1 - u)^2: linear in a and b, and not negative at the corners of 0..2 (at 2, 2 it is
2 - 30 w >= 1/8). So the curve is monotone between knots: it never goes beyond what was asked, two equal knots hold, and
moving a knot moves at most two pieces on either side. Value, speed and acceleration are continuous everywhere.
"""

from __future__ import annotations

import numpy as np

from studio.schema.layers import Layer


def offset(layer: Layer, times: np.ndarray) -> np.ndarray:
    """(T,) rad that ``layer`` adds to its joint at ``times`` (T,) s, whether or not it is on.

    Exactly 0.0 up to its start and from its end on. The layer keeps the rules of :mod:`studio.domain.layers.rules`.
    """
    at, value = _stops(layer)
    out = np.zeros(len(times))
    inside = within(layer, times)
    if not layer.knots or not inside.any():
        return out
    speed = _speeds(at, value)
    piece = np.clip(np.searchsorted(at, times[inside], side="right") - 1, 0, len(at) - 2)
    span = np.diff(at)[piece]
    u = (times[inside] - at[piece]) / span
    rise, first, last = value[piece + 1] - value[piece], speed[piece] * span, speed[piece + 1] * span
    # u^3 (...) carries what the first speed alone does not reach, without acceleration at either end.
    miss, turn = rise - first, last - first
    out[inside] = (
        value[piece]
        + first * u
        + u**3 * ((10 * miss - 4 * turn) + u * ((7 * turn - 15 * miss) + u * (6 * miss - 3 * turn)))
    )
    return out


def within(layer: Layer, times: np.ndarray) -> np.ndarray:
    """(T,) bool: the moments at which ``layer`` may change anything."""
    return (times > layer.start_s) & (times < layer.end_s)


def _stops(layer: Layer) -> tuple[np.ndarray, np.ndarray]:
    """(K + 2,) s and rad: the knots between start and end."""
    at = np.array([layer.start_s, *(knot.time_s for knot in layer.knots), layer.end_s])
    return at, np.array([0.0, *(knot.value for knot in layer.knots), 0.0])


def _speeds(at: np.ndarray, value: np.ndarray) -> np.ndarray:
    """(K + 2,) rad/s, zero at both ends."""
    slope = np.diff(value) / np.diff(at)
    before, after = slope[:-1], slope[1:]
    agree = before * after > 0
    speed = np.zeros(len(at))
    total = np.where(agree, before + after, 1.0)
    speed[1:-1] = np.where(agree, 2 * before * after / total, 0.0)
    return speed
