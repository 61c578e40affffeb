"""``padwork run``: the stages in order, up to the first that needs the coach."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from studio.cli.progress import ProgressLine
from studio.jobs.events import Cancelled, Done, Failed
from studio.jobs.run import StageJob
from studio.schema.errors import StudioError
from studio.store.catalog import declaration
from studio.store.project import Project
from studio.store.states import APPROVED, EYES, FINISHED, LOCKED, RUNNING, StageState

CANCELLED, EYES_STATUS = 130, 3
NEEDS_EYES = "needs the coach's eyes"
STUDENT = 9


def main(options: argparse.Namespace) -> int:
    """Run what is not up to date. 3 where the coach must look first."""
    project = Project.open(options.project)
    seconds: dict[str, float] = {}
    try:
        with project.lock():
            for stage, subject in plan(project, options):
                status = _bring_up_to_date(project, stage, subject, options.yes, seconds)
                if status:
                    return status
    finally:
        _print_times(seconds)
    return 0


def _print_times(seconds: dict[str, float]) -> None:
    for name, value in seconds.items():
        print(f"{value:7.1f} s  {name}")
    if seconds:
        print(f"{sum(seconds.values()):7.1f} s  in all", flush=True)


def plan(project: Project, options: argparse.Namespace) -> Iterator[tuple[int, str]]:
    """Stage and subject in the order of the stages, only those that the chosen take or technique needs."""
    wanted = _wanted(project, options.take, options.technique)
    for stage in range(options.first, options.last + 1):
        for subject in project.subjects(stage):
            kind = declaration(stage).kind
            if wanted is None or subject in wanted.get(kind, {subject}):
                yield stage, subject


def _wanted(project: Project, take: str | None, technique: str | None) -> dict[str, set[str]] | None:
    if technique:
        if technique not in project.techniques():
            raise _unknown("technique", technique, project.techniques())
        found = project.technique(technique)
        subject = f"{found.session}/{found.take}"
        return {"session": {found.session}, "take": {subject}, "technique": {technique}}
    if take:
        matches = [name for name in project.takes() if take in (name, name.partition("/")[2])]
        if len(matches) != 1:
            raise _unknown("take", take, tuple(matches) or project.takes())
        session = matches[0].partition("/")[0]
        techniques = {t for t in project.techniques() if _take_of(project, t) == matches[0]}
        return {"session": {session}, "take": {matches[0]}, "technique": techniques}
    return None


def _take_of(project: Project, technique: str) -> str:
    found = project.technique(technique)
    return f"{found.session}/{found.take}"


def _unknown(kind: str, name: str, known: tuple[str, ...]) -> StudioError:
    return StudioError(f"There is no one {kind} {name!r}", f"there is {', '.join(known) or 'none'}", "Name one of them")


def _bring_up_to_date(project: Project, stage: int, subject: str, yes: bool, seconds: dict[str, float]) -> int:
    state = project.state(stage, subject)
    name = f"{stage} {declaration(stage).title}  {subject}".rstrip()
    if state.state in FINISHED:
        print(f"{name}: up to date")
        return 0
    if state.state == RUNNING:
        raise StudioError(
            f"Stage {stage} of {subject} cannot run", "it is running already", "Wait for it, or cancel it"
        )
    if state.state == LOCKED:
        return _locked(state, name)
    if state.state != EYES:
        done = _run(project, stage, subject, name)
        if done is None:
            return CANCELLED
        seconds[name] = done.seconds
        state = project.state(stage, subject)
        print(f"{name}: {state.line or 'done'}, {done.seconds:.1f} s", flush=True)
    if state.state in FINISHED:
        return 0
    return _judge(project, state, name, yes)


def _run(project: Project, stage: int, subject: str, name: str) -> Done | None:
    """Run one stage to its end; None where it was cancelled."""
    with ProgressLine(name) as line:
        last = StageJob(project, stage, subject).run(line.show)
    if isinstance(last, Failed):
        raise last.error
    if isinstance(last, Cancelled):
        print("Cancelled. What was finished before is kept.", file=sys.stderr)
        return None
    return last if isinstance(last, Done) else None


def _locked(state: StageState, name: str) -> int:
    if state.behind == EYES:
        print(f"{name}: {state.why}", file=sys.stderr)
        return EYES_STATUS
    step = "Teach a second technique" if state.stage == STUDENT and not state.behind else "Finish that first"
    raise StudioError(f"{name} cannot run", state.why, step)


def _judge(project: Project, state: StageState, name: str, yes: bool) -> int:
    """A result that waits for the coach: with --yes recorded as automatic, with what its own gate says against it."""
    if state.state != EYES:
        raise StudioError(f"{name} is not up to date", state.why or f"it is {state.state}", "Run it again")
    failed = ", ".join(state.summary.get("failed", ()))
    against = f"does not pass ({failed})" if failed else ""
    if not yes:
        print(f"{name}: {against or NEEDS_EYES}. Look at it in the window.", file=sys.stderr)
        return EYES_STATUS
    project.approve(state.stage, state.subject, against, automatic=True)
    print(f"{name}: {against + ', ' if against else ''}{APPROVED} automatically")
    return 0
