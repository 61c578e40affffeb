"""``padwork walkthrough``: the main job on the samples, from two videos to what was learned, without a screen."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from studio.cli import new, run, walk
from studio.schema.errors import StudioError
from studio.store import atomic, samples
from studio.store.catalog import STUDENT_NEEDS
from studio.store.project import Project


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
    """Leave a folder per sample in ``options.out``, each with project/, pages/*.png, films, the gates' tables and
    times.json. An earlier walkthrough in the same folder is gone on with: what is up to date is not run again."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    out: Path = options.out.resolve()
    for sample in options.sample or samples.names():
        _walk(sample, out / sample)
    return 0


def _walk(sample: str, out: Path) -> None:
    print(f"The sample {sample}", flush=True)
    _make(out)
    folder, steps = out / "project", Steps()
    if not (folder / "project.toml").exists():
        steps.do("a project from the sample", lambda: _sample(sample, folder))
    techniques = Project.open(folder).techniques()
    last = 9 if len(techniques) >= STUDENT_NEEDS else 8
    steps.do(f"stages 1 to {last}", lambda: _stages(folder, last))
    project = Project.open(folder)
    main_one = techniques[0]
    for name in techniques:
        steps.do(f"the gate of {name}", lambda name=name: walk.gate_table(project, name, out))
        steps.do(f"film: a try of {name}", lambda name=name: walk.try_film(project, name, out))
    steps.do("film: the videos beside the fighter", lambda: walk.side_by_side(project, main_one, out))
    if last == 9:
        for name in techniques:
            steps.do(f"film: the student's {name}", lambda name=name: walk.student_film(project, name, out))
    steps.do("a correction, looked at and taken back", lambda: walk.correction(project, main_one, out))
    steps.do("a picture of every page", lambda: walk.pages(folder, out))
    atomic.write_bytes(out / "times.json", json.dumps(steps.seconds, indent=1).encode())
    for name in techniques:
        print((out / f"gate-{name}.txt").read_text(encoding="utf-8"))
    print(f"{sum(steps.seconds.values()):.0f} s in all. Look in {out}")


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StudioError(f"{out} cannot be a folder for pictures", why, "Choose another folder") from None


def _sample(sample: str, folder: Path) -> str:
    new.main(argparse.Namespace(folder=folder, sample=sample))
    return f"copied {sample}"


def _stages(folder: Path, last: int) -> str:
    wanted = argparse.Namespace(project=folder, take="", technique="", first=1, last=last, yes=True)
    status = run.main(wanted)
    if status:
        raise StudioError("The walkthrough ended early", f"the stages ended with status {status}", "Run it again")
    return "done"
