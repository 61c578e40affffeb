"""A stance is paid and judged by its own files, and stays untouched when those of a strike change."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.schema.resources import resource
from studio.schema.technique import kind_of
from studio.store.catalog import declaration
from studio.store.hashes import sha256_file
from studio.store.project import Project
from tests.house import make_project


@pytest.mark.parametrize("striker", ["shin_r", ""])
def test_rewards_and_rules_belong_to_the_kind_of_technique(tmp_path: Path, striker: str) -> None:
    project = make_project(tmp_path / "gym")
    assert isinstance(project, Project)
    path = project.layout.technique_toml("kick")
    was = project.technique("kick").striker
    path.write_text(path.read_text().replace(f'striker = "{was}"', f'striker = "{striker}"'))
    assert project.technique("kick").striker == striker
    kind = kind_of(striker)
    assert kind == ("strike" if striker else "stance")
    for stage, name, folder in ((7, "rewards", "rewards"), (8, "rules", "gates")):
        parameters = declaration(stage).inputs(project, "kick").parameters
        assert parameters[name] == sha256_file(resource(folder, f"{kind}.toml"))
