from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from studio.remote import teacher_run
from studio.remote.channel import LocalChannel
from studio.remote.machine import Machine
from studio.schema.codec import document
from studio.schema.errors import StudioError, UnfinishedError
from studio.stages import execute, graph, s7_teacher, training_run
from studio.stages.stage import Context, Stage
from studio.stages.training_run import TrainingRun
from studio.store import atomic, reading
from studio.store.catalog import declaration, practice
from studio.store.project import Project
from tests.house import make_project, run_through, tiny_run, use_tiny_stages

TRAINER = """
import json, pathlib, sys, time
def say(**event): print(json.dumps(event), flush=True)
out = pathlib.Path("out"); out.mkdir(exist_ok=True)
for n in range(1, {iterations} + 1):
    say(type="progress", iter=n, iters={iterations})
    (out / f"policy-{{n}}.onnx").write_bytes(bytes([n]) * 64)
    (out / f"clip-{{n}}.npz").write_bytes(bytes([n]) * 32)
    say(type="ckpt", path=f"out/policy-{{n}}.onnx", iter=n, format="onnx")
    say(type="clip", path=f"out/clip-{{n}}.npz", iter=n, caption="clip")
    time.sleep({pause})
say(type="metric", iter={iterations}, values={{"hits": 6}})
{end}
"""


