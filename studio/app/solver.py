"""The solver of one technique's layers as the window sees it: asked at any moment, answers as signals."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from studio.jobs.answers import Answer, Solved
from studio.jobs.solving import Solving
from studio.schema.errors import StudioError
from studio.schema.layers import Layers
from studio.store.project import Project


class _Voice(QObject):
    """Carries what the solver's thread hears to the thread of the window."""

    answered = Signal(object, object)
    failed = Signal(object)


class Solver(QObject):
    """A process of its own that loads the newest retarget of ``technique`` and applies layers to it.

    The newest wish wins. ``solved``: layers, the :class:`~studio.schema.motion.Retarget` with them, and what every
    layer asked and got (:class:`~studio.domain.layers.compose.Share`). ``previewed``: layers that were overtaken while
    they were solved, and a motion that is near enough for the eye, not to be measured. ``failed``: a ``StudioError``.
    """

    solved = Signal(object, object, object)
    previewed = Signal(object, object)
    failed = Signal(object)
    busy_changed = Signal(bool)

    def __init__(self, project: Project, technique: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._busy, self._newest, self._closed = False, 0, False
        self._voice = _Voice()
        self._voice.answered.connect(self._hear)
        self._voice.failed.connect(self._fail)
        self._solving = Solving(project, technique, self._voice.answered.emit, self._voice.failed.emit)

    @property
    def is_busy(self) -> bool:
        """Whether the newest wish waits for its answer."""
        return self._busy

    @property
    def pid(self) -> int:
        """Of its process; 0 while there is none."""
        return self._solving.pid

    def ask(self, layers: Layers) -> None:
        """Wish for the motion with ``layers``. Returns at once; earlier wishes are overtaken. Ignored once closed."""
        if self._closed:
            return
        self._newest = self._solving.ask(layers)
        self._be_busy(True)

    def close(self) -> None:
        """End its process. Nothing is told afterwards."""
        if self._closed:
            return
        self._closed = True
        self._voice.answered.disconnect()
        self._voice.failed.disconnect()
        self._solving.close()
        self._be_busy(False)

    def join(self) -> None:
        """Until its process is gone, after :meth:`close`."""
        self._solving.join()

    def _hear(self, layers: Layers, answer: Answer) -> None:
        if answer.number == self._newest:
            self._be_busy(False)
        if not isinstance(answer, Solved):
            self.failed.emit(answer.error)
        elif answer.settled:
            self.solved.emit(layers, answer.retarget, answer.shares)
        else:
            self.previewed.emit(layers, answer.retarget)

    def _fail(self, error: StudioError) -> None:
        self._be_busy(False)
        self.failed.emit(error)

    def _be_busy(self, busy: bool) -> None:
        if busy != self._busy:
            self._busy = busy
            self.busy_changed.emit(busy)
