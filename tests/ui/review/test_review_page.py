"""The page: pictures of one instant, exact stepping, blink, ghost, the verdict."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from studio.app.text import LANGUAGE
from studio.ui import theme
from studio.ui.pages.review import ReviewPage
from studio.ui.panes.frame_set import FIGHTER, VIDEO
from studio.ui.presenters.review import ReviewPresenter

LATE = 3
Misfits = Callable[[QWidget], list[str]]


@pytest.fixture
def page(presenter: ReviewPresenter, qtbot: QtBot) -> Iterator[ReviewPage]:
    made = ReviewPage(presenter)
    qtbot.addWidget(made)
    made.resize(900, 620)
    made.show()
    presenter.loaded.emit()
    presenter.changed.emit()
    made.opened()
    qtbot.waitUntil(lambda: made.ready, timeout=20_000)
    yield made
    made.left()


def array(picture: QImage) -> np.ndarray:
    plain = picture.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).astype(int)


def shade(page: ReviewPage, phone: str) -> float:
    """Brightness in the middle of a phone's picture: it tells the frame's number."""
    shown = page.pictures.panes[VIDEO, phone].shown
    assert shown is not None
    middle = array(shown)
    return float(middle[middle.shape[0] // 2, middle.shape[1] // 2].mean())


def shown_frame(page: ReviewPage) -> int:
    return page.pictures.shown.wish.frame if page.pictures.shown is not None else -1


def go(page: ReviewPage, qtbot: QtBot, frame: int) -> None:
    page.presenter.transport.seek(frame)
    qtbot.waitUntil(lambda: shown_frame(page) == frame, timeout=20_000)


def test_both_phones_show_the_same_instant(page: ReviewPage, qtbot: QtBot):
    for frame in (0, 1, 2, 30, 29, 12):
        go(page, qtbot, frame)
        assert shade(page, "a") == pytest.approx(6 * frame + 10, abs=3)
        assert shade(page, "b") == pytest.approx(6 * (frame + LATE) + 10, abs=3)
        assert page.pictures.shown is not None and dict(page.pictures.shown.numbers) == {"a": frame, "b": frame + LATE}


def test_every_set_is_complete(page: ReviewPage, qtbot: QtBot):
    seen = []
    assert page.pictures._thread is not None
    page.pictures._thread.drawn.connect(seen.append)
    for frame in range(1, 25):
        page.presenter.transport.seek(frame)
        QApplication.processEvents()
    qtbot.waitUntil(lambda: shown_frame(page) == 24, timeout=20_000)
    assert seen and all(set(drawn.images) == set(drawn.wish.panes) and len(drawn.images) == 4 for drawn in seen)
    frames = [drawn.wish.frame for drawn in seen]
    assert frames == sorted(frames) and len(frames) < 25, "the newest wish wins, none is shown late"


def test_blink_lays_the_fighter_over_the_video(page: ReviewPage, qtbot: QtBot):
    video, fighter = page.pictures.panes[VIDEO, "a"], page.pictures.panes[FIGHTER, "a"]
    own = video.shown
    qtbot.keyPress(page, Qt.Key.Key_T)
    assert video.shown is fighter.shown and video.shown is not own
    qtbot.keyRelease(page, Qt.Key.Key_T)
    assert video.shown is own
    page.blink_button.pressed.emit()
    assert video.shown is fighter.shown
    page.blink_button.released.emit()
    assert video.shown is own


def test_the_ghost_is_seen_and_goes(page: ReviewPage, qtbot: QtBot):
    go(page, qtbot, 5)
    without = array(page.pictures.panes[FIGHTER, "a"].shown)
    page.ghost.setChecked(True)
    assert page.presenter.ghost
    qtbot.waitUntil(
        lambda: page.pictures.shown is not None and page.pictures.shown.wish.ghost is not None, timeout=20_000
    )
    assert (np.abs(array(page.pictures.panes[FIGHTER, "a"].shown) - without).max(axis=2) > 12).sum() > 200
    page.presenter.commands["ghost"]()
    assert not page.ghost.isChecked()


def test_views_change_panes(page: ReviewPage, qtbot: QtBot):
    for place, count in ((0, 2), (1, 2), (3, 1), (2, 4)):
        page.views.choose(place)
        qtbot.waitUntil(
            lambda count=count: page.pictures.shown is not None and len(page.pictures.shown.images) == count,
            timeout=20_000,
        )
        assert len(page.pictures.panes) == count


def test_dragging_turns_the_free_view(page: ReviewPage, qtbot: QtBot):
    page.presenter.set_view("free")
    pane = page.pictures.panes[FIGHTER, "free"]
    before = page.presenter.free
    qtbot.mousePress(pane, Qt.MouseButton.LeftButton, pos=pane.rect().center())
    qtbot.mouseMove(pane, pane.rect().center() + pane.rect().topLeft().__class__(60, 0))
    qtbot.mouseRelease(pane, Qt.MouseButton.LeftButton)
    assert page.presenter.free.azimuth != before.azimuth
    qtbot.waitUntil(
        lambda: page.pictures.shown is not None and page.pictures.shown.wish.free == page.presenter.free, timeout=20_000
    )


def test_the_list_jumps_and_lights(page: ReviewPage, qtbot: QtBot):
    qtbot.mousePress(page._rows[1], Qt.MouseButton.LeftButton)
    assert page.presenter.transport.frame == 10
    assert [row.property("ground") for row in page._rows] == ["", "selected", ""]
    page.timeline.finding_asked.emit(1)
    assert page.presenter.transport.frame == 20


def test_correcting_is_asked_for_at_this_moment(page: ReviewPage, qtbot: QtBot):
    go(page, qtbot, 12)
    for ask in (page.commands["correct"], lambda: page.place.choose(1)):
        with qtbot.waitSignal(page.page_requested) as asked:
            ask()
        assert asked.args == ["correct", page.presenter.transport.time]
    assert page.place.chosen == 0, "this page stays Review"
    page.stand_at(0.0)
    assert page.presenter.transport.frame == 0


def test_approving(page: ReviewPage, session, qtbot: QtBot):
    assert page.approve.isEnabled() and page.approve.property("violet")
    page.approve.click()
    assert session.approved == [5]
    assert not page.approve.isEnabled() and page.approve.text() == "Approved"


def test_violet_is_the_button_alone(page: ReviewPage):
    shown = [w for w in page.findChildren(QWidget) if w.property("violet")]
    assert shown == [page.approve]


@pytest.mark.parametrize("code", ["en", "ja"])
def test_words_fit(page: ReviewPage, code: str):
    LANGUAGE.choose(code)
    page.resize(1072, 756)
    for widget in [page, *page.findChildren(QWidget)]:
        QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
    QApplication.processEvents()
    for label in page.findChildren(QLabel):
        if label.isVisible() and label.text() and not label.wordWrap() and type(label).__name__ != "Shortened":
            assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width() + 1, label.text()


def test_the_light_theme_draws_a_light_floor(page: ReviewPage, qapp, qtbot: QtBot):
    theme.THEME.apply(qapp, "light")
    qtbot.waitUntil(lambda: page.pictures.shown is not None and page.pictures.shown.wish.light, timeout=20_000)
    ground = theme.token("bg0")
    corner = array(page.pictures.panes[FIGHTER, "a"].shown)[1, 1]
    assert tuple(corner) == (ground.red(), ground.green(), ground.blue())


def test_leaving_gives_the_context_back_and_coming_draws_again(page: ReviewPage, qtbot: QtBot):
    page.presenter.transport.toggle()
    page.left()
    assert not page.pictures.is_drawing and not page.presenter.transport.playing
    page.presenter.transport.seek(9)
    page.opened()
    qtbot.waitUntil(lambda: shown_frame(page) == 9, timeout=20_000)


def test_a_missing_video_is_told_in_words(presenter: ReviewPresenter, data, qtbot: QtBot, tmp_path):
    from dataclasses import replace

    presenter.data = replace(data, files={"a": tmp_path / "gone.mp4", "b": data.files["b"]})
    made = ReviewPage(presenter)
    qtbot.addWidget(made)
    made.resize(900, 620)
    made.show()
    made.opened()
    qtbot.waitUntil(made.notice.isVisible, timeout=20_000)
    assert "gone.mp4" in made.notice.what.text()
    made.left()


@pytest.mark.parametrize("size", [(1440, 900), (1280, 800)], ids=["1440", "1280"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_word_fits(page: ReviewPage, qtbot: QtBot, misfits: Misfits, language: str, size):
    LANGUAGE.choose(language)
    across, down = theme.metric("rail"), theme.metric("topbar")
    page.resize(size[0] - across, size[1] - down)
    for widget in page.findChildren(QWidget):
        QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
    page._refresh()
    qtbot.waitUntil(lambda: page.ready, timeout=20_000)
    assert misfits(page) == []
    assert page.width() == size[0] - across, "the page does not ask for more room"


def test_a_still_picture_shows_the_farthest_pose(page: ReviewPage, qtbot: QtBot):
    page.show_telling_moment()
    assert not page.ready
    qtbot.waitUntil(lambda: page.ready, timeout=20_000)
    assert shown_frame(page) == page.presenter.transport.clock.frames - 1
    page.show_telling_moment()
    assert page.ready, "there it stays"
