"""A small project whose stages are quick stand-ins with real inputs, outputs and records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studio.schema.camera import Camera, Rig
from studio.schema.codec import document
from studio.schema.keypoints import Keypoints
from studio.schema.project import Coach, ProjectInfo
from studio.schema.session import DeclaredTake, Session
from studio.schema.take import Sync, Take
from studio.schema.technique import Technique
from studio.stages import execute
from studio.stages.stage import Context, Result, Stage
from studio.store import atomic
from studio.store.catalog import declaration
from studio.store.project import Project

TAKE = "s/t"


def make_project(root: Path) -> Project:
    """One session with one take, one technique; the videos are a few bytes."""
    project = Project.create(root, ProjectInfo("gym", "coach"), Coach("coach", 1.75, 72.0))
    layout = project.layout
    session = Session("s", "cal.toml", {"a": "one", "b": "two"}, (DeclaredTake("t", {"a": "a.mp4", "b": "b.mp4"}),))
    atomic.write_toml(layout.session_toml("s"), document(session))
    atomic.write_bytes(layout.session("s") / "cal.toml", b"[one]\n[two]\n")
    for phone in "ab":
        atomic.write_bytes(layout.take(TAKE) / f"{phone}.mp4", b"frames of " + phone.encode())
    atomic.write_toml(
        layout.technique_toml("kick"), document(Technique("kick", "s", "t", "fighter", "foot_r", 0.0, 1.0))
    )
    return project


def tiny_run(context: Context) -> Result:
    """A result that depends on the inputs' bytes alone."""
    stage = int(declaration_of(context))
    seed = int(context.fingerprint[:8], 16)
    values = np.random.default_rng(seed).normal(size=(2, 26, 2))
    context.progress(0.5, "half")
    if stage == 1:
        layout = context.project.layout
        camera = Camera("a", 2, 2, np.eye(3), np.zeros(4), np.eye(3), np.zeros(3))
        take = Take("t", "s", (), Sync(), 0.0, 1.0)
        return Result(places={layout.rig_toml("s"): Rig((camera,)), layout.take_toml(TAKE): take})
    if stage == 7:
        return _trained(context, values)
    keypoints = Keypoints("a", "tiny", np.arange(2.0), values, np.ones((2, 26)))
    return Result(arrays={"": keypoints}, summary={"figure": 1})


def declaration_of(context: Context) -> str:
    """The number of the stage a context belongs to, from its results folder."""
    names = {"capture": "1", "keypoints": "2", "points": "3", "body": "4", "retarget": "5", "variants": "6"}
    return names.get(context.folder.name) or ("7" if context.folder.name == "teachers" else "8")


def _trained(context: Context, values: np.ndarray) -> Result:
    folder = context.project.layout.teacher(context.subject, f"r{context.number}") / "snapshots"
    paths = tuple(folder / f"{name}.onnx" for name in ("first", "last"))
    for path in paths:
        atomic.write_bytes(path, path.stem.encode() + values.tobytes())
    return Result(files=paths)


def use_tiny_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every stage be a stand-in."""
    monkeypatch.setattr(execute, "find_stage", lambda number: Stage(declaration(number), tiny_run))


def run_through(project: Project, last: int, approve: bool = True) -> None:
    """Run stages 1 to ``last`` that are not finished, approving where eyes are needed."""
    for stage in range(1, last + 1):
        for subject in project.subjects(stage):
            if project.state(stage, subject).finished:
                continue
            if project.state(stage, subject).state != "needs your eyes":
                execute.run_stage(project, stage, subject, lambda fraction, text: None)
            if approve and declaration(stage).eyes:
                project.approve(stage, subject)
