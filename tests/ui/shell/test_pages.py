"""Pages as a person uses them: cards, running, clips, the gate's cells, verdicts."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from PySide6.QtCore import Qt

from studio.app.films import FilmMaker, Shot
from studio.app.text import tr
from studio.store.project import Project
from studio.ui.presenters.gate import Cell
from studio.ui.widgets.buttons import EYES, PRIMARY


def ready(window, name, qtbot):
    page = window.show_page(name)
    qtbot.waitUntil(lambda: page.ready and window.session.idle, timeout=20_000)
    return page


def test_home_puts_what_waits_first_and_a_card_leads_there(window, qtbot):
    page = ready(window, "home", qtbot)
    assert page.headline.text() == "One thing needs your eyes"
    cards = page.presenter.cards
    assert [(card.technique, card.stage) for card in cards] == [("right-knee", 8)]
    assert "2 of 3 rows pass" in cards[0].sentence
    assert not page._tile_widgets[0].still.is_empty
    page.commands["card_2"]()
    assert window.page_name == "home"
    page.commands["card_1"]()
    assert window.page_name == "gate"


def test_home_tells_what_happened_newest_first(window, qtbot):
    entries = ready(window, "home", qtbot).presenter.happened
    assert len(entries) == 11
    assert entries[0].what == "Gate finished in 0:00"
    assert {"Capture finished in 0:00", "Retarget approved"} <= {entry.what for entry in entries}


def test_home_offers_the_next_step_when_nothing_waits(window, made, tmp_path, qtbot):
    made.empty_project(tmp_path / "new")
    window.open_project(tmp_path / "new")
    qtbot.waitUntil(lambda: window.session.stage(1).state == "ready", timeout=20_000)
    page = ready(window, "home", qtbot)
    assert page.headline.text() == "Nothing needs your eyes"
    assert page.next.text() == "Go on with Capture" and page.next.kind == PRIMARY
    page.commands["main"]()
    assert window.page_name == "capture"


def test_what_was_passed_on_unseen_gets_a_card_and_no_student_is_offered(window, gym, qtbot):
    project = Project.open(gym)
    for stage in (5, 6, 7, 8):
        project.approve(stage, "right-knee", automatic=True)
    window.session.refresh()
    qtbot.waitUntil(lambda: window.session.stage(8).state == "automatic", timeout=20_000)
    page = ready(window, "home", qtbot)
    assert page.headline.text() == "Four results nobody has looked at"
    assert [card.stage for card in page.presenter.cards if card.unseen] == [5, 6, 7, 8]
    assert page.presenter.next_step is None and page.next.isHidden(), "the student cannot be made yet"
    page.commands["card_3"]()
    assert window.page_name == "teacher"
    student = ready(window, "student", qtbot)
    assert student.why.text() == "It needs two adopted teachers, there is right-knee."
    assert not student.run.isEnabled()


def test_a_stage_page_shows_figures_findings_and_where_it_came_from(window, qtbot):
    page = ready(window, "space", qtbot)
    figures = {pair.name: pair.value for pair in page.presenter.figures}
    assert figures["Reprojection error"] == "3.10 px"
    assert figures["Points measured"] == "95.0 %"
    assert figures["Synchronised by"] == "the cameras"
    groups = page.presenter.findings
    assert [group.name for group in groups] == ["Jump", "Left and right swapped"], "open ones first"
    assert (groups[0].lines[0].what, groups[0].worst) == ("Pelvis", "26.0 cm, limit 10.0 cm")
    assert groups[1].repaired and groups[1].lines[0].what == "Phone A"
    assert groups[1].lines[0].when == "0.40 – 0.60 s"
    assert page.notice.isHidden() and page.run.text() == "Run again"
    assert any("rig.toml" in pair.name for pair in page.presenter.made_from)


def test_a_locked_stage_cannot_run_and_says_what_it_waits_for(window, qtbot):
    page = ready(window, "student", qtbot)
    assert page.state.text() == "It waits for Gate."
    assert not page.run.isEnabled()


def test_a_stage_whose_base_waits_for_eyes_waits_too_instead_of_running_in_vain(window, gym, qtbot):
    Project.open(gym).approve(5, "right-knee", "the foot", verdict="withdrawn")
    window.session.refresh()
    qtbot.waitUntil(lambda: window.session.stage(6).state == "stale", timeout=20_000)
    page = ready(window, "variants", qtbot)
    assert page.state.text() == "It waits for Retarget." and not page.run.isEnabled()
    assert page.why.text() == "Stage 5 (Retarget) of right-knee waits for your eyes."


def test_running_shows_progress_everywhere_and_stop_stops(window, qtbot, monkeypatch, tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import json, time\n"
        "print(json.dumps({'k': 'progress', 'fraction': 0.4, 'text': 'frame 40 of 100', 'left_s': 65.0}), flush=True)\n"
        "time.sleep(60)\n"
    )
    monkeypatch.setattr("studio.jobs.run.worker_command", lambda *_: [sys.executable, str(worker)])
    page = ready(window, "skeleton", qtbot)
    with qtbot.waitSignal(window.session.stage_progressed, timeout=30_000):
        page.commands["run"]()
    assert page.job.isVisible() and page.run.isHidden()
    assert page.doing.text() == "frame 40 of 100" and page.left_.text() == "1:05 left"
    assert page.bar.fraction == pytest.approx(0.4)
    assert window.rail.rows[3].glyph.state == "running"
    assert window.rail.rows[3].line.text() == "Running · 40 %"
    assert page.state.text() == "It is running."
    assert window.topbar.pill.isVisible() and window.topbar.pill.share.text() == "40 %"
    with qtbot.waitSignal(window.session.stage_cancelled, timeout=30_000):
        qtbot.mouseClick(window.topbar.pill.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.topbar.pill.isVisible() and page.run.isVisible(), timeout=10_000)
    qtbot.waitUntil(lambda: window.rail.rows[3].glyph.state == "done", timeout=10_000)


def test_two_runs_are_shown_side_by_side_and_each_has_its_own_stop(window, qtbot, monkeypatch, tmp_path, misfits):
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import json, sys, time\n"
        "share = int(sys.argv[1]) / 10\n"
        "print(json.dumps({'k': 'progress', 'fraction': share, 'text': 'frame', 'left_s': 65.0}), flush=True)\n"
        "time.sleep(60)\n"
    )
    command = lambda root, stage, subject: [sys.executable, str(worker), str(stage)]  # noqa: E731
    monkeypatch.setattr("studio.jobs.run.worker_command", command)
    home, session = ready(window, "home", qtbot), window.session
    session.run(7, "gpu-1")
    session.run(4)
    qtbot.waitUntil(lambda: [p.fraction for p in session.runs] == [0.7, 0.4], timeout=30_000)
    pill = window.topbar.pill
    assert (pill.name.text(), pill.share.text(), pill.more.text()) == ("Skeleton", "40 %", "2 running")
    assert pill.stop.toolTip() == "Stop Skeleton"
    assert [card.job.name for card in home.job_cards] == ["Teacher · gpu-1", "Skeleton"]
    assert [window.rail.rows[k].line.text() for k in (3, 6)] == ["Running · 40 %", "Running · 70 %"]
    assert misfits(window) == []
    page = window.show_page("variants")
    assert page.run.isVisible() and not page.run.isEnabled() and not page.job.isVisible()
    assert page.run.toolTip() == "Stage 4 (Skeleton) is at work on this computer."
    page.commands["run"]()
    assert window.toast.isVisible(), "a key that cannot do what it is there for says why"
    qtbot.mouseClick(pill, Qt.MouseButton.LeftButton)
    assert window.page_name == "home", "where all that runs stands"
    with qtbot.waitSignal(session.stage_cancelled, timeout=30_000) as caught:
        qtbot.mouseClick(home.job_cards[1].stop, Qt.MouseButton.LeftButton)
    assert caught.args == [4, "spring/two"]
    qtbot.waitUntil(lambda: not pill.more.isVisible() and len(home.job_cards) == 1, timeout=10_000)
    assert pill.name.text() == "Teacher · gpu-1"
    qtbot.mouseClick(home.job_cards[0].watch, Qt.MouseButton.LeftButton)
    assert window.page_name == "teacher" and session.run_of(7) is not None


def test_a_failed_stage_says_what_why_and_what_to_do(window, made, tmp_path, qtbot):
    made.empty_project(tmp_path / "new")
    window.open_project(tmp_path / "new")
    qtbot.waitUntil(lambda: window.session.stage(1).state == "ready", timeout=20_000)
    page = ready(window, "capture", qtbot)
    page.commands["run"]()
    qtbot.waitUntil(lambda: window.session.stage(1).state == "failed" and page.notice.isVisible(), timeout=60_000)
    assert "a.mp4" in page.notice.what.text() + page.notice.why.text()
    assert page.notice.next.text().endswith(".")
    assert not window.toast.isVisible(), "what the page shows is not said twice"


def test_variants_are_approved_with_words(window, made, tmp_path, qtbot):
    project = made.empty_project(tmp_path / "new")
    made.run_through(project, 6, approve=False)
    window.open_project(tmp_path / "new")
    qtbot.waitUntil(lambda: window.session.stage(6).state == "needs_eyes", timeout=20_000)
    page = ready(window, "variants", qtbot)
    assert page.approve.isVisible() and page.approve.kind == EYES
    page.words.setText("all nine are clean")
    with qtbot.waitSignal(window.session.stage_approved, timeout=10_000):
        page.commands["main"]()
    qtbot.waitUntil(page.approve.isHidden, timeout=10_000)
    assert Project.open(tmp_path / "new").verdicts().approvals[-1].words == "all nine are clean"


def test_the_teacher_opens_the_newest_clip_beside_the_reference(window, qtbot, quick_pictures):
    page = ready(window, "teacher", qtbot)
    shown = page.presenter
    assert [clip.iteration for clip in shown.clips] == [0, 30, 60] and shown.place == 2
    assert page.clips.panes["before"].isVisible()
    page.commands["previous_clip"]()
    qtbot.waitUntil(lambda: shown.clip is not None and shown.clip.iteration == 30, timeout=10_000)
    page.commands["previous_clip"]()
    qtbot.waitUntil(lambda: shown.clip is not None and shown.clip.iteration == 0, timeout=10_000)
    assert page.clips.panes["before"].isHidden()
    assert not shown.can_adopt and page.clips.hint.text() == tr("teacher.adopt_first")
    frame = page.clips.transport.frame
    page.commands["next_frame"]()
    assert page.clips.transport.frame == frame + 1


def test_adopting_writes_the_snapshot_of_the_open_clip(window, gym, qtbot):
    page = ready(window, "teacher", qtbot)
    page.presenter.choose_clip(1)
    qtbot.waitUntil(lambda: page.presenter.clip is not None and page.presenter.clip.iteration == 30, timeout=10_000)
    assert page.presenter.snapshot is not None and page.presenter.snapshot.iteration == 30
    page.clips.words.setText("before he began to hop")
    with qtbot.waitSignal(window.session.stage_approved, timeout=10_000):
        page.commands["main"]()
    project = Project.open(gym)
    assert project.adopted("right-knee").name == f"{31:064x}.onnx"
    assert project.verdicts().approvals[-1].words == "before he began to hop"


def test_the_order_is_told_in_sentences_and_the_preset_is_kept(window, gym, qtbot):
    page = ready(window, "teacher", qtbot)
    page.show_view(0)
    rewards = {line.name: line for line in page.presenter.rewards}
    assert rewards["Hit the target"].share == 1.0
    assert all(line.sentence for line in rewards.values())
    page.train.preset.choose(1)
    qtbot.waitUntil(lambda: page.presenter.order.preset == "full", timeout=10_000)
    assert 'preset = "full"' in Project.open(gym).layout.practice_toml("right-knee").read_text()


def test_the_gate_opens_at_the_worst_cell_and_plays_it(window, qtbot, quick_pictures):
    page = ready(window, "gate", qtbot)
    shown = page.presenter
    assert shown.cell == Cell(2, "bag", 1)
    assert shown.cell_value == "9.7°" and shown.cell_verdict == "fails"
    assert shown.film.seed == 101 and not any(shot.air for shot in quick_pictures[-2:])
    page.commands["cell_left"]()
    page.commands["cell_left"]()
    assert shown.cell == Cell(2, "air", 2) and shown.cell_verdict == "passes"
    assert not page.ready, "the film of another cell is not this cell's"
    qtbot.waitUntil(lambda: page.ready, timeout=10_000)
    assert shown.film.condition == "air" and quick_pictures[-1].air
    page.commands["cell_up"]()
    page.commands["cell_up"]()
    assert shown.cell == Cell(0, "bag", 2), "where a row has no air the seed is kept"
    box = page.grid.cell_box(Cell(2, "bag", 0))
    qtbot.mouseClick(page.grid, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    assert shown.cell == Cell(2, "bag", 0)


def test_a_failing_row_passes_only_with_words(window, gym, qtbot):
    page = ready(window, "gate", qtbot)
    assert not page.approve.isEnabled() and page.approve.text() == "Good all the same"
    page.commands["main"]()
    assert window.session.stage(8).state == "needs_eyes"
    page.words.setText("bag presses are what counts")
    assert page.approve.isEnabled()
    with qtbot.waitSignal(window.session.stage_approved, timeout=10_000):
        page.commands["main"]()
    qtbot.waitUntil(lambda: page.presenter.said is not None, timeout=10_000)
    assert page.presenter.said == ("You said he is good", "bag presses are what counts")


def test_no_is_kept_in_the_coachs_words(window, gym, qtbot):
    page = ready(window, "gate", qtbot)
    page.commands["wrong"]()
    assert Project.open(gym).verdicts().approvals[-1].stage == 7, "without words nothing is said"
    page.words.setText("leans back after the knee")
    with qtbot.waitSignal(window.session.stage_approved, timeout=10_000):
        page.commands["wrong"]()
    verdict = Project.open(gym).verdicts().approvals[-1]
    assert (verdict.stage, verdict.verdict, verdict.words) == (8, "withdrawn", "leans back after the knee")
    qtbot.waitUntil(lambda: page.presenter.said is not None, timeout=10_000)
    assert window.session.stage(8).state == "needs_eyes"


def test_a_film_is_really_drawn_and_the_newest_wish_wins(at_gym, qtbot):
    from studio.app.clips import read_ground
    from studio.app.films import camera_for, places_in

    ground = read_ground(at_gym.project, "right-knee")
    maker, seen = FilmMaker(), []
    maker.picture_drawn.connect(lambda place, picture: seen.append((place, picture)))
    qpos = np.zeros(33)
    qpos[2:4] = 0.95, 1.0
    camera = camera_for("side", ground.scene, places_in(ground.scene, (qpos[None],)), 160, 200)
    for lift in (0.0, 0.5, 1.0):
        pose = qpos.copy()
        pose[2] += lift
        maker.ask("try", Shot(ground.scene, pose, False, camera, 160, 200, False))
    qtbot.waitUntil(lambda: maker.idle and bool(seen), timeout=30_000)
    maker.close()
    assert len(seen) <= 2, "wishes that were overtaken are not drawn"
    assert seen[-1][1].shape == (200, 160, 3) and seen[-1][1].std() > 5
