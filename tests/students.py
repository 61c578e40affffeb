"""Two skills to be merged: teachers that nobody had to train, and a project that holds them up to stage 8."""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from factories import make_table
from house import tiny_run

from studio.domain.policy.network import Weights, build_onnx
from studio.domain.policy.observation import PolicyCard, Skill, make_layout
from studio.domain.policy.reference import make_reference
from studio.schema.codec import document, pack, to_plain
from studio.schema.project import Coach, ProjectInfo
from studio.schema.session import DeclaredTake, Practice, Session
from studio.schema.technique import Technique
from studio.schema.training import GateRow, GateTable, SkillSpec, StudentSpec
from studio.schema.variants import Table
from studio.stages import execute, graph
from studio.stages.stage import Context, Result
from studio.store import atomic
from studio.store.project import Project

HIDDEN = (32, 16)
TINY = {"envs": 16, "steps": 12, "iterations": 12, "updates": 40, "batch": 256, "evaluation_seeds": [200],
        "evaluate_every": 6, "clip_every": 100, "memory": 20000, "threads": 2, "hold_s": 0.1}  # fmt: skip


def made_teacher(skill: Skill, joints: tuple[str, ...], size: float, hidden: tuple[int, ...] = HIDDEN) -> bytes:
    """A policy that answers smoothly to all it sees with actions of about ``size``."""
    chance, layout = np.random.default_rng(skill.slot), make_layout(joints, hidden)
    sizes = (layout.size, *hidden, len(joints))
    layers = [
        (chance.normal(0, a**-0.5, (b, a)).astype(np.float32), chance.normal(0, 0.5, b).astype(np.float32))
        for a, b in itertools.pairwise(sizes)
    ]
    layers[-1] = (size * layers[-1][0], size * layers[-1][1])
    weights = Weights(np.zeros(layout.size, np.float32), np.ones(layout.size, np.float32), tuple(layers))
    return build_onnx(weights, PolicyCard((skill,), 5, layout))


def write_student_order(folder: Path, changes: dict | None = None, **settings: object) -> Path:
    """A folder with spec.json and the files of two skills: the raise of the left leg with large actions, the knee with
    actions a tenth as large. ``changes``: of the skills' slots, sizes and hidden layers."""
    wanted = {
        "slots": (1, 2),
        "sizes": (0.3, 0.03),
        "hidden": (HIDDEN, HIDDEN),
        "what": ("raise", "knee"),
        **(changes or {}),
    }
    folder.mkdir(parents=True, exist_ok=True)
    skills = []
    for number, what in enumerate(wanted["what"], 1):
        table, body = make_table("l" if what == "raise" else "r", what)
        joints = make_reference(table, body).joints
        skill = Skill(table.technique, wanted["slots"][number - 1], table.striker)
        np.savez(folder / f"table-{number}.npz", **pack(table))  # type: ignore[arg-type]
        (folder / f"body-{number}.json").write_text(json.dumps(to_plain(body)))
        teacher = made_teacher(skill, joints, wanted["sizes"][number - 1], wanted["hidden"][number - 1])
        (folder / f"teacher-{number}.onnx").write_bytes(teacher)
        names = (f"table-{number}.npz", f"body-{number}.json", f"teacher-{number}.onnx")
        shas = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names]
        skills.append(SkillSpec(table.technique, *shas))
    spec = StudentSpec(tuple(skills), "student_smoke", 1, {**TINY, **settings})
    (folder / "spec.json").write_text(json.dumps(to_plain(spec)))
    return folder


LEGS = {"raise-l": ("raise", "l", 1), "knee-r": ("knee", "r", 2)}
SEEDS = (100, 101, 102, 103, 104, 105)


def gym_of_two(root: Path, last: int = 8, **settings: object) -> Project:
    """A project of two techniques whose stages have run up to ``last``: real tables, teachers that nobody trained,
    and gates made up here. The student is distilled with tiny settings."""
    info = ProjectInfo("Two skills", "Anan", slots={name: slot for name, (_, _, slot) in LEGS.items()})
    project = Project.create(root, info, Coach("Anan", 1.71, 68.0))
    layout = project.layout
    session = Session("s", "cal.toml", {"a": "one", "b": "two"}, (DeclaredTake("t", {"a": "a.mp4", "b": "b.mp4"}),))
    atomic.write_toml(layout.session_toml("s"), document(session))
    for path in (layout.session("s") / "cal.toml", layout.take("s/t") / "a.mp4", layout.take("s/t") / "b.mp4"):
        atomic.write_bytes(path, path.name.encode())
    for name, (what, side, _) in LEGS.items():
        striker = f"{'foot' if what == 'raise' else 'knee'}_{side}"
        technique = Technique(name, "s", "t", "fighter", striker, 0.0, 1.0)
        atomic.write_toml(layout.technique_toml(name), document(technique))
    practice = Practice("student_smoke", 1, {**TINY, **settings})
    atomic.write_toml(layout.student_practice_toml, document(practice))
    run_both(project, last)
    return project


def run_both(project: Project, last: int) -> None:
    """Run stages 1 to ``last`` that are not finished, approving in between; up to 8 with results made up here."""
    before = execute.find_stage
    execute.find_stage = lambda number: replace(graph.stage(number), run=MADE.get(number, tiny_run))
    try:
        for stage in range(1, last + 1):
            for subject in project.subjects(stage):
                if not project.state(stage, subject).finished:
                    execute.run_stage(project, stage, subject, lambda fraction, text: None)
                    if stage >= 5:
                        project.approve(stage, subject, words="good")
    finally:
        execute.find_stage = before


def _variants(context: Context) -> Result:
    what, side, _ = LEGS[context.subject]
    table, body = make_table(side, what)
    return Result(arrays={"": table}, pages={"body": body}, summary={"entries": 1, "hit_error_mm": 0.0})


def _teacher(context: Context) -> Result:
    table = context.project.load(6, context.subject, Table)
    what, side, slot = LEGS[context.subject]
    joints = make_reference(table, make_table(side, what)[1]).joints
    path = context.project.layout.teacher(context.subject, f"r{context.number}") / "snapshots" / "teacher.onnx"
    atomic.write_bytes(path, made_teacher(Skill(context.subject, slot, table.striker), joints, 0.3 / slot))
    return Result(files=(path,), summary={"iterations": 5, "snapshots": 1, "snapshot_iterations": [5]})


def made_gate(technique: str, impulse: float, fallen: float = 0.0) -> GateTable:
    """A gate of three rows; ``impulse`` N s on the bag, ``fallen`` 1 for a fall in the air at the first seed."""
    rows = (
        GateRow("hit", "N s", "above", 15.0, True, {"bag": tuple(impulse + k for k in range(6))}),
        GateRow("fall", "", "below", 0.0, True, {"air": (fallen, *[0.0] * 5), "bag": (0.0,) * 6}),
        GateRow("tracking", "cm", "below", 10.0, False, {"air": (4.0,) * 6, "bag": (4.5,) * 6}),
    )
    return GateTable(technique, "iter-000005", SEEDS, rows, {}, "0" * 64, "0" * 64, {})


def _gate(context: Context) -> Result:
    return Result(pages={"table.json": made_gate(context.subject, 20.0)}, summary={"rows_passed": 2, "rows_judged": 2})


MADE = {6: _variants, 7: _teacher, 8: _gate}
