"""One line of truth under a stage's name, made from the figures of its record."""

from __future__ import annotations

from typing import Any

TEMPLATES = {
    1: "{takes} take, {phones} phones, {width} x {height} px",
    2: "{model}, {frames} frames, seen {seen_percent:.0f} %",
    3: "{frames} frames, {residual_px:.1f} px, {swaps} frames with sides swapped",
    4: "{frames} frames, {residual_mm:.0f} mm from the points",
    5: "{frames} frames, feet slide {slide_peak_mm:.0f} mm, {findings} findings",
    6: "{entries} targets, worst hit {hit_error_mm:.0f} mm",
    7: "{iterations} iterations, {snapshots} snapshots",
    8: "{rows_passed} of {rows_judged} rows pass",
    9: "{passed} of {skills} skills pass, {left_percent:.1f} % of the error left",
}


def line(stage: int, summary: dict[str, Any]) -> str:
    """The sentence for a finished stage; what figures there are where the record is of another version."""
    try:
        return TEMPLATES[stage].format(**summary)
    except (KeyError, ValueError, TypeError):
        return ", ".join(f"{name} {value}" for name, value in list(summary.items())[:3])
