"""A machine's suspicion about some frames."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """``kind``: sides, calibration, sync (stage 3); unseen, uncertain (4); floor, slide, float, below_floor, limit,
    flick, collapsed, balance (5 and 6); hit, neighbour (6).

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
