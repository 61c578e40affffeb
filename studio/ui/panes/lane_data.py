"""What lies along a take, for the timeline to draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.schema.motion import Retarget

Span = tuple[float, float]

_HEELS, _BALLS = ("heel_",), ("ball_in_", "ball_out_", "toe_tip_")


@dataclass(frozen=True)
class Suspicion:
    """A finding in time: from and to (s). ``repaired`` ones are hollow."""

    start_s: float
    end_s: float
    repaired: bool


@dataclass(frozen=True)
class Flag:
    """A mark in time; settled ones are hollow."""

    time_s: float
    settled: bool


@dataclass(frozen=True)
class LaneData:
    """``contacts``: left heel, left ball, right heel, right ball, each its standing spans (s)."""

    label: str
    start_s: float
    end_s: float
    findings: tuple[Suspicion, ...] = ()
    marks: tuple[Flag, ...] = ()
    contacts: tuple[tuple[Span, ...], ...] = ((), (), (), ())


def contact_lanes(motion: Retarget) -> tuple[tuple[Span, ...], ...]:
    """The four lanes of a retarget: a ball stands while any of its points or the toe does."""
    lanes = []
    for side in "lr":
        for stems in (_HEELS, _BALLS):
            columns = [motion.soles.index(stem + side) for stem in stems if stem + side in motion.soles]
            on = np.asarray(motion.contacts[:, columns].any(axis=1))
            lanes.append(_spans(on, motion.start_s, motion.fps))
    return tuple(lanes)


def _spans(on: np.ndarray, start_s: float, fps: float) -> tuple[Span, ...]:
    """From the first to the last standing frame of each stretch, half a frame wider on both sides."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], on.astype(int), [0]])))
    return tuple((start_s + (a - 0.5) / fps, start_s + (b - 0.5) / fps) for a, b in steps.reshape(-1, 2))
