"""A session: opening, states off disk, running a real process, verdicts; all told by signals."""

from __future__ import annotations

import signal
import sys

import pytest

from studio.app.overview import subjects_of
from studio.app.projects import first_project
from studio.app.session import Session
from studio.app.settings import Settings
from studio.app.tasks import Tasks
from studio.schema.errors import StudioError
from studio.store.lock import me, write_holder
from studio.store.project import Project


@pytest.fixture
def session(qtbot):
    made = Session()
    yield made
    made.close()


def opened(session: Session, path, qtbot) -> Session:
    with qtbot.waitSignal(session.states_changed, timeout=20_000):
        session.open(path)
    return session


def test_opening_reads_every_stage(session, gym, qtbot):
    opened(session, gym, qtbot)
    assert session.technique == "right-knee"
    assert [session.stage(k).state for k in range(1, 10)] == ["done"] * 4 + ["approved"] * 3 + ["needs_eyes", "locked"]
    assert session.stage(2).subject == "spring/two"
    assert session.overview.name == "North Gym"
    assert {entry.stage for entry in session.overview.happened} == set(range(1, 9))


def test_a_project_that_is_open_elsewhere_is_refused_and_the_old_one_stays(session, gym, made, tmp_path, qtbot):
    other = made.empty_project(tmp_path / "other")
    opened(session, gym, qtbot)
    second = Session()
    with pytest.raises(StudioError, match="gym is open already"):
        second.open(gym)
    assert not second.is_open
    second.close()
    write_holder(other.layout.lock, me(1))
    with pytest.raises(StudioError, match="other is open already"):
        session.open(other.layout.root)
    assert session.project.layout.root == gym.resolve()


def test_closing_gives_the_lock_back(gym, qtbot):
    first = opened(Session(), gym, qtbot)
    first.close()
    second = opened(Session(), gym, qtbot)
    second.close()


def test_a_folder_without_a_project_is_refused(session, tmp_path):
    with pytest.raises(StudioError, match="there is no project"):
        session.open(tmp_path)
    assert not session.is_open


def test_a_verdict_is_on_disk_before_it_is_told(session, gym, qtbot):
    opened(session, gym, qtbot)
    with qtbot.waitSignals([session.stage_approved, session.states_changed], timeout=20_000):
        session.approve(8, "he leans, but less than before")
    assert session.stage(8).state == "approved"
    assert Project.open(gym).verdicts().approvals[-1].words == "he leans, but less than before"


def test_a_verdict_on_nothing_is_told_as_a_failure(session, gym, qtbot):
    opened(session, gym, qtbot)
    with qtbot.waitSignal(session.failed, timeout=20_000) as caught:
        session.approve(9)
    assert "cannot be approved" in caught.args[0].what


def test_a_stage_that_fails_says_why_and_is_failed_on_disk(session, made, tmp_path, qtbot):
    made.empty_project(tmp_path / "new")
    opened(session, tmp_path / "new", qtbot)
    assert session.stage(1).state == "ready"
    told = []
    session.stage_started.connect(lambda *stage: told.append(("started", *stage)))
    session.stage_finished.connect(lambda *stage: told.append(("finished", *stage)))
    with qtbot.waitSignal(session.failed, timeout=60_000) as caught:
        session.run(1)
        assert session.running is not None and session.running.stage == 1
    qtbot.waitUntil(lambda: session.stage(1).state == "failed", timeout=20_000)
    assert "a.mp4" in str(caught.args[0])
    assert str(session.error(1)) == str(caught.args[0])
    assert told == [("started", 1, "spring"), ("finished", 1, "spring")]
    assert session.running is None


def test_cancelling_ends_the_process_and_leaves_the_last_good_result(session, gym, qtbot, monkeypatch, tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import json, time\n"
        "print(json.dumps({'k': 'progress', 'fraction': 0.25, 'text': 'half way', 'left_s': 30.0}), flush=True)\n"
        "time.sleep(60)\n"
    )
    monkeypatch.setattr("studio.jobs.run.worker_command", lambda *_: [sys.executable, str(worker)])
    opened(session, gym, qtbot)
    with qtbot.waitSignal(session.stage_progressed, timeout=30_000) as caught:
        session.run(4)
    progress = caught.args[0]
    assert (progress.stage, progress.fraction, progress.text, progress.left_s) == (4, 0.25, "half way", 30.0)
    with qtbot.waitSignal(session.stage_cancelled, timeout=30_000):
        session.stop(4, "spring/two")
    assert session.running is None and session.error(4) is None
    qtbot.waitUntil(lambda: session.stage(4).state == "done", timeout=20_000)


