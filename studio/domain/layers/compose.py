"""Layers added to a motion, before its feet are locked again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.domain.layers.curve import offset, within
from studio.schema.layers import Layers

ROOT = 7
"""Numbers of the root in front of the hinges."""


@dataclass(frozen=True)
class Share:
    """What became of one layer at the moment ``time_s`` of its largest offset: ``asked`` and ``got``, rad.

    What several layers of one joint miss together is missing from each of them.
    """

    name: str
    joint: str
    time_s: float
    asked: float
    got: float


def with_layers(qpos: np.ndarray, joints: tuple[str, ...], times: np.ndarray, layers: Layers) -> np.ndarray:
    """(T, nq) copy of ``qpos`` with every layer that is on added to its joint; other moments keep their bits.

    ``joints`` name the hinges after the root's 7 numbers; ``times`` (T,) s. Joint limits and the ground come later.
    """
    out = qpos.copy()
    for layer in layers.layers:
        if layer.on and layer.knots:
            inside = within(layer, times)
            out[inside, ROOT + joints.index(layer.joint)] += offset(layer, times[inside])
    return out


def shares(
    before: np.ndarray, after: np.ndarray, joints: tuple[str, ...], times: np.ndarray, layers: Layers
) -> tuple[Share, ...]:
    """What every layer asked of ``before`` (T, nq) and got in ``after`` (T, nq), those that are off included (0)."""
    missing = with_layers(before, joints, times, layers) - after
    found = []
    for layer in layers.layers:
        curve = offset(layer, times) if layer.on else np.zeros(len(times))
        peak = int(np.argmax(np.abs(curve))) if len(curve) else 0
        asked = float(curve[peak])
        got = asked - float(missing[peak, ROOT + joints.index(layer.joint)]) if asked else 0.0
        found.append(Share(layer.name, layer.joint, float(times[peak]), asked, got))
    return tuple(found)
