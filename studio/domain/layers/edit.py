"""Changes of layers as a hand makes them: what it asks is bent to what a layer may be, never refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from studio.domain.layers.rules import LARGEST, LEAST_GAP_S
from studio.schema.layers import Knot, Layer, Layers

Change = Callable[[Layer], Layer]


def find(layers: Layers, name: str) -> Layer:
    """The layer of that name. Raises ``KeyError``."""
    for layer in layers.layers:
        if layer.name == name:
            return layer
    raise KeyError(name)


def changed(layers: Layers, name: str, change: Change) -> Layers:
    """Layers with one of them changed. Raises ``KeyError``."""
    find(layers, name)
    return Layers(tuple(change(layer) if layer.name == name else layer for layer in layers.layers))


def free_name(layers: Layers, wanted: str) -> str:
    """``wanted``, or with the first number behind it that nobody has: "knee_r", "knee_r 2"."""
    taken = {layer.name for layer in layers.layers}
    if wanted not in taken:
        return wanted
    return next(name for k in range(2, len(taken) + 3) if (name := f"{wanted} {k}") not in taken)


def move_knot(layer: Layer, index: int, time_s: float, value: float) -> Layer:
    """Knot ``index`` as near to ``time_s`` (s) as its neighbours allow, at ``value`` rad. Raises ``IndexError``."""
    stops = [layer.start_s, *(knot.time_s for knot in layer.knots), layer.end_s]
    knots = list(layer.knots)
    knots[index] = Knot(_between(time_s, stops[index], stops[index + 2]), min(max(value, -LARGEST), LARGEST))
    return replace(layer, knots=tuple(knots))


def add_knot(layer: Layer, time_s: float, value: float) -> Layer:
    """A further knot; the layer as it was where there is no room for one."""
    stops = [layer.start_s, *(knot.time_s for knot in layer.knots), layer.end_s]
    if not layer.start_s < time_s < layer.end_s:
        return layer
    index = sum(stop <= time_s for stop in stops)
    if stops[index] - stops[index - 1] < 2 * LEAST_GAP_S:
        return layer
    knots = list(layer.knots)
    time_s = _between(time_s, stops[index - 1], stops[index])
    knots.insert(index - 1, Knot(time_s, min(max(value, -LARGEST), LARGEST)))
    return replace(layer, knots=tuple(knots))


def remove_knot(layer: Layer, index: int) -> Layer:
    """Without one of its knots. Raises ``IndexError``."""
    knots = list(layer.knots)
    del knots[index]
    return replace(layer, knots=tuple(knots))


def set_window(layer: Layer, start_s: float, end_s: float) -> Layer:
    """Another start and end (s), never past a knot nor past each other."""
    if not layer.knots:
        return replace(layer, start_s=start_s, end_s=max(end_s, start_s + 2 * LEAST_GAP_S))
    first, last = layer.knots[0].time_s, layer.knots[-1].time_s
    return replace(layer, start_s=min(start_s, first - LEAST_GAP_S), end_s=max(end_s, last + LEAST_GAP_S))


def shift(layer: Layer, by_s: float) -> Layer:
    """The whole layer earlier or later."""
    knots = tuple(replace(knot, time_s=knot.time_s + by_s) for knot in layer.knots)
    return replace(layer, start_s=layer.start_s + by_s, end_s=layer.end_s + by_s, knots=knots)


def _between(time_s: float, before: float, after: float) -> float:
    return min(max(time_s, before + LEAST_GAP_S), after - LEAST_GAP_S)
