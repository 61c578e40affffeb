"""What a layer must be before anything is made of it: a hand may have written it, or another program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from studio.schema.errors import StudioError
from studio.schema.layers import Layer, Layers

MOST_LAYERS, MOST_KNOTS = 64, 32
LONGEST_NAME, LONGEST_WORDS = 80, 500
LEAST_GAP_S = 0.02
"""s between knots, and between a knot and an end of the window: about a frame."""
ROUNDING_S = 1e-9
"""s that a time kept at the least distance may be off by its last bits."""
LARGEST = math.pi
"""rad of one knot."""


def checked(layers: Layers, joints: Sequence[str]) -> Layers:
    """The same layers. Raises :class:`StudioError` naming the first layer that cannot be used, and why."""
    if len(layers.layers) > MOST_LAYERS:
        why = f"there are {len(layers.layers)} layers where {MOST_LAYERS} are allowed"
        raise StudioError("The layers cannot be used", why, "Remove some of them")
    taken: set[str] = set()
    for layer in layers.layers:
        why = _fault(layer, joints, taken)
        if why:
            raise StudioError(f"Layer {layer.name[:LONGEST_NAME]!r} cannot be used", why, "Correct layers.toml")
        taken.add(layer.name)
    return layers


def _fault(layer: Layer, joints: Sequence[str], taken: set[str]) -> str:
    """Why a layer cannot be used, or nothing."""
    if not layer.name.strip() or len(layer.name) > LONGEST_NAME or not layer.name.isprintable():
        return "its name is empty or too long"
    if layer.name in taken:
        return "another layer has the same name"
    if len(layer.words) > LONGEST_WORDS:
        return "its words are too long"
    if layer.joint not in joints:
        return f"the body has no joint {layer.joint[:40]!r}"
    return _fault_in_time(layer)


def _fault_in_time(layer: Layer) -> str:
    numbers = [layer.start_s, layer.end_s, *(n for knot in layer.knots for n in (knot.time_s, knot.value))]
    if not all(math.isfinite(number) for number in numbers):
        return "it holds a number that is not finite"
    if len(layer.knots) > MOST_KNOTS:
        return f"it has {len(layer.knots)} knots where {MOST_KNOTS} are allowed"
    if layer.end_s - layer.start_s < 2 * LEAST_GAP_S - ROUNDING_S:
        return "its window is empty or too short"
    if any(abs(knot.value) > LARGEST for knot in layer.knots):
        return "it turns a joint by more than half a turn"
    times = [knot.time_s for knot in layer.knots]
    if any(not layer.start_s < time < layer.end_s for time in times):
        return "a knot lies outside its window"
    stops = [layer.start_s, *times, layer.end_s]
    if any(after - before < LEAST_GAP_S - ROUNDING_S for before, after in pairwise(stops)):
        return "two of its knots overlap"
    return ""
