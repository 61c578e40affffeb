"""What a person is told when something failed: what, why, and what to do next. In grey: red is for verdicts."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio.app.said import sentence
from studio.schema.errors import StudioError
from studio.ui.widgets.frames import grounded, row
from studio.ui.widgets.words import Icon, Words


class Notice(QFrame):
    """Hidden as long as there is nothing to say."""

    def __init__(self) -> None:
        super().__init__()
        self._error: StudioError | None = None
        grounded(self, "selected")
        self.what = Words("", "body", weight=600, wrap=True)
        self.why = Words("", "body", "text2", wrap=True)
        self.next = Words("", "body", "text", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.setSpacing(4)
        layout.addWidget(row(Icon("information-outline", 16, "text"), (self.what, 1)))
        layout.addWidget(self.why)
        layout.addWidget(self.next)
        self.show_error(None)

    def show_error(self, error: StudioError | None) -> None:
        self._error = error
        self.setVisible(error is not None)
        if error is not None:
            self.what.show_text(sentence(error.what))
            self.why.show_text(sentence(error.why))
            self.next.show_text(sentence(error.next_step))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange and self._error is not None:
            self.show_error(self._error)
        super().changeEvent(event)
