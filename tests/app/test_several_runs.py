"""Several runs of one window: what may begin beside what, each stopped alone, all that were left found again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from studio.app.session import Session
from studio.app.trainings import Left, Place
from studio.schema.errors import StudioError, UnfinishedError
from studio.stages.training_run import TrainingRun
from studio.store.project import Project

KNEE = "right-knee"
WORKER = """
import json, pathlib, sys, time
root, stage = pathlib.Path(sys.argv[1]), sys.argv[2]
print(json.dumps({'k': 'progress', 'fraction': int(stage) / 10, 'text': f'stage {stage}', 'left_s': None}), flush=True)
while not (root / f'end-{stage}').exists():
    time.sleep(0.02)
print(json.dumps({'k': 'done', 'revision': 1, 'seconds': 1.0, 'summary': {}}), flush=True)
"""


@pytest.fixture
def session(gym, qtbot, monkeypatch, tmp_path):
    """A session on the made project. Whatever it runs goes on until a file says that it ends."""
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER)
    command = lambda root, stage, subject: [sys.executable, str(worker), str(root), str(stage)]  # noqa: E731
    monkeypatch.setattr("studio.jobs.run.worker_command", command)
    made = Session()
    with qtbot.waitSignal(made.states_changed, timeout=20_000):
        made.open(gym)
    yield made
    made.close()


def working(session: Session, qtbot, *stages: int) -> None:
    """Until each of them has said something."""
    qtbot.waitUntil(lambda: {p.stage for p in session.runs if p.fraction > 0} >= set(stages), timeout=30_000)


def end(session: Session, stage: int) -> None:
    (session.project.layout.root / f"end-{stage}").touch()


def test_a_stage_is_computed_here_while_another_machine_trains(session, qtbot):
    assert session.run(7, "gpu") and session.run(5)
    working(session, qtbot, 5, 7)
    assert [(p.stage, p.machine) for p in session.runs] == [(7, "gpu"), (5, "")]
    assert session.running.stage == 5, "what this computer does is shown before what another does"
    assert (session.stage(5).state, session.stage(7).state) == ("running", "running")
    assert (session.run_of(7).text, session.run_of(5).text, session.run_of(6)) == ("stage 7", "stage 5", None)
    end(session, 5)
    qtbot.waitUntil(lambda: session.run_of(5) is None, timeout=30_000)
    assert (session.running.stage, session.running.machine) == (7, "gpu")
    assert session.run(6), "the next one begins while the other still learns"


def test_only_one_stage_is_computed_here_and_the_other_says_why_not(session, qtbot):
    told = []
    session.failed.connect(told.append)
    assert session.run(4)
    assert not session.run(5) and not session.run(7)
    assert str(told[0]) == (
        "Stage 5 (Retarget) cannot start: stage 4 (Skeleton) is at work on this computer. Wait for it, or stop it."
    )
    assert told[1].why == "stage 4 (Skeleton) is at work on this computer", "a training here computes here"
    assert not session.run(4) and told[2].why == "it is running already"
    assert [p.stage for p in session.runs] == [4] and session.error(5) is None


def test_a_training_here_leaves_room_for_one_elsewhere_alone(session):
    assert session.run(7, "this computer") and session.runs[0].machine == ""
    assert session.refusal(5) is not None and session.refusal(9, "gpu").why.startswith("stage 8")


def test_what_waits_for_another_stage_says_so(session, qtbot):
    with qtbot.waitSignal(session.failed, timeout=5000) as caught:
        assert not session.run(9)
    assert caught.args[0].what == "Stage 9 (Student) cannot start" and caught.args[0].why
    assert session.runs == ()


def test_each_is_stopped_alone(session, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr("studio.app.runs.stop_early", lambda project, stage, subject: asked.append((stage, subject)))
    session.run(7, "gpu")
    session.run(5)
    working(session, qtbot, 5, 7)
    session.stop(6, KNEE)
    with qtbot.waitSignal(session.stage_cancelled, timeout=30_000) as caught:
        session.stop(5, KNEE)
    assert caught.args == [5, KNEE] and [p.stage for p in session.runs] == [7] and asked == []
    session.stop(7, KNEE)
    qtbot.waitUntil(lambda: asked == [(7, KNEE)], timeout=10_000)
    assert [p.stage for p in session.runs] == [7], "it ends by itself, with a last snapshot"
    with qtbot.waitSignal(session.stage_cancelled, timeout=30_000):
        session.cancel(7, KNEE)
    assert session.runs == ()


def test_a_machine_out_of_reach_keeps_the_training_that_was_to_stop(session, qtbot, monkeypatch):
    def lost(project, stage, subject):
        raise UnfinishedError("gpu cannot be reached", "nobody answers", "Try again")

    monkeypatch.setattr("studio.app.runs.stop_early", lost)
    session.run(7, "gpu")
    working(session, qtbot, 7)
    with qtbot.waitSignal(session.failed, timeout=10_000) as caught:
        session.stop(7, KNEE)
    assert caught.args[0].what == "gpu cannot be reached" and session.run_of(7) is not None


def test_an_error_of_a_training_is_kept_while_another_stage_runs(session, qtbot, monkeypatch, tmp_path):
    session._errors = {(7, KNEE): StudioError("a", "b", "c"), (4, "spring/two"): StudioError("d", "e", "f")}
    session.run(5)
    assert session.error(7) is not None and session.error(4) is None


def test_closing_lets_go_of_all_and_the_next_window_finds_every_training_again(session, gym, qtbot, monkeypatch):
    session.run(7, "gpu")
    session.run(5)
    working(session, qtbot, 5, 7)
    processes = [run._job._process for run in session._runs._runs]
    session.close()
    assert all(process.poll() is not None for process in processes)
    left = (
        Left(9, "", Path("r2"), "gpu-2", "2026-11-30T11:00:00+00:00"),
        Left(7, KNEE, Path("r1"), "gpu", "2026-11-30T10:00:00+00:00"),
    )
    monkeypatch.setattr("studio.app.session.left_trainings", lambda project: left)
    again = Session()
    again.open(gym)
    working(again, qtbot, 7, 9)
    assert [(p.stage, p.subject, p.machine) for p in again.runs] == [(7, KNEE, "gpu"), (9, "", "gpu-2")]
    assert again.running is not None and again.running.stage == 9, "of trainings elsewhere the newest"
    assert again.refusal(5) is None
    again.close()
    assert not list((gym / ".studio" / "jobs").glob("*.json"))


def test_giving_up_a_run_tells_its_machine_beside(session, gym, qtbot, monkeypatch):
    run = TrainingRun("knee-r2", "gpu", "f", "2026-11-30T10:00:00+00:00", cancelled=True)
    monkeypatch.setattr("studio.app.session.give_up", lambda project, stage, subject: run)

    def gone(run):
        raise StudioError(f"{run.machine} was not told that its training was given up", "nobody answers", "x")

    told, done = [], []
    monkeypatch.setattr("studio.app.session.tell_machine", told.append)
    session.give_up(7, lambda: done.append(1))
    qtbot.waitUntil(lambda: told == [run] and done == [1], timeout=10_000)
    monkeypatch.setattr("studio.app.session.tell_machine", gone)
    with qtbot.waitSignal(session.failed, timeout=10_000) as caught:
        session.give_up(7, lambda: done.append(2))
    assert caught.args[0].what == "gpu was not told that its training was given up" and done == [1, 2]


def test_the_disk_says_on_which_machine_a_training_would_go_on(session, qtbot):
    (session.project.layout.practice_toml(KNEE)).write_text(
        'schema_version = 1\npreset = "quick"\nseed = 1\nmachine = "gpu"\n'
    )
    with qtbot.waitSignal(session.states_changed, timeout=20_000):
        session.refresh()
    assert session.stage(7).place == Place("gpu") and session.stage(5).place == Place()
    assert session.run(4) and session.refusal(7) is None
    assert session.run(7) and session.run_of(7).machine == "gpu"


def test_two_memories_of_hashes_keep_what_both_learned(gym):
    one, two = Project.open(gym), Project.open(gym)
    first, second = gym / "one.bin", gym / "two.bin"
    first.write_bytes(b"1")
    second.write_bytes(b"2")
    values = one.hashes.of(first), two.hashes.of(second)
    one.hashes.save()
    two.hashes.save()
    known = Project.open(gym).hashes._known
    assert (known[str(first)][3], known[str(second)][3]) == values
    assert two.hashes.of(first) == values[0] and set(two.hashes._learned) == {str(first)}
