"""What all presenters are: an object without widgets that says when it has something new to show."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from studio.app.overview import StageView
from studio.app.session import Session
from studio.app.text import has, tr


class Presenter(QObject):
    """``changed`` after anything it shows has changed."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session


def stage_name(stage: int) -> str:
    return tr(f"stage.{stage}.name")


def technique_name(name: str) -> str:
    """A technique's folder as a person reads it: "leg-raise" is "Leg raise", or its translation where there is one."""
    key = f"technique.{name}"
    if has(key):
        return tr(key)
    words = name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def figures_line(view: StageView) -> str:
    """The result of a stage in one line, from the figures of its record; what the store says where they differ."""
    key = f"line.{view.stage}"
    if has(key) and view.summary:
        try:
            return tr(key, **{"count": view.summary.get("findings"), **view.summary})
        except (KeyError, IndexError, ValueError, TypeError):
            return view.line
    return view.line


def state_line(view: StageView) -> str:
    """One line of truth under a stage's name."""
    if view.state in ("done", "approved", "automatic", "needs_eyes", "stale") and (line := figures_line(view)):
        return line
    return tr(f"state.{view.state}")


def waits_for(stages: tuple[StageView, ...], stage: int, states: tuple[str, ...] = ("locked",)) -> int:
    """The first earlier stage that a stage in one of ``states`` waits for; 0 where there is none."""
    if stages[stage - 1].state not in states:
        return 0
    return next((view.stage for view in stages[: stage - 1] if not view.finished), 0)
