"""What the window shows when a project was not opened: the sentence, and what to do."""

from __future__ import annotations

from PySide6.QtCore import Signal

from studio.schema.errors import StudioError
from studio.ui.pages.page import Page, laid_out
from studio.ui.widgets.buttons import PRIMARY, Button
from studio.ui.widgets.frames import column, row
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.words import Words

WIDTH = 520


class RefusalPage(Page):
    """Signals are wishes; the window fulfils them."""

    retry_requested = Signal()
    other_requested = Signal()

    def __init__(self, error: StudioError) -> None:
        super().__init__()
        self.error = error
        notice = Notice()
        notice.show_error(error)
        retry, other = Button("open.retry", "refresh", kind=PRIMARY, height=36), Button("open.other", height=36)
        retry.clicked.connect(self.retry_requested)
        other.clicked.connect(self.other_requested)
        inside = column(
            None, Words("open.failed", "page", weight=600), 16, notice, 16, row(retry, other, None), None, None, gap=0
        )
        inside.setFixedWidth(WIDTH)
        laid_out(self, (row(None, inside, None), 1))
        self.set_ready(True)
