"""What a machine gets to train with: the trainer, what it imports of this program, and the resources it reads.

Found by following the imports of ``remote_agent``, never by a list that somebody keeps: what is not needed does not
travel, and what is needed cannot be forgotten. The same sources always make the same bytes.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from studio.remote.pack import package_folder, source, zipped
from studio.schema.errors import StudioError
from studio.schema.resources import resource

NAME = "padwork.zip"
"""What the bundle is called beside the run."""

OURS = ("remote_agent", "studio")
WHOLE = ("remote_agent.host", "remote_agent.rewards", "remote_agent.train", "studio.schema")
"""Packages that travel complete; of the rest only what these import, inside functions too."""

LAUNCHER = "remote_agent.launch"
CALL = "resource"


@cache
def bundle() -> bytes:
    """The archive, run as ``python padwork.zip teacher RUN_DIR``. Raises ``StudioError`` if sources are missing."""
    modules = needed_modules()
    members = {"__main__.py": source(_file(LAUNCHER))}
    for name, path in modules.items():
        inside = name.replace(".", "/")
        members[f"{inside}/__init__.py" if path.name == "__init__.py" else f"{inside}.py"] = source(path)
    for path in _resources(modules):
        members[f"resources/{path.relative_to(resource()).as_posix()}"] = source(path)
    return zipped(members)


@cache
def bundle_sha() -> str:
    """SHA-256 of the bundle, in hex."""
    return hashlib.sha256(bundle()).hexdigest()


@cache
def needed_modules() -> dict[str, Path]:
    """Module or package to its file: the closure of what :data:`WHOLE` imports of this program."""
    wanted = [name for package in WHOLE for name in _modules_of(package)]
    found: dict[str, Path] = {}
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        path = _find(name)
        if path is not None:
            found[name] = path
            wanted += [*_parents(name), *_imports(name, path)]
    return dict(sorted(found.items()))


def _resources(modules: dict[str, Path]) -> list[Path]:
    """The files that calls of ``resource(...)`` name; where a part of the name is made at run time, its folder."""
    files: set[Path] = set()
    for name, path in modules.items():
        if name == "studio.schema.resources":
            continue
        for parts in _resource_calls(path):
            place = resource(*parts)
            files |= {place} if place.is_file() else {inner for inner in place.rglob("*") if inner.is_file()}
    return sorted(files)


def _resource_calls(path: Path) -> Iterator[list[str]]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == CALL:
            parts: list[str] = []
            for argument in node.args:
                if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                    break
                parts.append(argument.value)
            if not parts:
                raise StudioError(
                    "The bundle cannot be packed",
                    f"{path.name} does not name the resource it reads",
                    "Please report this",
                )
            yield parts


def _imports(name: str, path: Path) -> Iterator[str]:
    """Every name of this program that a file imports, and what it imports from there: that may be a module too."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in OURS)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            if base.split(".")[0] in OURS:
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names)


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def _modules_of(package: str) -> list[str]:
    folder = _file(package).parent
    inner = sorted(path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py"))
    return [package, *(".".join((package, *parts)) for parts in inner if parts[-1] != "__init__")]


def _file(name: str) -> Path:
    path = _find(name)
    if path is None:
        raise StudioError("The bundle cannot be packed", f"{name} is missing", "Install Padwork again")
    return path


def _find(name: str) -> Path | None:
    """The file of a module or package of this program; None for a name that is neither."""
    top, *rest = name.split(".")
    place = package_folder(top).joinpath(*rest)
    for path in (place / "__init__.py", place.with_suffix(".py")):
        if path.is_file():
            return path
    return None
