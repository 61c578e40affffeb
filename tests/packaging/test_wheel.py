"""A wheel holds the program with its resources and samples, and nothing of the tests."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(out.glob("padwork-*.whl")))


def test_resources_and_samples_are_where_the_program_looks(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    for folder in ("resources", "projects"):
        wanted = {f"studio/{p.relative_to(ROOT)}" for p in (ROOT / folder).rglob("*") if p.is_file()}
        assert wanted and wanted <= names


def test_the_wheel_holds_the_program_alone(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {t for t in tops if not t.endswith(".dist-info")} == {"studio", "remote_agent"}
    entry = next(n for n in wheel.namelist() if n.endswith("entry_points.txt"))
    assert "padwork = studio.__main__:main" in wheel.read(entry).decode()


def test_it_runs_from_the_wheel_alone(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    code = "from studio.schema.resources import resource, sample; print(resource('bodies'), sample('leg-raise'))"
    found = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    ).stdout  # fmt: skip
    assert found.count(str(tmp_path)) == 2
