"""``padwork new``: a project, empty or a copy of a sample."""

from __future__ import annotations

import argparse
import sys
import time

from studio.schema.project import Coach, ProjectInfo
from studio.store.layout import spoken_name
from studio.store.project import Project
from studio.store.samples import copy_sample

STATURE_M, MASS_KG = 1.75, 75.0

EVERY_S = 5.0


class _Shown:
    """Progress of a sample that is made: a line that rewrites itself, or now and then a line."""

    def __init__(self, name: str) -> None:
        self._name, self._live, self._last = name, sys.stdout.isatty(), -EVERY_S

    def __call__(self, fraction: float, text: str) -> None:
        now = time.monotonic()
        if now - self._last < (0.2 if self._live else EVERY_S):
            return
        self._last = now
        told = f"{self._name}: {fraction:4.0%} {text}"
        print(f"\r{told:<60}\r" if self._live else told, end="" if self._live else "\n", flush=True)


def main(options: argparse.Namespace) -> int:
    """Make the project and say where its pages are."""
    if options.sample:
        project = copy_sample(options.sample, options.folder, _Shown(options.sample))
        if project.info.synthetic:
            print(f"{options.sample} is synthetic: nobody was filmed, the program made its videos and keypoints.")
    else:
        name = spoken_name(options.folder.resolve())
        project = Project.create(options.folder, ProjectInfo(name, "coach"), Coach("coach", STATURE_M, MASS_KG))
    print(f"{project.layout.root} is ready. The coach's measures are in {project.layout.coach_toml.name}.")
    return 0
