"""``padwork distil``: choose a machine and a preset for the student, and distil it there."""

from __future__ import annotations

import argparse
from dataclasses import replace

from studio.cli import run
from studio.remote import machines
from studio.schema.codec import document
from studio.schema.machine import THIS_COMPUTER
from studio.schema.user_folder import user_folder
from studio.store import atomic
from studio.store.catalog import student_practice
from studio.store.project import Project

STUDENT = 9


def main(options: argparse.Namespace) -> int:
    """Run stage 9, where told otherwise with another practice.toml. 3 where the coach must look first, at a teacher's
    gate or at the student."""
    project = Project.open(options.project)
    wanted = student_practice(project)
    name = wanted.machine
    if options.machine:
        name = "" if options.machine == THIS_COMPUTER else machines.find(user_folder(), options.machine).name
    chosen = replace(wanted, machine=name, preset=options.preset or wanted.preset)
    if chosen != wanted:
        with project.lock():
            atomic.write_toml(project.layout.student_practice_toml, document(chosen))
    order = {"take": "", "technique": "", "first": STUDENT, "last": STUDENT, "yes": options.yes}
    return run.main(argparse.Namespace(project=options.project, **order))
