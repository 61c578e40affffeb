from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from studio.jobs import command, run
from studio.jobs.events import Cancelled, Done, Event, Failed, Progress, decode, encode
from studio.jobs.run import StageJob
from studio.schema.errors import StudioError
from studio.schema.keypoints import Keypoints
from studio.store import processes
from studio.store.project import Project
from tests.house import TAKE, make_project, run_through, use_tiny_stages

ODD_WORKER = Path(__file__).with_name("odd_worker.py")
ROOT = Path(__file__).resolve().parents[2]

ORPHAN = """
import os, sys
from pathlib import Path
from studio.jobs import run
from studio.store.project import Project
run.worker_command = lambda project, stage, subject: [
    sys.executable, sys.argv[2], str(project), str(stage), subject, str(os.getpid())]
job = run.StageJob(Project.open(sys.argv[1]), 2, "s/t")
job.start()
for event in job.events():
    print(job.pid, flush=True)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    use_tiny_stages(monkeypatch)
    project = make_project(tmp_path / "gym")
    run_through(project, 2)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(
        run,
        "worker_command",
        lambda path, stage, subject: [
            sys.executable,
            str(ODD_WORKER),
            str(path),
            str(stage),
            subject,
            str(os.getpid()),
        ],
    )
    return project


def run_job(project: Project, what: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Event], Event]:
    monkeypatch.setenv("PADWORK_TEST_STAGE", what)
    events: list[Event] = []
    last = StageJob(project, 2, TAKE).run(events.append)
    return events, last


def gone(pid: int, within_s: float) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if not processes.is_alive(pid, ""):
            return True
        time.sleep(0.02)
    return False


def test_a_good_run_reports_progress_time_left_and_a_revision(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, last = run_job(project, "good", monkeypatch)
    assert isinstance(last, Done) and last.revision == 2 and last.seconds > 0.5
    steps = [e for e in events if isinstance(e, Progress)]
    assert next(e.text for e in steps) == "step 1" and steps[-1].fraction == 1.0
    assert events[-1] is last
    assert project.load(2, TAKE, Keypoints).model == "1", "linear algebra runs in one thread"
    assert not project.layout.job(2, TAKE).exists()
    assert "a library talks" in project.layout.job_log(2, TAKE).read_text()


def test_cancel_ends_the_process_within_two_seconds_and_keeps_the_revision(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for what in ("slow", "deaf"):
        monkeypatch.setenv("PADWORK_TEST_STAGE", what)
        job = StageJob(project, 2, TAKE)
        job.start()
        events: list[Event] = []
        reader = threading.Thread(target=lambda job=job, events=events: events.extend(job.events()))
        reader.start()
        while not events:
            time.sleep(0.01)
        assert project.state(2, TAKE).state == "running"
        start = time.monotonic()
        job.cancel()
        assert gone(job.pid, 2.0), what
        reader.join(2.0)
        assert time.monotonic() - start < 2.5
        assert isinstance(events[-1], Cancelled), what
        revision = project.revision(2, TAKE)
        assert revision is not None and revision.number == 1
        assert len(project.revisions(2, TAKE)) == 1
        assert project.state(2, TAKE).state == "done"


@pytest.mark.parametrize(("what", "why"), [("crash", "signal SIGSEGV"), ("leave", "status 7")])
def test_a_crash_becomes_a_sentence_and_a_failed_record(
    project: Project, monkeypatch: pytest.MonkeyPatch, what: str, why: str
) -> None:
    _, last = run_job(project, what, monkeypatch)
    assert isinstance(last, Failed) and why in last.why
    state, good = project.state(2, TAKE), project.revision(2, TAKE)
    assert state.state == "failed" and why in state.why
    assert good is not None and good.number == 1
    assert [r.record.status for r in project.revisions(2, TAKE)] == ["done", "failed"]


def test_a_refusal_keeps_its_three_parts(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    _, last = run_job(project, "refuse", monkeypatch)
    assert isinstance(last, Failed)
    assert (last.what, last.why, last.next_step) == ("No body found", "nobody is in the picture", "Film again")


def test_the_worker_ends_when_its_parent_dies(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADWORK_TEST_STAGE", "slow")
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHAN, str(project.layout.root), str(ODD_WORKER)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert project.state(2, TAKE).state == "running"
    parent.kill()
    parent.communicate()
    assert gone(worker, 3.0)
    assert project.state(2, TAKE).state == "done", "the marker of a dead process counts for nothing"


def test_a_stage_does_not_run_twice_at_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADWORK_TEST_STAGE", "slow")
    first = StageJob(project, 2, TAKE)
    first.start()
    try:
        with pytest.raises(StudioError, match="running already"):
            StageJob(project, 2, TAKE).start()
    finally:
        first.cancel()
        assert isinstance(list(first.events())[-1], Cancelled)


def test_a_reader_that_gives_up_ends_the_process(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADWORK_TEST_STAGE", "slow")
    job = StageJob(project, 2, TAKE)

    def give_up(event: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        job.run(give_up)
    assert gone(job.pid, 2.0)
    assert not project.layout.job(2, TAKE).exists()


def test_two_stages_of_one_project_run_side_by_side(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    run_through(project, 7)
    project.layout.hashes.unlink(missing_ok=True)
    monkeypatch.setenv("PADWORK_TEST_STAGE", "until_told")
    training, other = (StageJob(Project.open(project.layout.root), *of) for of in ((7, "kick"), (2, TAKE)))
    at_work: list[tuple[str, str]] = []
    training.start()
    events = training.events()
    next(events)  # it has begun: what it is made of is settled
    monkeypatch.setenv("PADWORK_TEST_STAGE", "good")
    last = other.run(lambda event: at_work.append((project.state(7, "kick").state, project.state(2, TAKE).state)))
    (project.layout.scratch / "go").touch()
    ends = [last, *events]
    assert isinstance(ends[0], Done) and isinstance(ends[-1], Done) and ("running", "running") in at_work
    assert [r.record.status for r in project.revisions(7, "kick")] == ["done", "done"]
    assert [r.record.status for r in project.revisions(2, TAKE)] == ["done", "done"]
    assert not list((project.layout.scratch / "jobs").iterdir())
    kept = project.layout.hashes.read_text(encoding="utf-8")
    assert "teachers/r2.npz" in kept and "keypoints/r2.npz" in kept, "what either learned of its files"


@pytest.mark.parametrize(
    "event", [Progress(0.5, "half", 3.0), Done(3, 1.5, {"n": 1}), Failed("a", "b", "c"), Cancelled()]
)
def test_events_survive_the_wire(event: Event) -> None:
    assert decode(encode(event)) == event


@pytest.mark.parametrize("line", ["", "noise", "[1]", '{"k": "unknown"}', '{"k": "done"}', '{"k": "progress", "x": 1}'])
def test_noise_is_no_event(line: str) -> None:
    assert decode(line) is None


def test_a_packaged_application_starts_itself_as_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plain = command.worker_command(tmp_path, 2, TAKE)
    assert plain[:4] == [sys.executable, "-u", "-m", "studio.jobs.worker"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    frozen = command.worker_command(tmp_path, 2, TAKE)
    assert frozen[:2] == [sys.executable, command.WORKER_SWITCH] and frozen[2:] == plain[4:]
