"""Taking a file that the trainer names: confined to its work folder, plain, of a known kind, not too large."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from remote_agent.agent.files import store_stream
from remote_agent.agent.places import RunFolder
from studio.schema.events import MAX_FILE, SUFFIXES, is_name, suffix_of


class BadOutputError(Exception):
    """The trainer named a file that is not taken; the text says why."""


def store_output(run: RunFolder, named: object, cap: int = MAX_FILE) -> dict[str, object]:
    """Copies a file of the work folder into the run's files: its ``sha``, ``size`` and ``name``.

    ``named`` is relative to the work folder, or absolute and inside it. No part of the way may be a link.
    Raises :class:`BadOutputError`, and ``OSError`` (a full disk).
    """
    parts = _parts(run, named)
    handle = _open_plain(run.work, parts)
    try:
        if os.fstat(handle).st_size > cap:
            raise BadOutputError(f"larger than {cap} bytes")
        sha, size = store_stream(lambda limit: os.read(handle, limit), run.files, cap)
    except ValueError as problem:
        raise BadOutputError(str(problem)) from None
    finally:
        os.close(handle)
    return {"sha": sha, "size": size, "name": parts[-1]}


def _parts(run: RunFolder, named: object) -> tuple[str, ...]:
    if not isinstance(named, str) or not named or "\0" in named:
        raise BadOutputError("no path")
    path = Path(named)
    if path.is_absolute():
        inside = next((path.relative_to(w) for w in (run.work, run.work.resolve()) if path.is_relative_to(w)), None)
        if inside is None:
            raise BadOutputError("outside the work folder")
        path = inside
    parts = path.parts
    if not parts or any(not is_name(part) for part in parts):
        raise BadOutputError("an unusable name")
    if suffix_of(parts[-1]) not in SUFFIXES:
        raise BadOutputError(f"not one of {' '.join(SUFFIXES)}")
    return parts


def _open_plain(folder: Path, parts: tuple[str, ...]) -> int:
    """Opens step by step from ``folder``, so that nothing swapped in between leads out of it."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    here = os.open(folder, flags | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, flags | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = inner
        handle = os.open(parts[-1], flags | os.O_NONBLOCK, dir_fd=here)
    except OSError as problem:
        raise BadOutputError(problem.strerror or "cannot be opened") from None
    finally:
        os.close(here)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise BadOutputError("not a plain file")
    return handle
