"""What a machine brings to train with, held against what training needs."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from studio.remote.machine import Machine
from studio.remote.plain import plain
from studio.remote.private import read_private, write_private
from studio.schema.codec import document, read_document
from studio.schema.errors import StudioError
from studio.schema.resources import resource

FILE = "checks.json"
PINGS = 5
LEAST_FREE = 2 << 30
LEAST_MEMORY = 2 << 30
FAR_OFF_S = 5.0
"""A clock that differs by more is worth a word; nothing depends on it."""


@dataclass(frozen=True)
class Package:
    """``version`` empty where it is not there; ``needs`` the rule it is held to; ``install`` what pip is told."""

    name: str
    version: str
    needs: str
    install: str

    @property
    def good(self) -> bool:
        return bool(self.version) and satisfies(self.version, self.needs)


@dataclass(frozen=True)
class Gpu:
    """``memory`` bytes."""

    name: str
    memory: int


@dataclass(frozen=True)
class Check:
    """One machine as it was found. ``memory``, ``free`` bytes; ``cores`` it may use, also parts of one;
    ``round_trip_s`` there and back; ``clock_s`` how far its clock is ahead."""

    system: str
    host: str
    python: str
    executable: str
    needs_python: str
    packages: tuple[Package, ...]
    pip: bool
    cores: float
    memory: int
    free: int
    gpus: tuple[Gpu, ...]
    round_trip_s: float
    clock_s: float
    when: str = ""

    @property
    def missing(self) -> tuple[Package, ...]:
        """What is not there, or there in a version that will not do."""
        return tuple(package for package in self.packages if not package.good)

    @property
    def python_good(self) -> bool:
        return satisfies(self.python, self.needs_python)

    @property
    def roomy(self) -> bool:
        return self.free >= LEAST_FREE and self.memory >= LEAST_MEMORY

    @property
    def can_train(self) -> bool:
        return self.python_good and not self.missing and self.roomy

    @property
    def command(self) -> tuple[str, ...]:
        """The command that installs what is missing, word by word; empty where nothing is."""
        wanted = [f"{package.name}{package.install}" for package in self.missing]
        return (self.executable, "-m", "pip", "install", *wanted) if wanted else ()


def check(machine: Machine) -> Check:
    """Ask a machine what it brings. Raises ``StudioError``, among them the question about its host key."""
    from datetime import UTC, datetime

    needs = _needs()
    names = list(needs["packages"])
    found, trip_s, clock_s = machine.preflight(names, PINGS)
    try:
        return _read(found, needs, trip_s, clock_s, datetime.now(UTC).isoformat(timespec="seconds"))
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as problem:
        raise StudioError(
            f"Checking did not work on {machine.name}",
            f"its answer makes no sense ({type(problem).__name__})",
            "Check the machine before you use it again",
        ) from None


def satisfies(version: str, rule: str) -> bool:
    """Whether a version keeps a rule: ``>=``, ``==`` or ``~=`` and numbers (PEP 440, releases alone)."""
    sign, wanted = rule[:2], _release(rule[2:])
    found = _release(version)
    if not found or not wanted:
        return False
    longest = max(len(found), len(wanted))
    padded = [part + (0,) * (longest - len(part)) for part in (found, wanted)]
    if sign == "==":
        return padded[0] == padded[1]
    if sign == "~=":
        return padded[0] >= padded[1] and found[: len(wanted) - 1] == wanted[:-1]
    return sign == ">=" and padded[0] >= padded[1]


def read_checks(folder: Path) -> dict[str, Check]:
    """What was found last, by the machine's name. A file that cannot be used holds nothing that must be kept."""
    try:
        plain = json.loads(read_private(folder / FILE) or b"{}")
        return {str(name): read_document(Check, told, FILE) for name, told in plain.items()}
    except (StudioError, ValueError, RecursionError, AttributeError):
        return {}


def keep_check(folder: Path, name: str, found: Check | None) -> None:
    """Remember what was found on a machine, or forget it. Raises ``StudioError``."""
    told = {known: document(check) for known, check in read_checks(folder).items() if known != name}
    if found is not None:
        told[name] = document(found)
    write_private(folder / FILE, json.dumps(told, indent=1).encode())


@cache
def _needs() -> dict[str, Any]:
    return tomllib.loads(resource("training", "packages.toml").read_text(encoding="utf-8"))


def _read(found: dict[str, Any], needs: dict[str, Any], trip_s: float, clock_s: float, when: str) -> Check:
    versions = found["packages"]
    packages = tuple(
        Package(name, _text(versions.get(name, "")), rule["needs"], rule["install"])
        for name, rule in needs["packages"].items()
    )
    return Check(
        system=_text(found["system"]),
        host=_text(found["host"]),
        python=_text(found["python"]),
        executable=_text(found["executable"], 1024),
        needs_python=needs["python"],
        packages=packages,
        pip=found["pip"] is True,
        cores=float(found["cores"]),
        memory=int(found["memory"]),
        free=int(found["free"]),
        gpus=tuple(Gpu(_text(gpu["name"]), int(gpu["memory"])) for gpu in found["gpus"][:64]),
        round_trip_s=trip_s,
        clock_s=clock_s,
        when=when,
    )


def _text(told: object, cap: int = 100) -> str:
    """A machine's own words."""
    if not isinstance(told, str):
        raise ValueError("not a text")
    return plain(told, cap)


def _release(version: str) -> tuple[int, ...]:
    found = re.match(r"\d+(?:\.\d+)*", version.strip())
    return tuple(int(part[:9]) for part in found[0].split(".")) if found else ()
