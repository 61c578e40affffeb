"""``padwork new``: a project, empty or a copy of a sample."""

from __future__ import annotations

import argparse

from studio.schema.project import Coach, ProjectInfo
from studio.store.layout import spoken_name
from studio.store.project import Project
from studio.store.samples import copy_sample

STATURE_M, MASS_KG = 1.75, 75.0


def main(options: argparse.Namespace) -> int:
    """Make the project and say where its pages are."""
    if options.sample:
        project = copy_sample(options.sample, options.folder)
    else:
        name = spoken_name(options.folder.resolve())
        project = Project.create(options.folder, ProjectInfo(name, "coach"), Coach("coach", STATURE_M, MASS_KG))
    print(f"{project.layout.root} is ready. The coach's measures are in {project.layout.coach_toml.name}.")
    return 0
