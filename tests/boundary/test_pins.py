"""What must agree is pinned, installed as pinned, and named without any address."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINES = (ROOT / "packaging" / "constraints.txt").read_text().splitlines()
PINS = dict(line.split("==") for line in LINES if line and not line.startswith("#"))


@pytest.mark.parametrize("name", sorted(PINS))
def test_the_installed_version_is_the_pinned_one(name: str) -> None:
    assert metadata.version(name).split("+")[0] == PINS[name]


def test_both_opencv_wheels_are_one_version() -> None:
    assert PINS["opencv-python"] == PINS["opencv-contrib-python"]


def test_mjlab_agrees_with_the_pinned_mujoco() -> None:
    wanted = next(r for r in metadata.requires("mjlab") or [] if re.match(r"mujoco\b(?!-)", r))
    assert "3.11" in wanted and PINS["mujoco"].startswith("3.11.")
    assert any(
        r.replace(" ", "").startswith(f"rsl-rl-lib=={PINS['rsl-rl-lib']}") for r in metadata.requires("mjlab") or []
    )


def test_no_address_is_written_down() -> None:
    for path in (ROOT / "packaging" / "constraints.txt", ROOT / "pyproject.toml"):
        assert "://" not in path.read_text()
