"""Trainings that were left: which are gone on with, what giving one up means, and which clips were seen."""

from __future__ import annotations

import shutil

import pytest

from studio.app import trainings
from studio.app.beside import Beside
from studio.app.seen import mark_seen, read_seen
from studio.app.story import StoryReader
from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.stages import execute, graph
from studio.stages.training_run import TrainingRun
from studio.store import atomic
from studio.store.project import Project


@pytest.fixture
def project(gym) -> Project:
    """A project with a second training that an earlier window left."""
    found = Project.open(gym)
    folder = found.layout.teacher("right-knee", "r2")
    shutil.copytree(found.layout.teacher("right-knee", "r1"), folder)
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "events.jsonl").write_bytes(b"".join(lines[:-2]))
    value = execute._begin(found, graph.stage(7), "right-knee").value
    run = TrainingRun("knee-r2", "gpu", value, "2026-11-30T10:00:00+00:00")
    atomic.write_json(folder / "run.json", document(run))
    atomic.write_bytes(folder / "mirror.json", b'{"run": "knee-r2", "epoch": "e"}')
    return found


def test_a_training_that_has_begun_and_not_ended_was_left(project):
    left = trainings.left_trainings(project)
    assert [(one.stage, one.subject, one.machine, one.folder.name) for one in left] == [(7, "right-knee", "gpu", "r2")]
    story = StoryReader(left[0].folder).read()
    assert (story.machine, story.begun, story.given_up, story.ended) == ("gpu", True, False, "")


def test_one_that_never_began_or_was_given_up_is_not(project):
    folder = project.layout.teacher("right-knee", "r2")
    trainings.give_up(project, 7, "right-knee")
    assert trainings.left_trainings(project) == () and StoryReader(folder).read().given_up
    trainings.give_up(project, 7, "right-knee")
    run = TrainingRun("knee-r2", "gpu", execute._begin(project, graph.stage(7), "right-knee").value, "2026-11-30")
    atomic.write_json(folder / "run.json", document(run))
    (folder / "mirror.json").unlink()
    assert trainings.left_trainings(project) == ()


def test_one_whose_stage_waits_for_another_is_not(project):
    (project.layout.technique("right-knee") / "variants" / "r1.json").unlink()
    assert trainings.left_trainings(project) == ()


def test_stopping_one_on_a_machine_that_is_off_the_list_says_so(project):
    with pytest.raises(StudioError, match="There is no machine 'gpu'"):
        trainings.stop_early(project, 7, "right-knee")


def test_one_whose_inputs_changed_meanwhile_can_still_be_stopped_and_given_up(project):
    (project.layout.technique("right-knee") / "variants" / "r1.json").unlink()
    with pytest.raises(StudioError, match="There is no machine 'gpu'"):
        trainings.stop_early(project, 7, "right-knee")
    run = trainings.give_up(project, 7, "right-knee")
    assert run is not None and (run.run_id, run.machine) == ("knee-r2", "gpu")
    assert trainings.give_up(project, 7, "right-knee") is None


def test_giving_one_up_tells_its_machine_and_says_where_that_fails(project, monkeypatch):
    told = []

    class Far:
        def stop(self, run: str) -> None:
            told.append(run)

        def close(self) -> None:
            told.append("closed")

    run = trainings.give_up(project, 7, "right-knee")
    assert run is not None
    with pytest.raises(StudioError, match="gpu was not told that its training was given up: there is this computer"):
        trainings.tell_machine(run)
    monkeypatch.setattr("studio.remote.machines.open_for_training", lambda name, folder: Far())
    trainings.tell_machine(run)
    assert told == ["knee-r2", "closed"]


def test_a_training_goes_on_where_it_was_left_and_else_where_it_is_wanted(project):
    assert trainings.place_of(project, 7, "right-knee") == trainings.Place("gpu", left=True)
    practice = project.layout.practice_toml("right-knee")
    practice.write_text('schema_version = 1\npreset = "quick"\nseed = 3\nmachine = "gpu-2"\n')
    assert trainings.place_of(project, 7, "right-knee") == trainings.Place("gpu-2"), "its inputs are others now"
    practice.unlink()
    trainings.give_up(project, 7, "right-knee")
    assert trainings.place_of(project, 7, "right-knee") == trainings.Place()


def test_what_was_looked_at_is_remembered_for_each_run_and_a_damaged_note_costs_nothing(project):
    one, two = (project.layout.teacher("right-knee", run) for run in ("r1", "r2"))
    assert read_seen(project, one) == frozenset()
    mark_seen(project, one, frozenset({"a.npz"}))
    mark_seen(project, one, frozenset({"b.npz"}))
    mark_seen(project, two, frozenset({"c.npz"}))
    assert read_seen(project, one) == {"a.npz", "b.npz"} and read_seen(project, two) == {"c.npz"}
    (project.layout.scratch / "seen.json").write_text('{"techniques": 3}')
    assert read_seen(project, one) == frozenset()
    mark_seen(project, one, frozenset({"a.npz"}))
    assert read_seen(project, one) == {"a.npz"}


def test_work_on_the_network_holds_up_nobody_and_says_nothing_after_the_end(qtbot):
    import threading

    wait, beside = threading.Event(), Beside()
    told: list[object] = []
    beside.ask(lambda: wait.wait(20), told.append, told.append)
    beside.ask(lambda: 7, told.append, told.append)
    qtbot.waitUntil(lambda: told == [7], timeout=5000)

    def wrong():
        raise ZeroDivisionError("by nothing")

    beside.ask(wrong, told.append, told.append)
    qtbot.waitUntil(lambda: len(told) == 2, timeout=5000)
    assert isinstance(told[1], StudioError) and "by nothing" in told[1].why
    beside.close()
    wait.set()
    qtbot.wait(50)
    assert len(told) == 2
