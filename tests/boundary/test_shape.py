"""The shape of files: short, documented, with nothing left for later."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = sorted(p for top in ("studio", "remote_agent", "packaging") for p in (ROOT / top).rglob("*.py"))


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", PRODUCT, ids=ids)
def test_a_file_is_short_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 500
    assert ast.get_docstring(ast.parse(text)), "a module starts with what it is"


@pytest.mark.parametrize("path", PRODUCT, ids=ids)
def test_nothing_is_left_for_later(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for word in ("TO" + "DO", "FIX" + "ME", "Not" + "ImplementedError"):
        assert word not in text


def test_most_files_are_under_150_lines() -> None:
    sizes = [len(p.read_text(encoding="utf-8").splitlines()) for p in PRODUCT]
    assert sum(size <= 150 for size in sizes) > len(sizes) / 2


@pytest.mark.parametrize("path", [p for p in PRODUCT if p.name == "__init__.py"], ids=ids)
def test_a_package_says_what_it_is_and_holds_nothing_else(path: Path) -> None:
    assert len(ast.parse(path.read_text(encoding="utf-8")).body) == 1
