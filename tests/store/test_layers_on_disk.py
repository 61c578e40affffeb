"""The coach's layers in a project: read, written, removed, refused; and what they do to stage 5."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from studio.schema.errors import StudioError
from studio.schema.layers import Knot, Layer, Layers
from studio.store import atomic
from studio.store.project import Project
from studio.store.verify import verify
from tests.house import make_project, run_through, use_tiny_stages

KNEE = Layer("higher", "knee_r", 0.2, 0.6, (Knot(0.4, 0.1),), words="ひざをもっと高く")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    use_tiny_stages(monkeypatch)
    return make_project(tmp_path / "gym")


def test_layers_are_read_as_they_were_written_and_equal_ones_have_equal_bytes(project: Project) -> None:
    layers, path = Layers((KNEE, replace(KNEE, name="off", on=False, knots=()))), project.layout.layers_toml("kick")
    assert project.layers("kick") == Layers() and not path.exists()
    project.write_layers("kick", layers)
    first = path.read_bytes()
    assert project.layers("kick") == layers
    project.write_layers("kick", Layers())
    assert not path.exists() and project.layers("kick") == Layers()
    project.write_layers("kick", Layers())
    project.write_layers("kick", layers)
    assert path.read_bytes() == first
    assert [p.name for p in path.parent.iterdir() if p.name.startswith(".tmp")] == []


@pytest.mark.parametrize(("text", "why"), [
    ("schema_version = 1\n[[layers]]\nname = 'a'\njoint = 'tail'\nstart_s = 0.0\nend_s = 1.0\n", "no joint 'tail'"),
    ("schema_version = 1\n[[layers]]\nname = 'a'\njoint = 'knee_l'\nstart_s = 0.0\nend_s = nan\n", "no number"),
    ("schema_version = 1\n[[layers]]\nname = 'a'\njoint = 'knee_l'\nstart_s = 1.0\nend_s = 1.0\n", "empty"),
    ("schema_version = 1\n[[layers]]\njoint = 'knee_l'\n", "a value for"),
    ("schema_version = 9\n", "newer Padwork"),
    ("layers = [", "not TOML"),
])  # fmt: skip
def test_a_file_that_cannot_be_used_is_refused_and_left(project: Project, text: str, why: str) -> None:
    path = project.layout.layers_toml("kick")
    atomic.write_bytes(path, text.encode())
    with pytest.raises(StudioError, match=why):
        project.layers("kick")
    assert path.read_text() == text
    assert [p for p in verify(project).problems if why in p]


def test_layers_that_cannot_be_used_are_not_written(project: Project) -> None:
    project.write_layers("kick", Layers((KNEE,)))
    before = project.layout.layers_toml("kick").read_bytes()
    with pytest.raises(StudioError, match="overlap"):
        project.write_layers("kick", Layers((replace(KNEE, knots=(Knot(0.59, 0.1),)),)))
    assert project.layout.layers_toml("kick").read_bytes() == before
    with pytest.raises(StudioError, match="cannot be a name"):
        project.write_layers("../kick", Layers((KNEE,)))


def test_changed_layers_make_stage_5_stale_and_undone_it_is_approved_again(project: Project) -> None:
    run_through(project, 6)
    project.write_layers("kick", Layers((KNEE,)))
    state = project.state(5, "kick")
    assert (state.state, state.why) == ("stale", "layers changed")
    assert "stale" in project.state(6, "kick").why
    project.write_layers("kick", Layers())
    assert project.state(5, "kick").state == project.state(6, "kick").state == "approved"
    project.write_layers("kick", Layers((KNEE,)))
    run_through(project, 5, approve=False)
    state = project.state(5, "kick")
    assert state.state == "needs your eyes" and "layers changed since" in state.why


def test_layers_of_another_technique_change_nothing(project: Project) -> None:
    run_through(project, 5)
    atomic.write_bytes(project.layout.layers_toml("other"), b"schema_version = 1\n")
    assert project.state(5, "kick").state == "approved"
