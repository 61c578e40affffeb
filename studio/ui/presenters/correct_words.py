"""Corrections in words: the list of layers, the bubble at a knot, the checks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from studio.app import units
from studio.app.correction import Correction, in_effect
from studio.app.joints import joint_title, layer_title
from studio.app.text import tr
from studio.schema.layers import Layer
from studio.ui.presenters.stage import Pair


@dataclass(frozen=True)
class LayerLine:
    """A layer as the list shows it."""

    name: str
    title: str
    detail: str
    amount: str
    on: bool


def signed(radians: float, digits: int = 1) -> str:
    """An angle with its sign: "+9.4°"."""
    degrees = math.degrees(radians)
    sign = "+" if round(degrees, digits) > 0 else ""
    return sign + tr("unit.degrees", value=units.number(degrees, digits))


def layer_line(layer: Layer) -> LayerLine:
    """Its title; where it acts, unless the title says so, and when; and the most it asks for."""
    title, when = layer_title(layer), units.span(layer.start_s, layer.end_s)
    most = max((knot.value for knot in layer.knots), key=abs, default=0.0)
    where = joint_title(layer.joint)
    detail = when if title.startswith(where) else f"{where} · {when}"
    return LayerLine(layer.name, title, detail, signed(most), layer.on)


def bubble(state: Correction, layer: Layer, knot: int) -> tuple[str, str]:
    """The knot's angle and the one before; what was asked and what came of it."""
    time_s = layer.knots[knot].time_s
    wanted, got = state.asked_and_got(layer, time_s)
    before = _at(state, layer, time_s)
    first = tr("correct.was", value=signed(before + got), before=signed(before))
    if not layer.on:
        return first, tr("correct.is_off")
    if not state.settled:
        return first, tr("correct.locking", asked=signed(wanted))
    return first, tr("correct.asked_got", asked=signed(wanted), got=signed(got))


def note(state: Correction, layer: Layer, time_s: float) -> str:
    """What a layer asks at a moment and what came of it; nothing outside its window."""
    if not layer.on or not layer.start_s < time_s < layer.end_s:
        return ""
    wanted, got = state.asked_and_got(layer, time_s)
    if not state.settled:
        return tr("correct.locking", asked=signed(wanted))
    return tr("correct.asked_got", asked=signed(wanted), got=signed(got))


def window(layer: Layer) -> str:
    return units.span(layer.start_s, layer.end_s)


def unchanged(state: Correction) -> str:
    """The same as :func:`outside` in two words, for beside the curve."""
    if not state.settled:
        return tr("correct.locking_short")
    return tr("correct.unchanged", count=state.outside[1]) if in_effect(state.answered).layers else ""


def outside(state: Correction) -> str:
    """Whether anything changed where no layer is, from the arrays of the answer; nothing while it is awaited."""
    there = in_effect(state.answered).layers
    if not state.settled:
        return tr("correct.waiting")
    if not there:
        return ""
    _, changed = state.outside
    if len(there) > 1:
        key = "correct.outside_all" if not changed else "correct.outside_all_changed"
        return tr(key, windows=len(there), count=changed)
    when = window(next(iter(there)))
    return tr("correct.outside", when=when) if not changed else tr("correct.outside_changed", when=when, count=changed)


def checks(state: Correction, layer: Layer | None) -> tuple[Pair, ...]:
    """Figures of the answer: what stayed, what was asked and got, how near to a limit."""
    pairs = []
    if in_effect(state.answered).layers:
        frames, changed = state.outside
        waiting = tr("correct.locking_short")
        pairs.append(
            Pair(
                tr("correct.check.outside", count=frames),
                tr("correct.differences", count=changed) if state.settled else waiting,
            )
        )
    if layer is not None and layer.knots:
        peak = max(layer.knots, key=lambda knot: abs(knot.value)).time_s
        wanted, got = state.asked_and_got(layer, peak)
        pairs.append(Pair(tr("correct.check.asked"), signed(wanted)))
        pairs.append(Pair(tr("correct.check.got"), signed(got) if state.settled else tr("correct.locking_short")))
        room = state.room(layer.joint, (layer.start_s, layer.end_s))
        pairs.append(Pair(tr("correct.check.room"), tr("unit.degrees", value=units.number(math.degrees(room), 1))))
    return tuple(pairs)


def _at(state: Correction, layer: Layer, time_s: float) -> float:
    """The joint at a moment without this layer, rad."""
    return float(state.others(layer.joint, layer.name, np.array([time_s]))[0])
