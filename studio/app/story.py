"""What a training has told so far: its events folded into progress, curves, clips and snapshots."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from studio.remote.journal import read_events
from studio.remote.mirror import file_of
from studio.schema.errors import StudioError
from studio.schema.machine import THIS_COMPUTER
from studio.stages.training_run import RUN, TrainingRun, has_begun
from studio.store import reading
from studio.store.project import Project

RUN_FOLDER = re.compile(r"r([1-9][0-9]{0,5})")


@dataclass(frozen=True)
class Kept:
    """A clip or a snapshot that is here: after how many iterations, and its file."""

    iteration: int
    path: Path


@dataclass(frozen=True)
class Story:
    """``phase``: setup eval train done stopped, empty before it began. ``rate`` steps per second, ``left_s`` s or
    None. ``curves``: name to (iteration, value) pairs. ``ended``: how, empty while it goes on. ``machine``: empty
    for this computer; ``begun``: the machine has told of it; ``given_up``: nobody goes on with it."""

    run: str = ""
    phase: str = ""
    iteration: int = 0
    iterations: int = 0
    steps: int = 0
    rate: float = 0.0
    left_s: float | None = None
    curves: dict[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)
    clips: tuple[Kept, ...] = ()
    snapshots: tuple[Kept, ...] = ()
    ended: str = ""
    said: str = ""
    machine: str = ""
    begun: bool = False
    given_up: bool = False

    @property
    def fraction(self) -> float:
        return self.iteration / self.iterations if self.iterations else 0.0


class StoryReader:
    """Reads one run's mirror as it grows. To be used by one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._story = Story(run=folder.name)
        self._last = 0

    def read(self) -> Story:
        """All that was told up to now."""
        self._story = self._with_run(self._story)
        for event in read_events(self.folder, after=self._last):
            self._last = event["seq"]
            self._story = told(self._story, event, self.folder)
        return self._story

    def _with_run(self, story: Story) -> Story:
        try:
            run = reading.read_json(TrainingRun, self.folder / RUN)
        except StudioError:
            return story
        where, begun = "" if run.machine == THIS_COMPUTER else run.machine, has_begun(self.folder)
        return replace(story, machine=where, begun=begun, given_up=run.cancelled)


def told(story: Story, event: dict[str, Any], folder: Path) -> Story:
    """The story after one more event. Fields that are not what they should be are left out."""
    kind = event["type"]
    if kind == "state":
        return replace(story, phase=str(event.get("phase", "")))
    if kind == "progress":
        return _progressed(story, event)
    if kind == "metric":
        return _measured(story, event)
    if kind in ("clip", "ckpt"):
        kept = Kept(int(_number(event.get("iter"))), file_of(folder, event))
        if not kept.path.is_file():
            return story
        if kind == "clip":
            return replace(story, clips=(*(c for c in story.clips if c.iteration != kept.iteration), kept))
        return replace(story, snapshots=(*(s for s in story.snapshots if s.iteration != kept.iteration), kept))
    if kind == "log" and event.get("level") == "error":
        return replace(story, said=str(event.get("text", ""))[:300])
    if kind == "final":
        return replace(story, ended=str(event.get("status", "")), left_s=None)
    return story


def newest_run(project: Project, technique: str) -> Path | None:
    """The folder of the newest training of a technique; None before the first."""
    folders = [path for path in project.layout.teachers(technique).glob("r*") if RUN_FOLDER.fullmatch(path.name)]
    return max(folders, key=lambda path: int(path.name[1:]), default=None)


def _progressed(story: Story, event: dict[str, Any]) -> Story:
    left = event.get("eta_s")
    return replace(
        story,
        iteration=int(_number(event.get("iter"))),
        iterations=int(_number(event.get("iters"))),
        steps=int(_number(event.get("steps"))),
        rate=_number(event.get("fps")),
        left_s=float(left) if isinstance(left, (int, float)) else None,
    )


def _measured(story: Story, event: dict[str, Any]) -> Story:
    values, iteration = event.get("values"), int(_number(event.get("iter")))
    if not isinstance(values, dict):
        return story
    curves = dict(story.curves)
    for name, value in values.items():
        if isinstance(value, (int, float)) and isinstance(name, str):
            curves[name] = (*curves.get(name, ()), (iteration, float(value)))
    return replace(story, curves=curves)


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
