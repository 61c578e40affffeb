"""What can be a machine, and what cannot."""

from __future__ import annotations

import pytest

from studio.schema.codec import document, read_document
from studio.schema.errors import StudioError
from studio.schema.machine import MachineSpec


def test_a_machine_survives_its_file():
    spec = MachineSpec("gym-box.2", "10.0.0.7", 2222, "coach", "~/.ssh/id_gym", python="/opt/py/bin/python3")
    assert read_document(MachineSpec, document(spec), "machines.toml") == spec
    assert MachineSpec("a", alias="gym").host == ""


@pytest.mark.parametrize("name", ["", "this computer", ".hidden", "a/b", "-x", "x" * 65, "ä", "a\n", "$(id)"])
def test_a_name_is_plain(name):
    with pytest.raises(StudioError, match="cannot name a machine"):
        MachineSpec(name, "host")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("host", "-oProxyCommand=id"),
        ("host", "a b"),
        ("alias", "-G"),
        ("alias", "gym\nPort 1"),
        ("port", 0),
        ("port", 65536),
        ("user", "-l"),
        ("user", "a;b"),
        ("key", "id\0"),
        ("python", ""),
        ("root", "relative/folder"),
        ("root", "/a\nb"),
    ],
)
def test_what_cannot_be_used_is_named(field, value):
    with pytest.raises(StudioError, match=f"its {field} is not usable"):
        MachineSpec(**{"name": "m", "host": "h", field: value})


def test_a_machine_without_a_way_in_is_refused():
    with pytest.raises(StudioError, match="neither a host nor an alias"):
        MachineSpec("m")
