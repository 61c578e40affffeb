"""The agent as one file: the same sources always make the same bytes, so that its hash is its name."""

from __future__ import annotations

import hashlib
import io
import zipfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from studio.schema.errors import StudioError

SHARED = ("studio/schema/events.py",)
EMPTY = ("remote_agent/__init__.py", "studio/__init__.py", "studio/schema/__init__.py")
ENTRY = b"import sys\n\nfrom remote_agent.agent.__main__ import main\n\nsys.exit(main(sys.argv))\n"
FIRST_DAY = (1980, 1, 1, 0, 0, 0)


@cache
def agent_zipapp() -> bytes:
    """The packed agent, to be run as ``python agent.pyz VERB``. Raises ``StudioError`` if its sources are missing."""
    members = {"__main__.py": ENTRY, **dict.fromkeys(EMPTY, b"")}
    for path in sorted((package_folder("remote_agent") / "agent").glob("*.py")):
        members[f"remote_agent/agent/{path.name}"] = source(path)
    if "remote_agent/agent/__main__.py" not in members:
        raise StudioError("The agent cannot be packed", "its sources are missing", "Install Padwork again")
    for name in SHARED:
        members[name] = source(package_folder("studio").parent / name)
    return zipped(members)


@cache
def agent_sha() -> str:
    """SHA-256 of the packed agent, in hex."""
    return hashlib.sha256(agent_zipapp()).hexdigest()


def zipped(members: dict[str, bytes]) -> bytes:
    """An archive of ``members``, name to content: the same members always make the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, members[name])
    return packed.getvalue()


def package_folder(name: str) -> Path:
    """The folder of an installed package. Raises ``StudioError`` where there is none."""
    found = find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise StudioError(f"The package {name} cannot be found", "it is not installed", "Install Padwork again")
    return Path(next(iter(found.submodule_search_locations)))


def source(path: Path) -> bytes:
    """A text file of the program, with the line ends that every system gives it."""
    return path.read_bytes().replace(b"\r\n", b"\n")
