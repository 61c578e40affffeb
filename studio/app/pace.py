"""Something that is asked for more often than it is worth doing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Pace(QObject):
    """Does ``what`` at once where it was not done within the last ``every_ms``, else when they are over, and once for
    all that came in between."""

    def __init__(self, every_ms: int, what: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._what, self._waits = what, False
        self._timer = QTimer(self, interval=every_ms, singleShot=True)
        self._timer.timeout.connect(self._later)

    def ask(self, now: bool = False) -> None:
        """Do it soon, or ``now`` whatever was done before."""
        if not now and self._timer.isActive():
            self._waits = True
            return
        self._waits = False
        self._timer.start()
        self._what()

    def _later(self) -> None:
        if self._waits:
            self.ask()
