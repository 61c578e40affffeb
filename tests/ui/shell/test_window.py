"""The window: pages, keys, palette, look, language, and what it says when it may not open."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from studio.app.actions import ACTIONS
from studio.app.session import Session
from studio.app.settings import load
from studio.app.text import LANGUAGE, tr
from studio.schema.errors import StudioError
from studio.store.project import Project
from studio.ui import theme
from studio.ui.pages.refusal import RefusalPage
from studio.ui.palette import Command, matching
from studio.ui.window import MainWindow, open_window

PAGES = ("home", "capture", "keypoints", "space", "skeleton", "variants", "teacher", "gate", "student")
VIOLET_BUTTONS = {"approve", "open_card"}
fit = sys.modules["fit"]


def ready(window: MainWindow, name: str, qtbot):
    page = window.show_page(name)
    qtbot.waitUntil(lambda: page.ready and window.session.idle, timeout=20_000)
    return page


@pytest.mark.parametrize("size", [(1440, 900), (1280, 800)], ids=["1440", "1280"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_word_fits_on_every_page(window, qtbot, language, size):
    LANGUAGE.choose(language)
    window.resize(*size)
    for name in PAGES:
        page = ready(window, name, qtbot)
        assert fit.misfits(window) == [], name
        assert window.width() == size[0], f"{name} makes the window wider"
        if name == "teacher":
            page.show_view(0)
            qtbot.waitUntil(lambda page=page: page.ready, timeout=10_000)
            assert fit.misfits(window) == [], "train"
        if name == "gate":
            metrics = page.grid.fontMetrics()
            assert all(metrics.horizontalAdvance(row.name) <= page.grid.name_width() for row in page.presenter.rows)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_word_fits_where_nobody_has_looked(window, gym, qtbot, language):
    project = Project.open(gym)
    for stage in (5, 6, 7):
        project.approve(stage, "right-knee", automatic=True)
    project.approve(8, "right-knee", "does not pass (hit, fall, stance, front_foot, heading, lean)", automatic=True)
    window.session.refresh()
    qtbot.waitUntil(lambda: window.session.stage(8).state == "automatic", timeout=20_000)
    LANGUAGE.choose(language)
    window.resize(1280, 800)
    for name in ("home", "gate", "student", "variants"):
        ready(window, name, qtbot)
        assert fit.misfits(window) == [], name


def test_the_helper_finds_words_that_are_cut(window, qtbot):
    window.rail.rows[0].name.setFixedWidth(20)
    qtbot.waitUntil(lambda: any("Capture" in line for line in fit.misfits(window)), timeout=5000)


def test_violet_is_only_where_eyes_are_wanted(window, qtbot):
    for name in PAGES:
        page = ready(window, name, qtbot)
        for widget in page.findChildren(QWidget):
            if widget.property("violet") and widget.isVisible() and hasattr(widget, "kind"):
                assert widget.objectName() in VIOLET_BUTTONS, (name, widget)
    states = {row.stage: row.glyph.property("violet") for row in window.rail.rows}
    assert {stage for stage, violet in states.items() if violet} == {8}


def test_the_rail_lights_where_we_are_and_numbers_are_told(window, qtbot):
    ready(window, "space", qtbot)
    assert [row.stage for row in window.rail.rows if row.on] == [3]
    qtbot.mouseClick(window.rail.rows[7], Qt.MouseButton.LeftButton)
    assert window.page_name == "gate"
    assert window.rail.rows[7].line.text() == "2 of 3 rows pass"
    qtbot.mouseClick(window.rail.home, Qt.MouseButton.LeftButton)
    assert window.page_name == "home"


def test_keys_do_what_the_table_says(window, qtbot):
    window.activateWindow()
    ready(window, "home", qtbot)
    qtbot.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.AltModifier)
    assert window.page_name == "space"
    qtbot.keyClick(window, Qt.Key.Key_Home, Qt.KeyboardModifier.AltModifier)
    assert window.page_name == "home"
    qtbot.keyClick(window, Qt.Key.Key_1)
    assert window.page_name == "gate"


def test_only_what_can_be_done_here_holds_its_key(window, qtbot):
    ready(window, "capture", qtbot)
    enabled = {name for name, action in window._actions.items() if action.isEnabled()}
    assert {"run", "palette", "keys", "home"} <= enabled
    assert not enabled & {"play", "cell_left", "card_1"}
    ready(window, "gate", qtbot)
    assert window._actions["play"].isEnabled() and window._actions["cell_left"].isEnabled()


def test_the_palette_finds_and_does(window, qtbot):
    palette = window.open_palette()
    assert len(palette.shown) > 15
    qtbot.keyClicks(palette.field, "gate")
    assert palette.shown[0].text == "Go to Gate"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.page_name == "gate"


def test_the_palette_says_when_there_is_nothing(window, qtbot):
    palette = window.open_palette()
    qtbot.keyClicks(palette.field, "zzz")
    assert palette.shown == () and palette.nothing.isVisible()
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.reject()


def test_words_are_matched_in_any_order():
    commands = tuple(Command(text, "", "", int) for text in ("Go to Gate", "Open Right knee", "Gate films"))
    assert [c.text for c in matching(commands, "gate")] == ["Gate films", "Go to Gate"]
    assert [c.text for c in matching(commands, "knee open")] == ["Open Right knee"]
    assert matching(commands, "") == commands


def test_the_sheet_of_keys_shows_every_action(window, qtbot):
    sheet = window.open_keys()
    shown = {label.text() for label in sheet.findChildren(type(window.rail.saved))}
    assert {action.text for action in ACTIONS.values()} <= shown
    sheet.reject()


def test_look_and_language_change_at_once_and_are_remembered(window, qtbot):
    ready(window, "home", qtbot)
    window.use_theme("light")
    window.use_language("ja")
    assert window.page.headline.text() == tr("home.headline", count=1, words="1")
    assert window.rail.rows[0].name.text() == "撮影"
    assert window._actions["palette"].text() == "検索"
    grey = window.grab().toImage().pixelColor(300, window.height() - 20)
    assert grey == theme.token("bg1")
    assert (load().theme, load().language) == ("light", "ja")


def test_a_second_window_says_who_has_the_project(window, gym, qtbot):
    second = MainWindow(Session())
    qtbot.addWidget(second)
    second.show()
    assert not second.open_project(gym)
    page = second.page
    assert isinstance(page, RefusalPage)
    assert "open already" in page.error.what
    assert fit.misfits(page) == []
    window.close()
    page.retry_requested.emit()
    assert second.page_name == "home" and second.session.is_open
    second.close()


@pytest.mark.parametrize("there", [True, False])
def test_the_program_opens_a_project_or_says_why_not(gym, tmp_path, qapp, monkeypatch, there):
    seen = []

    def look() -> int:
        shown = next(w for w in qapp.topLevelWidgets() if isinstance(w, MainWindow) and w.isVisible())
        seen.append((shown.page_name, shown.session.is_open))
        return 0

    monkeypatch.setattr(qapp, "exec", look, raising=False)
    assert open_window(gym if there else tmp_path / "nowhere") == 0
    assert seen == [("home", True) if there else ("refusal", False)]
    assert not (gym / ".studio" / "lock").exists()


def test_opening_remembers_the_project(window, gym, made, tmp_path, qtbot):
    made.empty_project(tmp_path / "other")
    assert window.open_project(tmp_path / "other")
    assert load().last_project == str((tmp_path / "other").resolve())
    qtbot.waitUntil(lambda: window.session.stage(1).state == "ready", timeout=20_000)
    page = ready(window, "capture", qtbot)
    assert page.run.isEnabled() and not page.approve.isVisible()


def test_an_error_no_page_shows_comes_as_a_toast(window, qtbot):
    window.session.failed.emit(StudioError("The disk is full", "nothing can be written", "Free some space"))
    assert window.toast.isVisible()
    assert window.toast.notice.what.text() == "The disk is full."
    assert window.toast.notice.next.text() == "Free some space."
    assert fit.misfits(window.toast) == []


def test_the_settings_menu_offers_looks_and_languages(window):
    menu = window.topbar.settings_menu()
    texts = [action.text() for action in menu.actions()]
    assert texts == ["Look", "Language", "", "Open a project…"]
    looks = menu.actions()[0].menu()
    assert [a.text() for a in looks.actions() if a.isChecked()] == ["Dark"]


def test_an_unknown_page_is_an_error(window):
    with pytest.raises(KeyError):
        window.show_page("money")
