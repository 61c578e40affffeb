"""Writing so that a crash or a full disk leaves either the old file or the new one, never half of one."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import tomli_w

from studio.schema.errors import StudioError

TEMPORARY = ".tmp-"


def write_file(path: Path, write: Callable[[IO[bytes]], object], new: bool = False) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then move it there. ``new``: refuse to replace a file.

    Raises :class:`StudioError` where the disk is full or does not let itself be written.
    """
    temporary = path.parent / f"{TEMPORARY}{uuid.uuid4().hex}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        _move(temporary, path, new)
        sync_folder(path.parent)
    except FileExistsError:
        raise StudioError(
            f"{path.name} was not written", "it exists already and is never replaced", "Run again"
        ) from None
    except OSError as error:
        raise _disk_error(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def write_bytes(path: Path, data: bytes, new: bool = False) -> None:
    """Write ``data`` atomically."""
    write_file(path, lambda file: file.write(data), new)


def write_toml(path: Path, plain: Mapping[str, Any], new: bool = False) -> None:
    """Write plain data as TOML, atomically."""
    write_bytes(path, tomli_w.dumps(plain).encode(), new)


def write_json(path: Path, plain: Any, new: bool = False) -> None:
    """Write plain data as JSON with sorted keys, atomically: equal data gives equal bytes."""
    text = json.dumps(plain, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(path, (text + "\n").encode(), new)


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], new: bool = False) -> None:
    """Write named arrays as an uncompressed npz, atomically. Equal arrays give equal bytes. Raises ``TypeError``
    for an array of objects, which could only be pickled."""
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise TypeError(f"{name} holds objects, not numbers")
    write_file(path, lambda file: np.savez(file, **arrays), new)  # type: ignore[arg-type]


def append_line(path: Path, plain: Any) -> None:
    """Add one JSON line and make sure that it is on the disk; a line that did not fit is taken back."""
    line = json.dumps(plain, sort_keys=True, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            end = file.tell()
            try:
                if file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(file.fileno())
            except OSError:
                os.ftruncate(file.fileno(), end)
                raise
    except OSError as error:
        raise _disk_error(path, error) from error


def remove(path: Path) -> None:
    """Take a file away, durably; one that is not there is no error. Raises :class:`StudioError`."""
    try:
        path.unlink(missing_ok=True)
        if path.parent.is_dir():
            sync_folder(path.parent)
    except OSError as error:
        raise _disk_error(path, error) from error


def sync_folder(folder: Path) -> None:
    """Make a rename in ``folder`` durable. Windows has no such call and needs none."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _move(temporary: Path, path: Path, new: bool) -> None:
    if not new:
        temporary.replace(path)
        return
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if path.exists():
            raise FileExistsError(path) from None
        temporary.replace(path)


def _disk_error(path: Path, error: OSError) -> StudioError:
    what = f"{path.name} could not be written"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StudioError(what, "the disk is full", "Free some space and run again; the last revision is intact")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StudioError(what, f"{path.parent} does not allow writing", "Check the folder's permissions")
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return StudioError(what, f"{path.parent} cannot be a folder", "Choose another place")
    return StudioError(what, (error.strerror or str(error)).lower(), "Check the disk; the last revision is intact")
