"""What the coach did, step by step, to be undone and redone: one step for each gesture, told in his words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoGroup, QUndoStack

from studio.app.text import tr


class _Step(QUndoCommand):
    """``told``: key and values of its words, so that they follow the window's language."""

    def __init__(self, told: tuple[str, dict[str, str]], undo: Callable[[], None], redo: Callable[[], None]) -> None:
        super().__init__()
        self.told, self._undo, self._redo = told, undo, redo

    def undo(self) -> None:
        self._undo()

    def redo(self) -> None:
        self._redo()


class History(QObject):
    """Steps of each subject (a technique) apart; those of the chosen one are undone. ``changed``: what can be undone
    or redone is another than before."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._group = QUndoGroup(self)
        self._stacks: dict[str, QUndoStack] = {}
        self._group.indexChanged.connect(lambda _: self.changed.emit())
        self._group.activeStackChanged.connect(lambda _: self.changed.emit())

    @property
    def can_undo(self) -> bool:
        return self._group.canUndo()

    @property
    def can_redo(self) -> bool:
        return self._group.canRedo()

    @property
    def undo_text(self) -> str:
        """What would be undone, empty where nothing can be."""
        return self._text(-1) if self.can_undo else ""

    @property
    def redo_text(self) -> str:
        """What would be done again, empty where nothing can be."""
        return self._text(0) if self.can_redo else ""

    def choose(self, subject: str) -> None:
        """Undo the steps of ``subject`` from now on."""
        if subject not in self._stacks:
            self._stacks[subject] = QUndoStack(self._group)
        self._stacks[subject].setActive(True)

    def do(self, key: str, values: dict[str, str], undo: Callable[[], None], redo: Callable[[], None]) -> None:
        """Take a step of the chosen subject: calls ``redo`` now. ``key``: its words. What was undone is forgotten."""
        stack = self._group.activeStack()
        if stack is not None:
            stack.push(_Step((key, values), undo, redo))

    def undo(self) -> None:
        """Take the last step back; nothing where there is none."""
        self._group.undo()

    def redo(self) -> None:
        """Take the step that was taken back once more; nothing where there is none."""
        self._group.redo()

    def clear(self) -> None:
        """Forget the steps of every subject."""
        for stack in self._stacks.values():
            self._group.removeStack(stack)
            stack.deleteLater()
        self._stacks = {}
        self.changed.emit()

    def _text(self, offset: int) -> str:
        stack = self._group.activeStack()
        step = stack.command(stack.index() + offset) if stack is not None else None
        return tr(step.told[0], **step.told[1]) if isinstance(step, _Step) else ""
