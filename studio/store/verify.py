"""Whether every file is what its record says, and what a synced folder left behind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from studio.schema.errors import StudioError
from studio.store import atomic, fingerprint
from studio.store.hashes import sha256_file
from studio.store.project import Project
from studio.store.revisions import RECORD, Revision, list_revisions, try_record

CONFLICT = re.compile(r"conflicted copy|sync-conflict-|case conflict|\bconflict\b| \(\d+\)\.[a-z]+$", re.IGNORECASE)
"""How Dropbox, Syncthing, Nextcloud, OneDrive and Google Drive name the second copy of a file."""


@dataclass(frozen=True)
class Report:
    """What was checked, and a sentence for each thing that is wrong."""

    records: int
    files: int
    approvals: int
    problems: tuple[str, ...]


def verify(project: Project) -> Report:
    """Read every byte of the project's results again; no remembered hash is trusted. Changes nothing."""
    problems: list[str] = []
    checked: dict[Path, str | None] = {}
    fingerprints: set[tuple[int, str, str]] = set()
    records = 0
    for folder in sorted({path.parent for path in _walk(project.layout.root) if RECORD.fullmatch(path.name)}):
        revisions = list_revisions(folder)
        records += len(revisions)
        problems += _damaged_records(project, folder)
        latest = max((r.number for r in revisions if r.good), default=0)
        for revision in revisions:
            fingerprints.add((revision.record.stage, revision.record.subject, revision.fingerprint))
            problems += _check(project, revision, revision.number == latest, checked)
    problems += _check_pages(project)
    problems += _check_videos(project)
    verdicts, wrong = _check_approvals(project, fingerprints)
    return Report(records, len(checked), verdicts, tuple(problems + wrong + _leftovers(project)))


def _walk(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file() and ".studio" not in path.relative_to(root).parts]


def _damaged_records(project: Project, folder: Path) -> list[str]:
    damaged = (path for path in sorted(folder.glob("r*.json")) if RECORD.fullmatch(path.name) and not try_record(path))
    return [f"{project.layout.relative(path)} is damaged: it cannot be read as a record." for path in damaged]


def _check(project: Project, revision: Revision, is_latest: bool, checked: dict[Path, str | None]) -> list[str]:
    """A file beside its record never changes; one in a place of its own is checked for the newest record alone."""
    record, name = revision.record, project.layout.relative(revision.path)
    problems = []
    version = int(record.versions.get(fingerprint.VERSION_KEY, "0"))
    value = fingerprint.value(record.stage, record.subject, record.inputs, record.parameters, version)
    if value != record.fingerprint or record.revision != revision.number:
        problems.append(f"{name} was changed: its fingerprint is not that of what it lists.")
    for relative, wanted in record.outputs.items():
        try:
            path = project.layout.absolute(relative)
        except StudioError as error:
            problems.append(f"{name}: {error}")
            continue
        if not path.is_relative_to(revision.path.parent) and not is_latest:
            continue
        if path not in checked:
            checked[path] = sha256_file(path) if path.is_file() else None
        if checked[path] != wanted:
            state = "is missing" if checked[path] is None else "is not what was written"
            problems.append(f"{relative} {state} (stage {record.stage}, revision {record.revision}).")
    return problems


def _check_pages(project: Project) -> list[str]:
    problems = []
    techniques = project.techniques()
    pages = ((project.sessions(), project.session), (techniques, project.technique), (techniques, project.layers))
    for names, read in pages:
        for name in names:
            try:
                read(name)
            except StudioError as error:
                problems.append(str(error))
    return problems


def _check_videos(project: Project) -> list[str]:
    """Nothing can make a video again, so a missing one is told although no stage wrote it."""
    problems = []
    for subject in _takes(project):
        for name in project.declared_take(subject).files.values():
            path = project.layout.take(subject) / name
            if not path.is_file():
                problems.append(f"{project.layout.relative(path)} is missing (a video of {subject}).")
    return problems


def _takes(project: Project) -> tuple[str, ...]:
    """None where a session cannot be read, which is told elsewhere."""
    try:
        return project.takes()
    except StudioError:
        return ()


def _check_approvals(project: Project, known: set[tuple[int, str, str]]) -> tuple[int, list[str]]:
    try:
        verdicts = project.verdicts()
    except StudioError as error:
        return 0, [str(error)]
    problems = [f"approvals.jsonl line {number} is damaged." for number in verdicts.damaged]
    for approval in verdicts.approvals:
        if (approval.stage, approval.subject, approval.fingerprint) not in known:
            told = f"The verdict of {approval.when} on stage {approval.stage} of {approval.subject}"
            problems.append(f"{told} is about a result that is not here.")
    return len(verdicts.approvals), problems


def _leftovers(project: Project) -> list[str]:
    problems = []
    for path in _walk(project.layout.root):
        name = project.layout.relative(path)
        if CONFLICT.search(path.name):
            problems.append(f"{name} is a second copy made by a synced folder: keep one of the two.")
        elif path.name.startswith(atomic.TEMPORARY):
            problems.append(f"{name} was left by a write that did not finish: it may be deleted.")
    return problems
