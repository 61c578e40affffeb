"""Running one stage in this process: from the state on disk to a new revision, or to the record of a failure."""

from __future__ import annotations

import errno
import platform
import time
import traceback
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from studio.schema.codec import document, pack
from studio.schema.errors import StudioError, UnfinishedError
from studio.schema.lineage import Record
from studio.stages.graph import stage as find_stage
from studio.stages.stage import Context, Progress, Result, Stage
from studio.store import approvals, atomic, fingerprint, revisions
from studio.store.fingerprint import Fingerprint
from studio.store.project import Project
from studio.store.revisions import Revision

LIBRARIES = ("padwork", "numpy", "scipy", "mujoco", "av", "opencv-python", "onnxruntime", "openvino", "torch")


def run_stage(project: Project, number: int, subject: str, progress: Progress) -> Revision:
    """Run a stage and keep what came out. Raises :class:`StudioError` after leaving a failed record; an
    :class:`UnfinishedError` leaves none, so that the next run goes on.

    Anything else that a stage raises is a fault of the program; it is recorded and raised as a ``StudioError`` too.
    """
    stage = find_stage(number)
    wanted = _begin(project, stage, subject)
    folder = project.results(number, subject)
    revision = stage.resume(project, subject, wanted.value) or revisions.next_number(folder)
    context = Context(project, subject, revision, folder, wanted.value, progress)
    start = time.monotonic()
    try:
        result = stage.run(context)
        return _keep(context, stage, wanted, result, time.monotonic() - start)
    except UnfinishedError:
        raise
    except StudioError as error:
        _keep_failure(context, stage, wanted, error, time.monotonic() - start)
        raise
    except Exception as error:
        traceback.print_exc()
        known = _fault(stage, error)
        _keep_failure(context, stage, wanted, known, time.monotonic() - start)
        raise known from error


def record_crash(project: Project, number: int, subject: str, error: StudioError, seconds: float) -> None:
    """Leave the record of a run whose process died without a word; of one that can be resumed none, so that the next
    run goes on with it."""
    stage = find_stage(number)
    wanted = _begin(project, stage, subject)
    if stage.resume(project, subject, wanted.value) is not None:
        return
    folder = project.results(number, subject)
    number = revisions.next_number(folder)
    context = Context(project, subject, number, folder, wanted.value, lambda fraction, text: None)
    _keep_failure(context, stage, wanted, error, seconds)


def _begin(project: Project, stage: Stage, subject: str) -> Fingerprint:
    if subject not in project.subjects(stage.number):
        raise StudioError(f"There is no {stage.kind} {subject!r}", "the project does not name it", "Choose another")
    inputs = stage.inputs(project, subject)
    for upstream in inputs.upstream:
        state = project.state(upstream.stage, upstream.subject)
        if not state.finished:
            raise StudioError(
                f"Stage {stage.number} ({stage.declaration.title}) of {subject} cannot run",
                f"stage {upstream.stage} of {upstream.subject} is not finished: {state.why or state.state}",
                f"Finish stage {upstream.stage} first",
            )
    return fingerprint.of(project, stage.number, subject, inputs)


def _keep(context: Context, stage: Stage, wanted: Fingerprint, result: Result, seconds: float) -> Revision:
    layout, number, folder = context.project.layout, context.number, context.folder
    written = list(result.files)
    for part, value in result.arrays.items():
        path = revisions.data_path(folder, number, part)
        atomic.write_arrays(path, pack(value), new=True)
        written.append(path)
    for part, value in result.pages.items():
        written.append(_write_page(folder, number, part, value))
    for path, value in result.places.items():
        _replace(path, value, folder, number)
        written.append(path)
    outputs = {layout.relative(path): context.project.hashes.of(path) for path in written}
    context.project.hashes.save()
    record = replace(
        _record(context, stage, wanted, "done", seconds),
        summary=result.summary,
        findings=result.findings,
        files=tuple(outputs),
        outputs=outputs,
    )
    return revisions.write_record(folder, record)


def _write_page(folder: Path, number: int, part: str, value: Any) -> Path:
    if part.endswith(".json"):
        path = revisions.data_path(folder, number, part.removesuffix(".json"), "json")
        atomic.write_json(path, document(value), new=True)
    else:
        path = revisions.data_path(folder, number, part, "toml")
        atomic.write_toml(path, document(value), new=True)
    return path


def _replace(path: Path, value: Any, folder: Path, number: int) -> None:
    """Write a text that has one place. What stood there is kept beside the record of the run that replaced it."""
    import tomli_w

    text = tomli_w.dumps(document(value)).encode()
    if path.exists() and path.read_bytes() != text:
        atomic.write_bytes(folder / f"r{number}-before-{path.parent.name}-{path.name}", path.read_bytes(), new=True)
    atomic.write_bytes(path, text)


def _keep_failure(context: Context, stage: Stage, wanted: Fingerprint, error: StudioError, seconds: float) -> None:
    """A disk too full for the record leaves none; the error itself is told either way."""
    record = replace(_record(context, stage, wanted, "failed", seconds), error=str(error))
    try:
        revisions.write_record(context.folder, record)
    except StudioError:
        traceback.print_exc()


def _record(context: Context, stage: Stage, wanted: Fingerprint, status: str, seconds: float) -> Record:
    return Record(
        stage=stage.number,
        subject=context.subject,
        revision=context.number,
        status=status,
        fingerprint=wanted.value,
        inputs=wanted.inputs,
        parameters=wanted.parameters,
        versions={fingerprint.VERSION_KEY: str(wanted.version), **_versions()},
        seconds=round(seconds, 3),
        when=approvals.now(),
    )


@cache
def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _fault(stage: Stage, error: Exception) -> StudioError:
    """What to say about an error that nobody turned into a sentence: the disk's, or a fault of the program."""
    what = f"Stage {stage.number} ({stage.declaration.title}) failed"
    refused = _refused_by_the_disk(error)
    if refused:
        return StudioError(what, refused, "Check the disk; the last revision is intact")
    return StudioError(
        what,
        f"the program made a mistake ({type(error).__name__}: {str(error)[:200]})",
        "The log in .studio/logs says where; please report it",
    )


def _refused_by_the_disk(error: Exception) -> str:
    """What the disk did not do, as a clause; empty where it was not the disk."""
    if not isinstance(error, OSError):
        return ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full"
    if not isinstance(error.filename, str) or not error.strerror:
        return ""
    return f"{Path(error.filename).name}: {error.strerror.lower()}"
