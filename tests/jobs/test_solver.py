"""The solver's process: quick answers, the newest wish first, deaths survived once and then told."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from factories import make_table

from studio.domain.layers.relock import Relock, relock
from studio.jobs import answers, command, solver, solving
from studio.jobs.answers import Refused, Request, Solved
from studio.jobs.solving import Solving
from studio.schema.body import Body
from studio.schema.codec import pack
from studio.schema.errors import StudioError
from studio.schema.layers import Knot, Layer, Layers
from studio.schema.motion import Retarget
from studio.stages import execute
from studio.stages.stage import Context, Result, Stage
from studio.store.catalog import declaration
from studio.store.processes import is_alive, started
from studio.store.project import Project
from tests.house import make_project, tiny_run

ODD = Path(__file__).with_name("odd_solver.py")


def bent(value: float, name: str = "knee", joint: str = "knee_l", end_s: float = 1.7) -> Layers:
    return Layers((Layer(name, joint, 1.2, end_s, (Knot(1.45, value),)),))


def motion() -> tuple[Retarget, Body]:
    table, body = make_table("r", "knee", "shifted")
    qpos = table.qpos[0]
    return Retarget(
        table.body, table.body_hash, table.fps, table.start_s, table.joints, table.soles, 1.0, qpos, qpos,
        table.contacts,
    ), body  # fmt: skip


@pytest.fixture(scope="module")
def gym(tmp_path_factory) -> Project:
    """A project whose stage 5 has made the authored knee."""
    project, (retarget, body) = make_project(tmp_path_factory.mktemp("solver") / "gym"), motion()

    def run(context: Context) -> Result:
        if context.folder.name != "retarget":
            return tiny_run(context)
        return Result(arrays={"": retarget, "reference": retarget}, pages={"body": body})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execute, "find_stage", lambda number: Stage(declaration(number), run))
        for stage in range(1, 6):
            for subject in project.subjects(stage):
                execute.run_stage(project, stage, subject, lambda fraction, text: None)
    return project


class Ear:
    """Hears what a solver says, with the moments."""

    def __init__(self) -> None:
        self.answers: list[tuple[Layers, answers.Answer]] = []
        self.failures: list[StudioError] = []

    def hear(self, layers: Layers, answer: answers.Answer) -> None:
        self.answers.append((layers, answer))

    def open(self, project: Project) -> Solving:
        return Solving(project, "kick", self.hear, self.failures.append)

    def wait(self, done, timeout_s: float = 20.0) -> None:
        end = time.monotonic() + timeout_s
        while not done() and time.monotonic() < end:
            time.sleep(0.005)
        assert done(), (len(self.answers), self.failures)


@pytest.fixture(scope="module")
def shared_ear():
    return Ear()


@pytest.fixture(scope="module")
def opened(gym, shared_ear):
    """One process for all tests that leave it in order."""
    made = shared_ear.open(gym)
    yield made
    made.close()
    made.join()
    assert made.pid == 0


@pytest.fixture
def ear(shared_ear):
    """Hears nothing of earlier tests."""
    shared_ear.answers.clear()
    shared_ear.failures.clear()
    return shared_ear


@pytest.fixture
def own_ear():
    return Ear()


def test_an_answer_is_what_the_stage_would_make(gym, ear, opened):
    retarget, body = motion()
    for value in (0.1, -0.1, 0.1):
        opened.ask(bent(value))
        ear.wait(lambda wanted=value: bool(ear.answers) and ear.answers[-1][0] == bent(wanted))
    layers, answer = ear.answers[-1]
    assert isinstance(answer, Solved) and answer.settled
    assert answer.shares[0].name == "knee" and answer.shares[0].asked == pytest.approx(0.1, rel=1e-3)
    wanted = relock(retarget, layers, body)
    assert answer.retarget.qpos.tobytes() == wanted.qpos.tobytes(), "the same bytes, whatever was solved before"
    assert answer.retarget.joints == retarget.joints and (answer.retarget.contacts == retarget.contacts).all()


def test_of_many_wishes_the_newest_is_answered_and_most_are_dropped(ear, opened):
    opened.ask(Layers())
    ear.wait(lambda: bool(ear.answers))
    for k in range(200):
        opened.ask(bent(0.001 * k))
    ear.wait(lambda: ear.answers[-1][0] == bent(0.199))
    assert len(ear.answers) < 60
    numbers = [answer.number for _, answer in ear.answers]
    assert numbers == sorted(numbers) and numbers[-1] == opened._number
    assert ear.answers[-1][1].settled  # type: ignore[union-attr]


def test_a_solve_that_was_overtaken_ends_between_iterations_with_what_it_has():
    retarget, body = motion()
    ready, desk = Relock(retarget, body), solver.Desk()
    desk.lay(Request(2, Layers()))
    hurried = solver.solve(ready, Request(1, bent(0.3)), desk, patience_s=0.0)
    assert isinstance(hurried, Solved) and not hurried.settled
    desk.take()
    whole = solver.solve(ready, Request(3, bent(0.3)), desk, patience_s=0.0)
    assert isinstance(whole, Solved) and whole.settled
    assert whole.retarget.qpos.tobytes() == relock(retarget, bent(0.3), body).qpos.tobytes()
    assert hurried.retarget.qpos.tobytes() != whole.retarget.qpos.tobytes()
    assert np.abs(hurried.retarget.qpos - whole.retarget.qpos).max() < 0.1


def test_layers_that_cannot_be_used_are_said_and_the_next_are_solved(ear, opened):
    opened.ask(bent(0.1, joint="tail"))
    ear.wait(lambda: bool(ear.answers))
    refused = ear.answers[-1][1]
    assert isinstance(refused, Refused) and "no joint 'tail'" in str(refused.error)
    opened.ask(bent(0.1))
    ear.wait(lambda: isinstance(ear.answers[-1][1], Solved))
    assert not ear.failures


def test_a_solver_that_is_killed_is_replaced_and_what_was_asked_is_answered(ear, opened):
    opened.ask(bent(0.1))
    ear.wait(lambda: bool(ear.answers))
    before, count = opened.pid, len(ear.answers)
    os.kill(before, signal.SIGKILL)
    opened.ask(bent(0.2))
    ear.wait(lambda: len(ear.answers) > count)
    assert opened.pid not in (0, before) and not ear.failures


def test_one_that_dies_again_is_said_and_tried_anew_when_asked(gym, own_ear, monkeypatch):
    def odd(project: Path, technique: str) -> list[str]:
        return [*command.solver_command(project, technique)[:1], str(ODD)]

    monkeypatch.setattr(solving, "solver_command", odd)
    opened = own_ear.open(gym)
    opened.ask(bent(0.1))
    own_ear.wait(lambda: bool(own_ear.failures))
    assert "ended twice" in str(own_ear.failures[0]) and not own_ear.answers
    assert gym.layout.solver_log("kick").read_text() == "on purpose\n"
    monkeypatch.undo()
    opened.ask(bent(0.1))
    own_ear.wait(lambda: bool(own_ear.answers))
    assert len(own_ear.failures) == 1
    opened.close()
    opened.join()


def test_a_technique_without_a_result_is_said_once(tmp_path, own_ear):
    opened = own_ear.open(make_project(tmp_path / "empty"))
    own_ear.wait(lambda: bool(own_ear.failures))
    assert "has not run" in str(own_ear.failures[0]) and len(own_ear.failures) == 1
    opened.close()
    opened.join()


def test_it_ends_with_what_it_listens_to(gym, own_ear):
    opened = own_ear.open(gym)
    own_ear.wait(lambda: opened.pid > 0)
    pid = opened.pid
    since = started(pid)
    opened._process.stdin.close()  # type: ignore[union-attr]
    own_ear.wait(lambda: not is_alive(pid, since))
    opened.close()
    opened.join()


def test_nothing_but_what_was_agreed_is_read():
    retarget, _ = motion()
    for bad in (b"", b"{}\n", b"[1]\n", b"x" * 40, b'{"number": 1, "bytes": 5, "shares": [], "settled": true}\nabc'):
        assert answers.read_answer(io.BytesIO(bad)) is None
        assert answers.read_request(io.BytesIO(bad)) is None
    huge = b'{"number": 1, "bytes": 999999999999, "shares": [], "settled": true}\n'
    assert answers.read_answer(io.BytesIO(huge)) is None
    pickled = io.BytesIO()
    np.savez(pickled, **{**pack(retarget), "qpos": np.array([object()])})  # type: ignore[arg-type]
    line = b'{"number": 1, "bytes": %d, "shares": [], "settled": true}\n' % len(pickled.getvalue())
    assert answers.read_answer(io.BytesIO(line + pickled.getvalue())) is None
    stream = io.BytesIO()
    answers.write_answer(stream, Solved(3, replace(retarget, root_scale=1.25), (), False))
    answers.write_answer(stream, Refused(4, "what", "why", "next"))
    stream.seek(0)
    first, second = answers.read_answer(stream), answers.read_answer(stream)
    assert isinstance(first, Solved) and first.retarget.root_scale == 1.25 and not first.settled
    assert isinstance(second, Refused) and str(second.error) == "what: why. next."


def test_the_desk_gives_the_newest_and_wakes_at_the_end():
    desk, taken = solver.Desk(), []
    for number in (1, 2, 3):
        desk.lay(Request(number, Layers()))
    newest = desk.take()
    assert newest is not None and newest.number == 3
    waiting = threading.Thread(target=lambda: taken.append(desk.take()))
    waiting.start()
    desk.close()
    waiting.join(5.0)
    assert taken == [None]