class Stopped(BaseException):
    """Stands for a cancel."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PADWORK_AGENT_ROOT", str(tmp_path / "agent"))
    use_tiny_stages(monkeypatch)
    project = make_project(tmp_path / "gym")
    run_through(project, 6)

    def find(number: int) -> Stage:
        return graph.stage(7) if number == 7 else Stage(declaration(number), tiny_run)

    monkeypatch.setattr(execute, "find_stage", find)
    body = project.load
    from studio.schema.body import Body

    monkeypatch.setattr(
        project, "load", lambda stage, name, cls, part="": Body("f", 1.8, 70.0) if part else body(stage, name, cls)
    )
    return project


def train(monkeypatch: pytest.MonkeyPatch, iterations: int = 3, pause: float = 0.0, end: str = "") -> None:
    """Let the machine run a trainer of a few lines instead."""
    code = TRAINER.format(iterations=iterations, pause=pause, end=end)

    def start(machine: Machine, run_id: str, spec, table: Path, body: Path):
        order = {"cmd": [sys.executable, "-c", code], "env": {}, "grace_s": 2.0}
        return machine.start(run_id, order, {"table.npz": table, "body.json": body})

    monkeypatch.setattr(teacher_run, "start_teacher", start)


def test_a_training_is_mirrored_and_its_last_snapshot_adopted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(monkeypatch)
    told: list[str] = []
    revision = execute.run_stage(project, 7, "kick", lambda fraction, text: told.append(text))
    assert revision.record.summary["iterations"] == 3
    assert revision.record.summary["figures"] == {"hits": 6.0}
    assert "Iteration 3 of 3" in told
    snapshots = [project.layout.absolute(name).read_bytes()[0] for name in project.snapshots("kick")]
    assert snapshots == [1, 2, 3], "in the order of the training"
    folder = project.layout.teacher("kick", "r1")
    assert {p.name for p in folder.iterdir()} >= {"spec.json", "run.json", "events.jsonl", "clips", "snapshots"}
    project.approve(7, "kick", automatic=True)
    assert project.adopted("kick").read_bytes()[0] == 3
    assert project.results(8, "kick") == folder / "gates"


def test_a_failed_training_says_the_trainers_own_words(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    words = 'say(type="log", level="error", text="the table has no entry"); sys.exit(1)'
    train(monkeypatch, end=words)
    with pytest.raises(StudioError, match="the table has no entry"):
        execute.run_stage(project, 7, "kick", lambda fraction, text: None)
    assert project.state(7, "kick").state == "failed"


def test_cancelling_ends_the_training_on_the_machine_and_the_next_run_begins_anew(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(monkeypatch, iterations=400, pause=0.1)

    def stop(fraction: float, text: str) -> None:
        if text.startswith("Iteration 2"):
            raise Stopped

    with pytest.raises(Stopped):
        execute.run_stage(project, 7, "kick", stop)
    run_id = reading.read_json(training_run.TrainingRun, project.layout.teacher("kick", "r1") / "run.json").run_id
    end = time.monotonic() + 8
    while Machine(LocalChannel()).status(run_id).running and time.monotonic() < end:
        time.sleep(0.1)
    assert not Machine(LocalChannel()).status(run_id).running
    assert project.state(7, "kick").state == "ready"
    train(monkeypatch)
    assert execute.run_stage(project, 7, "kick", lambda fraction, text: None).number == 2


def test_a_training_whose_studio_died_is_gone_on_with(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    train(monkeypatch, iterations=12, pause=0.1)

    def die(fraction: float, text: str) -> None:
        if text.startswith("Iteration 2"):
            raise SystemError

    wanted = execute._begin(project, graph.stage(7), "kick")
    context = Context(project, "kick", 1, project.layout.teachers("kick"), wanted.value, die)
    with pytest.raises(SystemError):
        s7_teacher.run(context)
    assert s7_teacher.resume(project, "kick", wanted.value) == 1
    assert s7_teacher.resume(project, "kick", "another") is None
    first = (project.layout.teacher("kick", "r1") / "run.json").read_bytes()
    revision = execute.run_stage(project, 7, "kick", lambda fraction, text: None)
    assert revision.number == 1 and revision.record.summary["snapshots"] == 12
    assert (project.layout.teacher("kick", "r1") / "run.json").read_bytes() == first


def test_the_number_in_the_observation_comes_from_the_project(project: Project) -> None:
    assert practice(project, "kick").settings == {}
    project.info = replace(project.info, slots={"kick": 4})
    assert practice(project, "kick").settings == {"slot": 4}
    page = project.layout.practice_toml("kick")
    page.write_text('schema_version = 1\npreset = "full"\nseed = 9\nsettings = { envs = 64 }\n')
    chosen = practice(project, "kick")
    assert (chosen.preset, chosen.seed, chosen.settings) == ("full", 9, {"envs": 64, "slot": 4})


def test_a_full_disk_here_lets_the_training_wait_and_the_next_run_goes_on_with_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.remote import mirror

    train(monkeypatch, iterations=2)
    room = mirror.SPARE_BYTES
    monkeypatch.setattr(mirror, "SPARE_BYTES", 1 << 60)
    with pytest.raises(StudioError, match="nothing is lost"):
        execute.run_stage(project, 7, "kick", lambda fraction, text: None)
    assert project.state(7, "kick").state == "ready"
    monkeypatch.setattr(mirror, "SPARE_BYTES", room)
    revision = execute.run_stage(project, 7, "kick", lambda fraction, text: None)
    assert revision.number == 1 and revision.record.summary["snapshots"] == 2


def test_a_machine_that_is_off_lets_the_training_wait_and_another_may_be_chosen_before_it_has_begun(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from studio.remote import machines
    from studio.schema.machine import MachineSpec

    monkeypatch.setenv("PADWORK_HOME", str(tmp_path / "home"))
    machines.add(tmp_path / "home", MachineSpec("off", host="127.0.0.1", port=1))
    train(monkeypatch)
    for name, sentence in (("off", "cannot be reached"), ("gone", "There is no machine 'gone'")):
        choose(project, name)
        with pytest.raises(UnfinishedError, match=sentence):
            execute.run_stage(project, 7, "kick", lambda fraction, text: None)
        assert project.state(7, "kick").state == "ready", "a machine that is off is no failure"
        assert run_of(project).machine == name
    choose(project, "")
    told: list[str] = []
    revision = execute.run_stage(project, 7, "kick", lambda fraction, text: told.append(text))
    assert revision.number == 1 and revision.record.summary["machine"] == "this computer"
    assert told[0] == "Starting on this computer"


def test_a_run_that_has_begun_goes_on_where_it_is_whatever_machine_is_chosen_by_then(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(monkeypatch, iterations=8, pause=0.1)

    def die(fraction: float, text: str) -> None:
        if text.startswith("Iteration 2"):
            raise UnfinishedError("a", "b", "c")

    with pytest.raises(UnfinishedError):
        execute.run_stage(project, 7, "kick", die)
    choose(project, "elsewhere")
    revision = execute.run_stage(project, 7, "kick", lambda fraction, text: None)
    assert revision.number == 1 and revision.record.summary["machine"] == "this computer"
    assert revision.record.summary["snapshots"] == 8


def test_the_machine_is_no_part_of_what_a_teacher_is_made_of(project: Project) -> None:
    before = execute._begin(project, graph.stage(7), "kick").value
    choose(project, "elsewhere")
    assert execute._begin(project, graph.stage(7), "kick").value == before


def choose(project: Project, machine: str) -> None:
    chosen = replace(practice(project, "kick"), machine=machine)
    atomic.write_toml(project.layout.practice_toml("kick"), document(chosen))


def run_of(project: Project) -> TrainingRun:
    return reading.read_json(TrainingRun, project.layout.teacher("kick", "r1") / "run.json")
