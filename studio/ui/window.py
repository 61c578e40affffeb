"""The window: bar on top, rail at the left, one page in front."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, Qt
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow, QMenu, QStackedWidget, QWidget

from studio.app import settings as stored
from studio.app.actions import ACTIONS
from studio.app.projects import first_project
from studio.app.session import Session
from studio.app.settings import user_folder
from studio.app.text import LANGUAGE, LANGUAGES, tr
from studio.schema.errors import StudioError
from studio.ui import theme
from studio.ui.book import NAMES, make_page, place_of
from studio.ui.pages.page import MINIMUM, Page
from studio.ui.pages.refusal import RefusalPage
from studio.ui.palette import Command, KeySheet, Palette
from studio.ui.presenters.presenter import stage_name, technique_name
from studio.ui.presenters.rail import RailPresenter
from studio.ui.presenters.topbar import TopbarPresenter
from studio.ui.rail import Rail
from studio.ui.toast import Toast
from studio.ui.topbar import Topbar
from studio.ui.widgets.frames import column, row


class MainWindow(QMainWindow):
    """Shows a session. Pages are made when they are first asked for, by their names in :mod:`studio.ui.book`."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.settings = stored.load()
        self._pages: dict[str, Page] = {}
        self._name = ""
        self.setObjectName("window")
        self.setMinimumSize(MINIMUM)
        self.resize(1440, 900)
        self._topbar_presenter = TopbarPresenter(session)
        self.topbar = Topbar(self._topbar_presenter)
        self._topbar_presenter.job_changed.connect(self.topbar.refresh_job)
        self.rail = Rail(RailPresenter(session))
        self.stack = QStackedWidget()
        self.setCentralWidget(column(self.topbar, (row(self.rail, (self.stack, 1), gap=0), 1), gap=0))
        self.toast = Toast(self)
        self._commands = self._own_commands()
        self._actions = {action_id: self._make_action(action_id) for action_id in ACTIONS}
        self._wire()
        self._title()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.show_page("home")
        self.setFocus()

    @property
    def page(self) -> Page:
        """The page in front."""
        return self._pages[self._name]

    @property
    def page_name(self) -> str:
        return self._name

    def show_page(self, name: str) -> Page:
        """Bring a page to the front: "home", a stage's name, "review" or "correct" for stage 5. Raises ``KeyError``."""
        place = place_of(name)
        key = self._key(name)
        if key not in self._pages:
            self._pages[key] = self._make(key)
            self.stack.addWidget(self._pages[key])
        if key != self._name:
            if self._name:
                self.page.left()
            self._name = key
            self.stack.setCurrentWidget(self.page)
            self.rail.select(place)
            self._topbar_presenter.go(place)
            self.page.setFocus()
            self.page.opened()
            self._offer()
        return self.page

    def show_stage(self, stage: int) -> Page:
        return self.show_page(NAMES[stage])

    def open_project(self, path: Path | str) -> bool:
        """Open a project; where that is refused the window says why and what to do."""
        try:
            self.session.open(path)
        except StudioError as error:
            self.show_refusal(error, Path(path))
            return False
        self.show_page("home")
        self._remember(last_project=str(Path(path).resolve()))
        return True

    def use_theme(self, name: str) -> None:
        """Dark or light from now on."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.THEME.apply(app, name)
        self._remember(theme=name)

    def use_language(self, code: str) -> None:
        """Speak another language from now on."""
        LANGUAGE.choose(code)
        self._remember(language=code)

    def palette_commands(self) -> tuple[Command, ...]:
        """All that can be done now, by name: places, techniques, commands."""
        places = [self._place_command(stage) for stage in NAMES]
        techniques = [self._technique_command(view.name) for view in self.session.overview.techniques]
        rest = [
            Command(ACTIONS[action_id].text, ACTIONS[action_id].icon, ACTIONS[action_id].key, action.trigger)
            for action_id, action in self._actions.items()
            if action.isEnabled() and action_id != "palette" and not action_id.startswith("stage_")
        ]
        return (*places, *techniques, *rest)

    def _place_command(self, stage: int) -> Command:
        action = ACTIONS[f"stage_{stage}"]
        name = tr("palette.go", name=stage_name(stage))
        return Command(name, action.icon, action.key, lambda: self.show_stage(stage))

    def _technique_command(self, name: str) -> Command:
        text = tr("palette.technique", name=technique_name(name))
        return Command(text, "karate", "", lambda: self.session.choose(name))

    def open_palette(self) -> Palette:
        sheet = Palette(self, self.palette_commands())
        sheet.command_chosen.connect(lambda command: command.do())
        sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet.show()
        sheet.field.setFocus()
        return sheet

    def open_keys(self) -> KeySheet:
        sheet = KeySheet(self)
        sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet.show()
        return sheet

    def _own_commands(self) -> dict[str, Callable[[], object]]:
        stages = {f"stage_{stage}": lambda stage=stage: self.show_stage(stage) for stage in range(1, 10)}
        return {
            **stages,
            "home": lambda: self.show_page("home"),
            "machines": lambda: self.show_page("machines"),
            "palette": self.open_palette,
            "keys": self.open_keys,
            "theme": lambda: self.use_theme("light" if theme.THEME.name == "dark" else "dark"),
            "language": lambda: self.use_language(LANGUAGES[(LANGUAGES.index(LANGUAGE.code) + 1) % len(LANGUAGES)]),
            "open": self._ask_for_project,
            "stop": self._topbar_presenter.stop,
            "quit": self.close,
        }

    def _make_action(self, action_id: str) -> QAction:
        action = QAction(ACTIONS[action_id].text, self)
        action.setShortcuts([QKeySequence(keys) for keys in ACTIONS[action_id].keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _=False: self._do(action_id))
        self.addAction(action)
        return action

    def _do(self, action_id: str) -> None:
        do = self.page.commands.get(action_id) or self._commands.get(action_id)
        if do is not None:
            do()

    def _offer(self) -> None:
        """Only what can be done here holds its keys; the others leave them to the page."""
        for action_id, action in self._actions.items():
            action.setEnabled(action_id in self.page.commands or action_id in self._commands)

    def _wire(self) -> None:
        top = self.topbar
        top.palette_requested.connect(self.open_palette)
        top.keys_requested.connect(self.open_keys)
        top.theme_requested.connect(self.use_theme)
        top.language_requested.connect(self.use_language)
        top.open_requested.connect(self._ask_for_project)
        top.job_requested.connect(self._show_job)
        self.rail.place_chosen.connect(lambda place: self.show_page(NAMES[int(place)] if place.isdecimal() else place))
        self.rail.techniques_requested.connect(self._choose_technique)
        self.session.project_opened.connect(self._forget_pages)
        self.session.states_changed.connect(self._follow_states)
        self.session.technique_chosen.connect(lambda _: self._forget_pages())
        self.session.failed.connect(self._show_failure)
        LANGUAGE.language_changed.connect(self._speak)

    def _key(self, name: str) -> str:
        """Stage 5 is one of the two pages that show it once there is something to look at, the plain one before."""
        if name == "correct" and self.session.stage(5).revision:
            return name
        if name in ("review", "correct", "retarget"):
            return "review" if self.session.stage(5).revision else "retarget"
        return name

    def _make(self, key: str) -> Page:
        page = make_page(key, self.session)
        if hasattr(page, "stage_requested"):
            page.stage_requested.connect(self._open_stage)  # pyright: ignore[reportAttributeAccessIssue]
        page.page_requested.connect(self._show_moment)
        return page

    def _show_moment(self, name: str, time_s: float) -> None:
        """Another page, standing at a moment."""
        page = self.show_page(name)
        page.stand_at(time_s)

    def _open_stage(self, technique: str, stage: int) -> None:
        self.session.choose(technique)
        self.show_stage(stage)

    def _show_job(self) -> None:
        """The page of what runs; Home, where all of them stand, when it is more than one."""
        if len(self.session.runs) > 1:
            self.show_page("home")
            return
        running = self.session.running
        if running is not None:
            self.session.choose(running.subject)  # an unknown one is ignored: a take is no technique
        if self._topbar_presenter.job_stage:
            self.show_stage(self._topbar_presenter.job_stage)

    def _follow_states(self) -> None:
        if self._name in ("review", "retarget") and self._key(self._name) != self._name:
            self.show_page("review")
        self._title()

    def _forget_pages(self) -> None:
        """Pages of another technique or project show nothing of this one: they are made anew."""
        name = self._name or "home"
        for page in self._pages.values():
            page.left()
            page.closed()
            self.stack.removeWidget(page)
            page.deleteLater()
        self._pages, self._name = {}, ""
        self.show_page(name if name in (*NAMES.values(), "review", "correct", "machines") else "home")

    def show_refusal(self, error: StudioError, path: Path) -> None:
        """Say why a project was not opened, and what can be done."""
        page = RefusalPage(error)
        page.retry_requested.connect(lambda: self.open_project(path))
        page.other_requested.connect(self._ask_for_project)
        if self._name:
            self.page.left()
        self._pages["refusal"] = page
        self._name = "refusal"
        self.stack.addWidget(page)
        self.stack.setCurrentWidget(page)
        self._offer()

    def _show_failure(self, error: StudioError) -> None:
        shown = getattr(getattr(self.page, "presenter", None), "error", None)
        if shown is None or str(shown) != str(error):
            self.toast.show_error(error)

    def _choose_technique(self) -> None:
        menu = QMenu(self)
        for view in self.session.overview.techniques:
            menu.addAction(technique_name(view.name), lambda name=view.name: self.session.choose(name))
        menu.exec(self.rail.more.mapToGlobal(self.rail.more.rect().bottomLeft()))

    def _ask_for_project(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, tr("open.title"), str(Path.home()))
        if folder:
            self.open_project(folder)

    def _speak(self) -> None:
        for action_id, action in self._actions.items():
            action.setText(ACTIONS[action_id].text)
        for widget in self.findChildren(QWidget):
            QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
        self._title()

    def _title(self) -> None:
        name = self.session.overview.name
        self.setWindowTitle(f"{name} – {tr('app.name')}" if name else tr("app.name"))

    def _remember(self, **changes: str) -> None:
        self.settings = stored.changed(self.settings, **changes)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.toast.place()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._name:
            self.page.left()
        for page in self._pages.values():
            page.closed()
        self._remember(geometry=bytes(self.saveGeometry().toHex().data()).decode())
        self.session.close()
        super().closeEvent(event)


def open_window(path: Path | str | None = None) -> int:
    """Open the window and stay until it is closed; the exit status. Without a path: the last project, or the sample
    copied to the user's folder."""
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    app.setApplicationName("Padwork")
    session = Session()
    window = make_window(app, session)
    try:
        window.open_project(path or first_project(window.settings))
    except StudioError as error:
        window.show_refusal(error, Path(path or user_folder()))
    window.show()
    status = app.exec()
    window.close()
    return status


def make_window(app: QApplication, session: Session) -> MainWindow:
    """A window in the look and the language that were chosen last."""
    settings = stored.load()
    theme.THEME.apply(app, settings.theme)
    if settings.language:
        LANGUAGE.choose(settings.language)
    window = MainWindow(session)
    if settings.geometry:
        window.restoreGeometry(QByteArray.fromHex(settings.geometry.encode()))
    return window
