"""The Student page on a project with a former student, and what it does when a run is asked for."""

from __future__ import annotations

import json

import pytest
from students import SEEDS

from studio.app.text import LANGUAGE
from studio.store.project import Project
from studio.ui import theme
from studio.ui.presenters.student import StudentPresenter


def ready(window, qtbot):
    page = window.show_page("student")
    qtbot.waitUntil(lambda: page.ready and window.session.idle, timeout=60_000)
    return page


def test_a_loss_stands_on_top_and_all_three_play_its_worst_try(window, qtbot, quick_films):
    page = ready(window, qtbot)
    shown = page.presenter
    assert [(row.technique, row.student.name, row.change) for row in shown.rows[:3]] == [
        ("raise-l", "fall", "lost"), ("knee-r", "hit", "worse"), ("knee-r", "fall", "same"),
    ]  # fmt: skip
    assert shown.row == 0 and (shown.condition, shown.seed) == ("air", 0)
    played = [film[1:] for film in quick_films if film[0] == "raise-l"]
    assert [film[1:] for film in played] == [("air", SEEDS[0])] * 3
    assert [film[0] for film in played] == [
        "students/r2-policy.onnx", "techniques/raise-l/teachers/r1/snapshots/teacher.onnx", "students/r1-policy.onnx",
    ]  # fmt: skip
    assert not any(pane.isHidden() or pane.is_empty for pane in page.panes.values())
    assert shown.pane_verdict("student") == ("Falls 1", "fails") and shown.pane_verdict("teacher") == (
        "Falls 0",
        "passes",
    )
    assert page.whole.text() == ("One skill does not pass its gate: Raise l. One row that its teacher keeps was lost.")


def test_keys_move_between_rows_and_tries_and_the_panes_follow(window, qtbot, quick_films):
    page = ready(window, qtbot)
    page.commands["row_down"]()
    qtbot.waitUntil(lambda: page.ready, timeout=30_000)
    assert (page.presenter.lit.technique, page.presenter.condition, page.presenter.seed) == ("knee-r", "bag", 0)
    page.commands["try_right"]()
    qtbot.waitUntil(lambda: page.ready, timeout=30_000)
    assert quick_films[-1][0] == "knee-r" and quick_films[-1][2:] == ("bag", SEEDS[1])
    assert page.presenter.pane_verdict("student") == ("Hits the bag 18.0 N s", "passes")
    assert page.presenter.pane_verdict("former") == ("Hits the bag 10.0 N s", "fails")
    page.commands["row_up"]()
    assert page.presenter.row == 0
    page.skills.row_pressed.emit(0)
    assert page.presenter.lit.technique == page.presenter.skills[0][0] == "knee-r"


def test_the_curve_tells_how_near_he_came_to_his_teacher(window, qtbot):
    page = ready(window, qtbot)
    title, now, points = page.presenter.curve
    assert (title, now) == ("Error to Raise l", "0.0001") and points == ((0, 0.004), (6, 0.0008), (12, 0.0001))
    assert [skill[1:] for skill in page.presenter.skills] == [
        ("Knee r", "r1", "2.0 %", True), ("Raise l", "r1", "2.5 %", False),
    ]  # fmt: skip


def test_one_who_fails_a_skill_is_good_only_with_words(window, qtbot, gym):
    page = ready(window, qtbot)
    assert page.approve.text() == "Good all the same" and not page.approve.isEnabled()
    page.commands["not_good"]()
    assert page.words.hasFocus() or page.words.text() == ""
    page.words.setText("he gets up again")
    assert page.approve.isEnabled()
    page.commands["main"]()
    qtbot.waitUntil(lambda: window.session.stage(9).state == "approved", timeout=30_000)
    verdict = Project.open(gym).verdicts().latest_of(9, "")
    assert verdict is not None and verdict.words == "he gets up again" and not verdict.automatic
    qtbot.waitUntil(lambda: page.said.text() == "You said he is good", timeout=30_000)


def test_without_a_former_student_there_are_two_panes(window, qtbot, gym):
    path = Project.open(gym).layout.approvals
    kept = [line for line in path.read_text().splitlines() if json.loads(line)["stage"] != 9]
    path.write_text("\n".join(kept) + "\n")
    page = ready(window, qtbot)
    assert page.panes["former"].isHidden() and not page.panes["teacher"].isHidden()
    assert not page.table.has_former and page.presenter.facts[-1].value == "none"


@pytest.mark.parametrize("look", [("dark", "en", (1440, 900)), ("light", "ja", (1280, 800))])
def test_every_word_fits(window, qtbot, qapp, misfits, look):
    light, language, size = look
    theme.THEME.apply(qapp, light)
    LANGUAGE.choose(language)
    window.resize(*size)
    page = ready(window, qtbot)
    qapp.processEvents()
    assert misfits(page) == []
    assert page.table.name_width() > 180


def test_a_presenter_without_a_student_waits_for_a_run(session, qtbot, gym):
    for path in (gym / "students").glob("r*.json"):
        path.unlink()
    session.refresh()
    shown = StudentPresenter(session)
    shown.open()
    qtbot.waitUntil(lambda: shown.loaded and session.idle, timeout=30_000)
    shown.open()
    assert shown.distilled is None and shown.rows == () and not shown.can_judge
    assert shown.sentence == "One fighter with every technique"
    shown.choose(3)
    shown.move(1, 0)
    assert shown.policies == {} and shown.verdict_line == "" and shown.curve[2] == ()
