"""One joint over time, as the curve pane draws it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Place = tuple[float, float]
"""Time (s) and angle (rad)."""


@dataclass(frozen=True, eq=False)
class CurveBase:
    """What does not move under the coach's hand: ``times`` (T,) s, ``capture`` (T,) rad his own angle, the joint's
    limits ``low`` and ``high`` (rad, infinite where it has none), and named ``moments`` (s)."""

    times: np.ndarray
    capture: np.ndarray
    low: float = -np.inf
    high: float = np.inf
    moments: tuple[tuple[str, float], ...] = ()

    @property
    def start_s(self) -> float:
        return float(self.times[0])

    @property
    def end_s(self) -> float:
        return float(self.times[-1])


@dataclass(frozen=True, eq=False)
class CurveEdit:
    """What follows his hand: ``shown`` (T,) rad the fighter's angle, ``asked`` (T,) what the layers ask for.

    ``window`` (s) of the edited layer, None without one; ``knots`` on the asked curve, ``chosen`` one of them or -1.
    ``bubble``: two lines at the chosen knot; ``inside``, ``outside``: words at the foot of the window and before it.
    ``settled``: ``shown`` is solved, not a guess. ``hint``: said while there is no window.
    """

    shown: np.ndarray
    asked: np.ndarray
    window: tuple[float, float] | None = None
    knots: tuple[Place, ...] = ()
    chosen: int = -1
    bubble: tuple[str, str] = ("", "")
    inside: str = ""
    outside: str = ""
    hint: str = ""
    settled: bool = True


def same_base(old: CurveBase, new: CurveBase) -> bool:
    """Whether two grounds look the same."""
    return (old.low, old.high, old.moments) == (new.low, new.high, new.moments) and all(
        np.array_equal(a, b) for a, b in ((old.times, new.times), (old.capture, new.capture))
    )


def same_beside(base: CurveBase, old: CurveEdit, new: CurveEdit) -> bool:
    """Whether two edits show the same beside their window, which is the same."""
    if old.window != new.window or old.settled != new.settled or len(old.shown) != len(new.shown):
        return False
    first, last = (0, 0) if new.window is None else np.searchsorted(base.times, new.window)
    return all(
        np.array_equal(a[:first], b[:first]) and np.array_equal(a[last:], b[last:])
        for a, b in ((old.shown, new.shown), (old.asked, new.asked))
    )


def angles_in_view(base: CurveBase, edit: CurveEdit, first_s: float, last_s: float) -> tuple[float, float]:
    """Lowest and highest angle (rad) of all curves between two moments."""
    inside = (base.times >= first_s - 1e-9) & (base.times <= last_s + 1e-9)
    if not inside.any():
        inside[:] = True
    both = np.concatenate([curve[inside] for curve in (base.capture, edit.shown, edit.asked)])
    knots = [angle for _, angle in edit.knots] or [float(both[0])]
    return min(float(both.min()), *knots), max(float(both.max()), *knots)
