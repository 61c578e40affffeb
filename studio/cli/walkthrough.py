"""``padwork walkthrough``: the main job from two videos to a judged fighter, without a screen, with pictures."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from studio.cli import gate, new, run
from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.training import GateTable
from studio.store import atomic
from studio.store.project import Project

SAMPLE = "leg-raise"


class Steps:
    """Does one thing after the other, says so, and keeps how long each took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def do(self, name: str, step: Callable[[], str]) -> None:
        """Run a step; its answer is printed behind its time."""
        print(f"- {name}", flush=True)
        began = time.monotonic()
        answer = step()
        self.seconds[name] = round(time.monotonic() - began, 1)
        print(f"  {answer} ({self.seconds[name]:.1f} s)", flush=True)


def main(options: argparse.Namespace) -> int:
    """Leave in ``options.out``: project/, pages/*.png, side-by-side.mp4, gate.mp4, gate.json, gate.txt, times.json.

    An earlier walkthrough in the same folder is gone on with: what is up to date is not run again.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    out: Path = options.out.resolve()
    _make(out)
    folder = out / "project"
    steps = Steps()
    if not (folder / "project.toml").exists():
        steps.do("a project from the sample", lambda: _sample(folder))
    steps.do("stages 1 to 8", lambda: _stages(folder))
    project = Project.open(folder)
    technique = project.techniques()[0]
    steps.do("the gate's table", lambda: _table(project, technique, out))
    steps.do("film: the videos beside the fighter", lambda: _side_by_side(project, technique, out))
    steps.do("film: a try on the heavy bag", lambda: _gate_film(project, technique, out))
    steps.do("a picture of every page", lambda: _pages(folder, out))
    atomic.write_bytes(out / "times.json", json.dumps(steps.seconds, indent=1).encode())
    print((out / "gate.txt").read_text(encoding="utf-8"))
    print(f"{sum(steps.seconds.values()):.0f} s in all. Look in {out}")
    return 0


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StudioError(f"{out} cannot be a folder for pictures", why, "Choose another folder") from None


def _sample(folder: Path) -> str:
    new.main(argparse.Namespace(folder=folder, sample=SAMPLE))
    return f"copied {SAMPLE}"


def _stages(folder: Path) -> str:
    wanted = argparse.Namespace(project=folder, take="", technique="", first=1, last=8, yes=True)
    status = run.main(wanted)
    if status:
        raise StudioError("The walkthrough ended early", f"the stages ended with status {status}", "Run it again")
    return "done"


def _table(project: Project, technique: str, out: Path) -> str:
    table = project.load(8, technique, GateTable, "table")
    atomic.write_json(out / "gate.json", document(table))
    atomic.write_bytes(out / "gate.txt", ("\n".join(gate.lines(table)) + "\n").encode())
    return "passed" if table.passed else "not passed"


def _side_by_side(project: Project, technique: str, out: Path) -> str:
    from studio.app.review_data import load_review
    from studio.domain.picture.side_by_side import Film, write_side_by_side

    data = load_review(project, technique)
    film = Film(data.take, data.files, data.rig, data.fighter, data.retarget.motion)
    frames = write_side_by_side(out / "side-by-side.mp4", film)
    return f"side-by-side.mp4, {frames} frames"


def _gate_film(project: Project, technique: str, out: Path) -> str:
    from studio.app.gate import play_cell
    from studio.app.try_film import write_try

    seed = project.load(8, technique, GateTable, "table").seeds[0]
    frames = write_try(out / "gate.mp4", project, technique, play_cell(project, technique, "bag", seed))
    return f"gate.mp4, {frames} frames"


def _pages(folder: Path, out: Path) -> str:
    from studio.ui.gallery import write_gallery

    return f"{len(list(write_gallery(folder, out / 'pages')))} pictures in pages"
