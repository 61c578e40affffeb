"""What a bundle does when it is run: ``python padwork.zip PROGRAM RUN_DIR``.

It unpacks itself once beside the run, under its own hash, and runs the program from there: what trains reads its
resources as files. Standard library alone, and good for an older Python too, which is told what is wanted.
"""

from __future__ import annotations

import hashlib
import os
import runpy
import shutil
import sys
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

PROGRAMS = {"teacher": "remote_agent.train.teacher", "student": "remote_agent.train.student"}
OLDEST = (3, 11)
MAX_BYTES = 64 << 20
FAILED, USAGE = 1, 2


def main(argv: list[str]) -> int:
    """Unpack the archive ``argv[0]`` and run its program ``argv[1]`` on ``argv[2]``, which ends the process."""
    if sys.version_info[:2] < OLDEST:
        here, wanted = (".".join(str(part) for part in version) for version in (sys.version_info[:2], OLDEST))
        sys.stderr.write(f"this is Python {here}, Padwork trains with {wanted} or newer\n")
        return FAILED
    if len(argv) != 3 or argv[1] not in PROGRAMS:
        sys.stderr.write(f"usage: python {Path(argv[0]).name} {'|'.join(PROGRAMS)} RUN_DIR\n")
        return USAGE
    archive = Path(argv[0]).resolve()
    code = unpack(archive)
    sys.path[:] = [str(code), *(entry for entry in sys.path if Path(entry or ".").resolve() != archive)]
    sys.argv = [PROGRAMS[argv[1]], argv[2]]
    runpy.run_module(PROGRAMS[argv[1]], run_name="__main__", alter_sys=True)
    return 0


def unpack(archive: Path) -> Path:
    """The folder beside ``archive`` with its members: all of them, or no such folder. Raises ``OSError`` where the
    disk refuses, ``ValueError`` for an archive that is too large or leads elsewhere."""
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    target = archive.with_name(f"code-{digest[:16]}")
    if target.is_dir():
        return target
    draft = Path(tempfile.mkdtemp(prefix=".tmp-", dir=archive.parent))
    try:
        _extract(archive, draft)
        with suppress(OSError):  # another start of the same bundle was quicker
            draft.replace(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    if not target.is_dir():
        raise OSError(f"{target} could not be made")
    return target


def _extract(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        members = packed.infolist()
        if sum(member.file_size for member in members) > MAX_BYTES:
            raise ValueError(f"{archive.name} is too large")
        for member in members:
            place = (folder / member.filename).resolve()
            if folder.resolve() not in place.parents:
                raise ValueError(f"{archive.name} names a file outside itself")
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("wb") as stream:
                stream.write(packed.read(member))
                stream.flush()
                os.fsync(stream.fileno())  # a machine that is switched off must not keep the folder without its files


if __name__ == "__main__":
    sys.exit(main(sys.argv))
