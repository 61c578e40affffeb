"""A project with two students, the first of them approved, for a window without a screen."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from students import gym_of_two, made_gate

from studio.app import films
from studio.app.gate import Film
from studio.app.session import Session
from studio.domain.body.load import load_body
from studio.domain.gates.world import build_world
from studio.domain.policy.motion import pick_joints, trained_joints
from studio.schema.codec import document
from studio.schema.session import Practice
from studio.schema.variants import Table
from studio.stages import execute, graph
from studio.stages.s9_student import summarise
from studio.stages.stage import Context, Result
from studio.stages.training_run import Heard
from studio.store import atomic
from studio.store.project import Project
from studio.store.revisions import data_path
from studio.store.skills import gate_part
from studio.ui.window import MainWindow

EVENTS = [(0, 0.02, 0.004), (6, 0.003, 0.0008), (12, 0.0004, 0.0001)]


def made_student(context: Context) -> Result:
    """Stage 9 with gates made up: the first student misses the knee's bag, the second falls once in the raise."""
    policy = data_path(context.folder, context.number, "policy", "onnx")
    atomic.write_bytes(policy, f"policy {context.number}".encode())
    hits, fallen = (9.0, 0.0) if context.number == 1 else (17.0, 1.0)
    gates = {
        "knee-r": (made_gate("knee-r", hits), made_gate("knee-r", 20.0)),
        "raise-l": (made_gate("raise-l", 20.0, fallen), made_gate("raise-l", 20.0)),
    }
    pages = {f"{gate_part(name)}.json": student for name, (student, _) in gates.items()}
    pages |= {f"{gate_part(name, teacher=True)}.json": teacher for name, (_, teacher) in gates.items()}
    heard = Heard(lambda fraction, text: None)
    lines = []
    for number, (iteration, knee, leg) in enumerate(EVENTS, 1):
        values = {"error/knee-r": knee, "error/raise-l": leg}
        heard.hear({"type": "metric", "values": values})
        lines.append({"seq": number, "att": 1, "type": "metric", "iter": iteration, "values": values})
    folder = context.folder / f"r{context.number}"
    for line in lines:
        atomic.append_line(folder / "events.jsonl", line)
    return Result(pages=pages, files=(policy,), summary=summarise(gates, heard) | {"machine": "this computer"})


def distil(project: Project) -> None:
    before = execute.find_stage
    execute.find_stage = lambda number: replace(graph.stage(number), run=made_student)
    try:
        execute.run_stage(project, 9, "", lambda fraction, text: None)
    finally:
        execute.find_stage = before


@pytest.fixture(scope="session")
def two_students(tmp_path_factory) -> Path:
    """To be copied, not used: r1 is approved, r2 waits for eyes."""
    project = gym_of_two(tmp_path_factory.mktemp("students") / "gym")
    distil(project)
    project.approve(9, "", words="the bag can wait")
    atomic.write_toml(project.layout.student_practice_toml, document(Practice("student", 2)))
    distil(project)
    return project.layout.root


@pytest.fixture
def gym(two_students, tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("PADWORK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PADWORK_AGENT_ROOT", str(tmp_path / "agent"))
    return Path(shutil.copytree(two_students, tmp_path / "gym"))


@pytest.fixture(autouse=True)
def quick_films(monkeypatch) -> list[tuple[str, str, str, int]]:
    """Tries without a network and pictures without OpenGL; what was asked for is kept."""
    asked: list[tuple[str, str, str, int]] = []

    trained = trained_joints(build_world(load_body("fighter")))

    def play(project: Project, technique: str, policy: Path, condition: str, seed: int) -> Film:
        asked.append((technique, project.layout.relative(policy), condition, seed))
        table = project.load(6, technique, Table)
        poses = pick_joints(table.qpos[0][::2], table.joints, trained)
        bag = np.tile([1.0, 0.0, 0.0, 0.0], (len(poses), 2))
        return Film(condition, seed, np.concatenate([poses, bag], axis=1), poses)

    monkeypatch.setattr("studio.ui.presenters.student.play_try", play)
    monkeypatch.setattr(films._Darkroom, "draw", lambda self, shot: np.full((shot.height, shot.width, 3), 60, np.uint8))
    return asked


@pytest.fixture
def session(qapp, gym):
    shown = Session()
    shown.open(gym)
    yield shown
    shown.close()


@pytest.fixture
def window(qtbot, gym):
    """A window on the project with two students; closed at the end."""
    shown = MainWindow(Session())
    shown.resize(1440, 900)
    shown.open_project(gym)
    shown.show()
    qtbot.waitUntil(lambda: bool(shown.session.overview.techniques), timeout=20_000)
    yield shown
    shown.close()
