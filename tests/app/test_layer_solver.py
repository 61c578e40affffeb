"""The solver as the window sees it: answers as signals, the newest wish last, failures as sentences."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from studio.app.solver import Solver
from studio.jobs import solving
from studio.schema.errors import StudioError
from studio.schema.layers import Knot, Layer, Layers
from studio.schema.motion import Retarget
from studio.store.project import Project


def arm(value: float) -> Layers:
    return Layers((Layer("arm", "elbow_l", 0.2, 0.6, (Knot(0.4, value),)),))


@pytest.fixture
def solver(gym, qtbot):
    made = Solver(Project.open(gym), "right-knee")
    yield made
    made.close()
    made.join()
    assert made.pid == 0


def test_wishes_are_answered_and_the_newest_comes_last(gym, solver, qtbot):
    base, solved, busy = Project.open(gym).load(5, "right-knee", Retarget), [], []
    solver.solved.connect(lambda layers, retarget, shares: solved.append((layers, retarget, shares)))
    solver.busy_changed.connect(busy.append)
    for k in range(30):
        solver.ask(arm(0.01 * k))
    assert solver.is_busy and not solved, "nothing is waited for"
    qtbot.waitUntil(lambda: bool(solved) and solved[-1][0] == arm(0.29), timeout=30_000)
    assert not solver.is_busy and busy[0] is True and busy[-1] is False
    assert len(solved) < 30
    _, retarget, shares = solved[-1]
    change = retarget.qpos[:, 7 + base.joints.index("elbow_l")] - base.qpos[:, 7 + base.joints.index("elbow_l")]
    assert change.max() == pytest.approx(0.29, rel=1e-3) and shares[0].got == pytest.approx(0.29, rel=1e-3)
    outside = (base.motion.times <= 0.2) | (base.motion.times >= 0.6)
    assert np.array_equal(retarget.qpos[outside], base.qpos[outside])


def test_a_killed_process_is_replaced_without_a_word(solver, qtbot):
    with qtbot.waitSignal(solver.solved, timeout=30_000):
        solver.ask(arm(0.1))
    failures = []
    solver.failed.connect(failures.append)
    os.kill(solver.pid, signal.SIGKILL)
    with qtbot.waitSignal(solver.solved, timeout=30_000):
        solver.ask(arm(0.2))
    assert not failures


def test_one_that_cannot_live_is_told_once_and_is_not_busy(gym, qtbot, monkeypatch):
    monkeypatch.setattr(solving, "solver_command", lambda project, technique: ["/bin/false"])
    solver = Solver(Project.open(gym), "right-knee")
    with qtbot.waitSignal(solver.failed, timeout=30_000) as said:
        solver.ask(arm(0.1))
    assert isinstance(said.args[0], StudioError) and "ended twice" in str(said.args[0])
    assert not solver.is_busy
    solver.close()
    solver.close()
    solver.join()


def test_a_closed_solver_says_nothing(gym, qtbot):
    solver, heard = Solver(Project.open(gym), "right-knee"), []
    solver.solved.connect(lambda *_: heard.append(1))
    solver.failed.connect(heard.append)
    solver.ask(arm(0.1))
    solver.close()
    solver.ask(arm(0.2))
    solver.join()
    qtbot.wait(50)
    assert not heard and not solver.is_busy
