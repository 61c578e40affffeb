"""``padwork train``: choose a machine and a preset for a technique, and train its teacher there."""

from __future__ import annotations

import argparse
from dataclasses import replace

from studio.cli import run
from studio.remote import machines
from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.machine import THIS_COMPUTER
from studio.schema.user_folder import user_folder
from studio.store import atomic
from studio.store.catalog import chosen_practice
from studio.store.project import Project

TEACHER = 7


def main(options: argparse.Namespace) -> int:
    """Run stage 7, where told otherwise with another practice.toml. 3 where the coach must look first, at what comes
    before or at the clips."""
    project = Project.open(options.project)
    if options.technique not in project.techniques():
        names = ", ".join(project.techniques()) or "none"
        raise StudioError(f"There is no technique {options.technique!r}", f"the project has {names}", "Choose one")
    wanted = chosen_practice(project, options.technique)
    name = wanted.machine
    if options.machine:
        name = "" if options.machine == THIS_COMPUTER else machines.find(user_folder(), options.machine).name
    chosen = replace(wanted, machine=name, preset=options.preset or wanted.preset)
    if chosen != wanted:
        with project.lock():
            atomic.write_toml(project.layout.practice_toml(options.technique), document(chosen))
    order = {"take": "", "first": TEACHER, "last": TEACHER, "yes": options.yes}
    return run.main(argparse.Namespace(project=options.project, technique=options.technique, **order))
