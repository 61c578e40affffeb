"""Writing files so that a reader sees all of one or nothing."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

TEMPORARY = ".tmp-"
CHUNK = 1 << 17


def sync_folder(folder: Path) -> None:
    """Makes a rename in this folder last."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def temporary(folder: Path) -> Iterator[tuple[int, Path]]:
    """A new private file in ``folder`` for a later rename; gone afterwards if it was not renamed."""
    path = folder / f"{TEMPORARY}{os.urandom(16).hex()}"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        yield handle, path
    finally:
        os.close(handle)
        with suppress(OSError):
            path.unlink()


def write_all(handle: int, data: bytes) -> None:
    """Writes every byte, however many calls it takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def write_atomic(path: Path, data: bytes, sync: bool = True) -> None:
    """Replaces ``path`` by ``data`` in one step; ``sync`` makes it outlast a power cut."""
    with temporary(path.parent) as (handle, place):
        write_all(handle, data)
        if sync:
            os.fsync(handle)
        place.replace(path)
    if sync:
        sync_folder(path.parent)


def write_json(path: Path, plain: Any, sync: bool = True) -> None:
    """Replaces ``path`` by one JSON document in one step."""
    write_atomic(path, json.dumps(plain, allow_nan=False).encode(), sync)


def read_json(path: Path) -> Any:
    """The document in ``path``, or ``None`` where there is none (yet)."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def store_stream(read: Callable[[int], bytes], folder: Path, cap: int) -> tuple[str, int]:
    """Stores bytes in ``folder`` under their SHA-256: ``(sha, size)``.

    ``read(n)`` gives at most n bytes, none at the end. Raises ``ValueError`` beyond ``cap`` bytes, and ``OSError``.
    """
    digest, size = hashlib.sha256(), 0
    with temporary(folder) as (handle, place):
        while data := read(CHUNK):
            size += len(data)
            if size > cap:
                raise ValueError(f"larger than {cap} bytes")
            digest.update(data)
            write_all(handle, data)
        sha = digest.hexdigest()
        if not (folder / sha).exists():
            os.fsync(handle)
            place.replace(folder / sha)
            sync_folder(folder)
    return sha, size


def sha_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while data := stream.read(CHUNK):
            digest.update(data)
    return digest.hexdigest()


def own_sha() -> str:
    """The packed agent's own hash, or empty when it runs from source."""
    archive = Path(sys.argv[0])
    return sha_of(archive) if archive.suffix == ".pyz" and archive.is_file() else ""


def sweep(folder: Path) -> None:
    """Removes what a killed writer left behind."""
    for leftover in folder.glob(f"{TEMPORARY}*"):
        with suppress(OSError):
            leftover.unlink()


def free_bytes(folder: Path) -> int:
    """Room left on the disk that holds ``folder``."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def used_bytes(folder: Path) -> int:
    """Bytes of all files below ``folder``, links not followed."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(Path(place) / name).st_size
    return total
