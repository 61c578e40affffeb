"""The import rule: an arrow of ARCHITECTURE.md points to what may be imported; nothing imports upward."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

QT = ("PySide6", "shiboken6", "pyqtgraph", "qtawesome")
LEARNING = ("torch", "mjlab", "rsl_rl", "warp", "mujoco_warp")
HEAVY = ("cv2", "av", "onnxruntime", "onnx", "openvino", "rtmlib", "mink")

ALLOWED = {
    "studio.schema": ("studio.schema",),
    "studio.domain": ("studio.schema", "studio.domain"),
    "studio.store": ("studio.schema", "studio.domain", "studio.store"),
    "studio.remote": ("studio.schema", "studio.domain", "studio.remote", "remote_agent.agent"),
    "studio.stages": ("studio.schema", "studio.domain", "studio.store", "studio.remote", "studio.stages"),
    "studio.jobs": ("studio.schema", "studio.domain", "studio.store", "studio.remote", "studio.stages", "studio.jobs"),
    "studio.app": (
        "studio.schema", "studio.domain", "studio.store", "studio.remote", "studio.stages", "studio.jobs", "studio.app",
    ),
    "studio.ui": ("studio.schema", "studio.domain", "studio.app", "studio.ui"),
    "studio.cli": ("studio",),
    "remote_agent": ("studio.schema", "studio.domain", "remote_agent"),
    "remote_agent.agent": ("studio.schema.events", "remote_agent.agent"),
}  # fmt: skip
"""Package to the packages of ours that it may import, inside functions too."""

FORBIDDEN = {
    "studio.schema": (*QT, *LEARNING, *HEAVY, "paramiko", "scipy", "mujoco"),
    "studio.domain": (*QT, *LEARNING, "paramiko"),
    "studio.store": (*QT, *LEARNING, "paramiko"),
    "studio.remote": (*QT, *LEARNING),
    "studio.stages": (*QT, *LEARNING, "paramiko"),
    "studio.jobs": (*QT, *LEARNING, "paramiko"),
    "studio.app": (*LEARNING, "paramiko", "PySide6.QtWidgets", "pyqtgraph"),
    "studio.ui": (*LEARNING, "paramiko"),
    "studio.cli": (*LEARNING, "paramiko"),
    "remote_agent": (*QT, "paramiko", "cv2", "av", "openvino", "rtmlib"),
    "remote_agent.agent": (*QT, *LEARNING, *HEAVY, "paramiko", "numpy", "scipy", "mujoco"),
}
"""Package to the libraries that it never imports, inside functions either."""

AT_IMPORT = {
    **FORBIDDEN,
    "studio.domain": (*FORBIDDEN["studio.domain"], *HEAVY),
    "studio.stages": (*FORBIDDEN["studio.stages"], *HEAVY),
    "studio.cli": (*FORBIDDEN["studio.cli"], *QT, *HEAVY, "scipy", "mujoco"),
}
"""The same for what is loaded when the package is imported."""


def package_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    dotted = ".".join(parts)
    owners = [name for name in ALLOWED if dotted == name or dotted.startswith(name + ".")]
    return max(owners, key=len) if owners else ""


def sources() -> list[Path]:
    return sorted(p for top in ("studio", "remote_agent") for p in (ROOT / top).rglob("*.py"))


def imported_names(path: Path) -> set[str]:
    """Every dotted name imported anywhere in a file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == p or name.startswith(p + ".") for p in packages)


@pytest.mark.parametrize("path", [p for p in sources() if package_of(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_imports_only_what_its_layer_may(path: Path) -> None:
    owner = package_of(path)
    for name in imported_names(path):
        if name.split(".")[0] in ("studio", "remote_agent"):
            assert within(name, ALLOWED[owner]), f"{owner} may not import {name}"
        assert not within(name, FORBIDDEN[owner]), f"{owner} may not import {name}"


BLOCKED_IMPORT = """
import importlib, pkgutil, sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if any(name == b or name.startswith(b + ".") for b in {blocked!r}):
            raise ImportError("blocked: " + name)

sys.meta_path.insert(0, Block())
top = importlib.import_module({package!r})
for module in pkgutil.walk_packages(top.__path__, top.__name__ + "."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_with_the_forbidden_libraries_blocked(package: str) -> None:
    code = BLOCKED_IMPORT.format(blocked=AT_IMPORT[package], package=package)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr[-1500:]


@pytest.mark.parametrize("folder", ["packaging", "projects", "resources"])
def test_folders_named_like_libraries_are_no_packages(folder: str) -> None:
    assert not list((ROOT / folder).rglob("__init__.py"))
