"""A machine's suspicion about some frames."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """``kind``: below_floor, sides, outlier, jump, flick, slide, limit, collapsed, unseen, hit, ...

    ``subject``: the point, joint, phone or entry concerned. ``value`` and ``limit`` are in ``unit``. ``repaired``: the
    stage already mended it.
    """

    kind: str
    subject: str
    start_s: float
    end_s: float
    value: float
    unit: str
    limit: float
    repaired: bool = False