def test_a_training_goes_on_when_the_window_closes(gym, qtbot, monkeypatch, tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr("studio.jobs.run.worker_command", lambda *_: [sys.executable, str(worker)])
    session = opened(Session(), gym, qtbot)
    told = []
    for heard in (session.stage_finished, session.stage_cancelled, session.failed):
        heard.connect(lambda *_: told.append(1))
    session.run(7)
    job = session._runs._runs[0]._job
    qtbot.waitUntil(lambda: job.pid > 0, timeout=20_000)
    session.close()
    assert job._process.poll() == -signal.SIGKILL, "what follows it ends without a word to it"
    project = Project.open(gym)
    assert not project.layout.lock.exists() and not project.layout.job(7, "right-knee").exists()
    assert [run.number for run in project.revisions(7, "right-knee")] == [1], "nothing is recorded as failed"
    assert told == []


def test_stopping_a_training_keeps_what_was_learned_and_asked_twice_cancels(session, gym, qtbot, monkeypatch, tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import json, time\n"
        "print(json.dumps({'k': 'progress', 'fraction': 0.1, 'text': 'x', 'left_s': None}), flush=True)\n"
        "time.sleep(60)\n"
    )
    monkeypatch.setattr("studio.jobs.run.worker_command", lambda *_: [sys.executable, str(worker)])
    asked = []
    monkeypatch.setattr("studio.app.runs.stop_early", lambda project, stage, subject: asked.append(subject))
    opened(session, gym, qtbot)
    with qtbot.waitSignal(session.stage_progressed, timeout=30_000):
        session.run(7)
    session.stop(7, "right-knee")
    qtbot.waitUntil(lambda: asked == ["right-knee"], timeout=10_000)
    assert session.running is not None, "it ends by itself, with a last snapshot"
    with qtbot.waitSignal(session.stage_cancelled, timeout=30_000):
        session.stop(7, "right-knee")


def test_an_unknown_technique_is_not_chosen(session, gym, qtbot):
    opened(session, gym, qtbot)
    session.choose("left-knee")
    assert session.technique == "right-knee"


def test_a_damaged_page_is_told_and_what_was_shown_stays(session, gym, qtbot):
    opened(session, gym, qtbot)
    (gym / "techniques" / "right-knee" / "technique.toml").write_text("not toml at all [")
    with qtbot.waitSignal(session.failed, timeout=20_000):
        session.refresh()
    assert session.stage(1).state == "done"


def test_subjects_follow_the_technique(gym):
    technique = Project.open(gym).technique("right-knee")
    assert subjects_of(technique) == ("spring", *["spring/two"] * 3, *["right-knee"] * 4, "")


def test_the_first_project_is_the_last_one_or_the_sample(gym, home, monkeypatch):
    assert first_project(Settings(last_project=str(gym))) == gym
    copied = []
    monkeypatch.setattr("studio.app.projects.copy_sample", lambda name, folder: copied.append((name, folder)))
    assert first_project(Settings(last_project="/gone")) == home / "leg-raise"
    assert copied == [("leg-raise", home / "leg-raise")]


def test_work_beside_tells_faults_as_sentences(qtbot):
    tasks, told = Tasks(), []

    def wrong():
        raise ZeroDivisionError("by nothing")

    tasks.ask(wrong, told.append, told.append)
    tasks.ask(lambda: 42, told.append, told.append)
    qtbot.waitUntil(lambda: tasks.idle, timeout=5000)
    assert isinstance(told[0], StudioError) and "by nothing" in told[0].why
    assert told[1] == 42
    tasks.close()
    tasks.ask(lambda: 1, told.append, told.append)
    assert len(told) == 2
