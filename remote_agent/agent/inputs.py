"""Uploaded blobs, kept under their SHA-256, and placed into a run's work folder by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from remote_agent.agent.errors import RefusedError
from remote_agent.agent.files import CHUNK, free_bytes, sha_of, store_stream, sync_folder, temporary, write_all
from remote_agent.agent.identity import lock
from remote_agent.agent.places import blob_folder
from studio.schema.events import MAX_BLOB, is_sha, parse_line

MAX_HEADER = 4096
SPARE_BYTES = 1 << 20
PART_WAIT_S = 10.0


def missing_blobs(shas: Iterable[object]) -> list[object]:
    """Those of the hashes that are not here."""
    folder = blob_folder()
    return [sha for sha in shas if not is_sha(sha) or not (folder / str(sha)).is_file()]


def place_inputs(work: Path, inputs: dict[str, str]) -> None:
    """Copies blobs to their names in the work folder. Raises ``RefusedError`` for a damaged one."""
    for name, sha in inputs.items():
        blob = blob_folder() / sha
        if sha_of(blob) != sha:
            blob.unlink()
            raise RefusedError("bad_blob", sha=sha)
        with temporary(work) as (handle, place), blob.open("rb") as stream:
            while data := stream.read(CHUNK):
                write_all(handle, data)
            place.replace(work / name)


def take_pack(stream: BinaryIO) -> int:
    """Many small blobs at once: a header line ``{"sha","size"}`` and the bytes, again and again, then ``{"end":true}``.

    Returns how many were stored. Raises ``RefusedError``: short, bad_header, bad_sha, disk_full.
    """
    stored = 0
    while True:
        header = _header(stream)
        if header.get("end"):
            return stored
        sha, size = header.get("sha"), header.get("size")
        if not is_sha(sha) or type(size) is not int or not 0 <= size <= MAX_BLOB:
            raise RefusedError("bad_header")
        _check_room(size)
        _take_one(stream, str(sha), size)
        stored += 1


def part_size(sha: object) -> tuple[bool, int]:
    """Whether a blob is here, and if not, how many of its bytes are."""
    if not is_sha(sha):
        raise RefusedError("bad_sha")
    folder = blob_folder()
    if (folder / str(sha)).is_file():
        return True, 0
    with suppress(FileNotFoundError):
        return False, (folder / f"{sha}.part").stat().st_size
    return False, 0


def take_rest(stream: BinaryIO, sha: str, size: int, offset: int) -> None:
    """Appends the bytes from ``offset`` on to a large blob; its name appears when all are here and the hash is right.

    Raises ``RefusedError``: bad_header, busy_part, offset, disk_full, short, bad_sha.
    """
    if part_size(sha)[0]:
        return
    if type(size) is not int or not 0 <= size <= MAX_BLOB:
        raise RefusedError("bad_header")
    place = blob_folder() / f"{sha}.part"
    handle = lock(place, PART_WAIT_S)
    if handle is None:
        raise RefusedError("busy_part")
    try:
        part = os.lseek(handle, 0, os.SEEK_END)
        # An earlier try may have finished, and named or dropped the file, while we waited for it.
        if not place.exists() or part != offset:
            raise RefusedError("offset", part=part)
        _check_room(size - part)
        for data in _exactly(stream, size - part):
            write_all(handle, data)
        os.fsync(handle)
        if sha_of(place) != sha:
            place.unlink()
            raise RefusedError("bad_sha")
        place.replace(blob_folder() / sha)
        sync_folder(blob_folder())
    finally:
        os.close(handle)


def _header(stream: BinaryIO) -> dict[str, object]:
    line = stream.readline(MAX_HEADER)
    if not line.endswith(b"\n"):
        raise RefusedError("short")
    try:
        return parse_line(line)
    except ValueError:
        raise RefusedError("bad_header") from None


def _take_one(stream: BinaryIO, sha: str, size: int) -> None:
    chunks = _exactly(stream, size)
    found, _ = store_stream(lambda _: next(chunks, b""), blob_folder(), size)
    if found != sha:
        # What came lies under its true hash, where it harms nobody.
        raise RefusedError("bad_sha")


def _exactly(stream: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0:
        data = stream.read(min(CHUNK, size))
        if not data:
            raise RefusedError("short")
        size -= len(data)
        yield data


def _check_room(size: int) -> None:
    free = free_bytes(blob_folder())
    if free < size + SPARE_BYTES:
        raise RefusedError("disk_full", free=free)
