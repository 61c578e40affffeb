"""The coach's corrections: smooth changes of named joints over a window of time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Knot:
    """A point of a layer's curve: ``value`` rad added to the joint at ``time_s`` on the take's common clock."""

    time_s: float
    value: float


@dataclass(frozen=True)
class Layer:
    """An additive offset of one hinge, named as in the body. It is zero up to ``start_s`` and from ``end_s`` on, with
    zero speed and acceleration at both, and passes through ``knots``, which lie between them in order of time.

    ``name`` is unique in its technique; ``words``: what the coach said of it; ``on`` False keeps it without effect.
    """

    name: str
    joint: str
    start_s: float
    end_s: float
    knots: tuple[Knot, ...] = ()
    words: str = ""
    on: bool = True


@dataclass(frozen=True)
class Layers:
    """All layers of a technique (layers.toml), applied in order; offsets of one joint add up."""

    layers: tuple[Layer, ...] = ()
