"""Quantities as a person reads them. Inside everything is seconds, metres and radians; only here they change."""

from __future__ import annotations

import math
from datetime import datetime

from studio.app.text import tr

MINUS = "\N{MINUS SIGN}"
DEGREES = {
    "deg": "degrees", "°": "degrees", "deg/frame": "degrees_per_frame", "deg/frame^2": "degrees_per_frame2"
}  # fmt: skip
"""Units of an angle and of how suddenly it changes, by what they are called in the words."""


def number(value: float, digits: int = 0) -> str:
    """A number with a true minus sign; "–" where there is none."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{digits}f}"
    return text.replace("-", "") if float(text) == 0 else text.replace("-", MINUS)


def seconds(value: float, digits: int = 3) -> str:
    return tr("unit.seconds", value=number(value, digits))


def centimetres(metres: float, digits: int = 1) -> str:
    return tr("unit.centimetres", value=number(100 * metres, digits))


def millimetres(metres: float, digits: int = 0) -> str:
    return tr("unit.millimetres", value=number(1000 * metres, digits))


def degrees(radians: float, digits: int = 1) -> str:
    return tr("unit.degrees", value=number(math.degrees(radians), digits))


def span(start_s: float, end_s: float, digits: int = 2) -> str:
    """A stretch of time on the clock, one figure where it is a single frame."""
    if end_s - start_s < 0.5 * 10**-digits:
        return seconds(start_s, digits)
    return tr("unit.span", start=number(start_s, digits), end=number(end_s, digits))


def length_of_time(value_s: float) -> str:
    """ "0:14" under an hour, "2:05:00" from there."""
    whole = max(0, round(value_s))
    hours, rest = divmod(whole, 3600)
    minutes, secs = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{secs:02d}" if hours else f"{minutes}:{secs:02d}"


def steps(count: float) -> str:
    """ "950", "24.3 k", "13.0 M"."""
    for limit, letter in ((1e6, "M"), (1e3, "k")):
        if count >= limit:
            return f"{count / limit:.1f} {letter}"
    return f"{count:.0f}"


def with_unit(value: float, unit: str) -> str:
    """A value in the unit a finding or a gate row is kept in, in the unit a person reads it in."""
    if unit == "m":
        return centimetres(value) if abs(value) < 1 else tr("unit.metres", value=number(value, 2))
    if unit in ("s", "sec"):
        return seconds(value, 2)
    if unit == "rad":
        return degrees(value)
    if unit in DEGREES:
        return tr(f"unit.{DEGREES[unit]}", value=number(value, 1))
    if unit == "frames":
        return tr("unit.frames", count=round(value))
    most = {"mm": 0 if abs(value) >= 10 else 1, "px": 1}.get(unit, 2)
    digits = 0 if float(value).is_integer() or abs(value) >= 100 else most
    return f"{number(value, digits)} {unit}".rstrip()


def moment(when: str, now: datetime | None = None) -> str:
    """ "09:24" today, "2026-10-23" before, from an ISO time; as it is where it is none."""
    try:
        then = datetime.fromisoformat(when).astimezone()
    except ValueError:
        return when
    today = (now or datetime.now().astimezone()).date()
    return then.strftime("%H:%M") if then.date() == today else then.strftime("%Y-%m-%d")
