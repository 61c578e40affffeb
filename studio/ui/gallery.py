"""Pictures of every page of a project, taken without a screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from studio.app.session import Session
from studio.app.text import LANGUAGE
from studio.schema.errors import StudioError
from studio.ui import theme
from studio.ui.book import NAMES
from studio.ui.window import MainWindow

SIZE = QSize(1440, 900)
PAGES = ("home", *("review" if name == "retarget" else name for name in NAMES.values()), "machines")
LOOKS = (("dark", "en"), ("light", "ja"))
"""Each theme and each language once."""

PATIENCE_S = 90.0
SETTLING = 4
"""Rounds of events in which a page that scrolls finds its height."""


def write_gallery(project: Path, folder: Path, pages: Sequence[str] = PAGES) -> Iterator[Path]:
    """Open the project in a window that is not shown and write a PNG of each of its ``pages`` in each of :data:`LOOKS`.

    Yields each file once it is written. Raises :class:`StudioError` where the project cannot be opened or a page does
    not finish loading.
    """
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication([])
    folder.mkdir(parents=True, exist_ok=True)
    before = theme.THEME.name, LANGUAGE.code
    for look, language in LOOKS:
        theme.THEME.apply(app, look)
        LANGUAGE.choose(language)
        session = Session()
        window = MainWindow(session)
        window.resize(SIZE)
        try:
            session.open(project)
            for name in pages:
                yield _picture(app, window, name, folder / f"{name}-{look}-{language}.png")
        finally:
            window.close()
    theme.THEME.apply(app, before[0])
    LANGUAGE.choose(before[1])


def _picture(app: QApplication, window: MainWindow, name: str, path: Path) -> Path:
    _wait(app, lambda: bool(window.session.overview.techniques), "The project")
    window.show()
    page = window.show_page(name)
    _wait(app, lambda: page.ready and window.session.idle, f"The page {name}")
    page.show_telling_moment()
    _wait(app, lambda: page.ready and window.session.idle, f"The page {name}")
    if not window.grab().save(str(path)):
        raise StudioError(f"{path} could not be written", "the disk refused it", "Choose another folder")
    return path


def _wait(app: QApplication, finished: Callable[[], bool], what: str) -> None:
    """Let the window work until it has finished."""
    end = time.monotonic() + PATIENCE_S
    while not finished():
        app.processEvents()
        time.sleep(0.005)
        if time.monotonic() > end:
            raise StudioError(f"{what} did not load", f"it took more than {PATIENCE_S:.0f} s", "Look at the log")
    for _ in range(SETTLING):
        app.processEvents()
