"""Machines and training from the command line: exit status and one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from remote.conftest import end_runs
from remote.sshd import Sshd

from studio.cli.commands import run_command
from studio.remote import machines
from studio.schema.machine import MachineSpec
from studio.schema.session import Practice
from studio.store import reading
from studio.store.catalog import practice
from studio.store.project import Project
from tests.house import make_project, run_through, use_tiny_stages


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PADWORK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PADWORK_AGENT_ROOT", str(tmp_path / "agent"))
    return tmp_path / "home"


@pytest.fixture
def sshd(tmp_path: Path):
    server = Sshd(tmp_path / "sshd")
    yield server
    server.stop()
    end_runs(server.home / ".padwork")


def add(sshd: Sshd, *more: str) -> int:
    spec = sshd.spec("gpu")
    way = ("--host", spec.host, "--port", str(spec.port), "--key", spec.key, "--python", spec.python)
    return run_command(("machine", "add", "gpu", *way, *more))


def test_a_machine_is_added_only_with_the_fingerprint_of_its_owner(sshd, home, capsys):
    assert add(sshd) == 3
    told = capsys.readouterr()
    fingerprint = next(word for word in told.out.split() if word.startswith("SHA256:"))
    assert f"--accept-fingerprint {fingerprint}" in told.err
    assert machines.machines(home) == ()
    assert add(sshd, "--accept-fingerprint", "SHA256:another") == 1
    assert "is not the machine that was named" in capsys.readouterr().err
    assert not (sshd.home / ".padwork").exists() and machines.machines(home) == ()
    assert add(sshd, "--accept-fingerprint", fingerprint) == 0
    assert "gpu can train." in capsys.readouterr().out
    assert add(sshd) == 1, "the name is taken"
    capsys.readouterr()
    assert run_command(("machine", "check", "gpu", "--json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["can_train"] and found["install"] == [] and found["packages"][0]["version"]
    assert run_command(("machine", "list")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("this computer") and "not checked" in lines[0]
    assert lines[1].startswith("gpu") and lines[1].endswith("can train")
    assert run_command(("machine", "remove", "gpu")) == 0
    assert machines.machines(home) == () and json.loads((home / "checks.json").read_text()) == {}


def test_a_machine_that_cannot_be_reached_is_not_added(home, capsys):
    assert run_command(("machine", "add", "off", "--host", "127.0.0.1", "--port", "1")) == 1
    assert capsys.readouterr().err.count("\n") == 1 and machines.machines(home) == ()
    assert run_command(("machine", "add", "off", "--host", "127.0.0.1", "--port", "1", "--no-check")) == 0
    assert [spec.name for spec in machines.machines(home)] == ["off"]
    assert run_command(("machine", "check", "off")) == 1


@pytest.mark.parametrize(
    "arguments",
    [("machine",), ("machine", "add", "x"), ("machine", "add", "x", "--host", "h", "--alias", "a"),
     ("machine", "remove"), ("train", "p"), ("train", "p", "--technique", "t", "--preset", "huge")],
)  # fmt: skip
def test_wrong_usage_is_2(arguments, capsys):
    assert run_command(arguments) == 2


def test_names_that_are_none_are_refused(home, capsys):
    assert run_command(("machine", "add", "this computer", "--host", "h")) == 1
    assert run_command(("machine", "remove", "gone")) == 1
    assert "There is no machine 'gone'" in capsys.readouterr().err


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    use_tiny_stages(monkeypatch)
    made = make_project(tmp_path / "gym")
    run_through(made, 6)
    return made


def test_train_writes_what_was_chosen_and_runs_stage_7(project, home, monkeypatch, capsys):
    machines.add(home, MachineSpec("gpu", host="h"))
    ran = []
    monkeypatch.setattr(
        "studio.cli.run.main", lambda options: ran.append((options.first, options.last, options.yes)) or 0
    )
    before = project.state(7, "kick").why
    root = str(project.layout.root)
    assert run_command(("train", root, "--technique", "kick", "--machine", "gpu", "--preset", "full")) == 0
    chosen = reading.read_toml(Practice, project.layout.practice_toml("kick"))
    assert (chosen.machine, chosen.preset, ran) == ("gpu", "full", [(7, 7, False)])
    assert run_command(("train", root, "--technique", "kick")) == 0
    assert practice(project, "kick").machine == "gpu", "as it was chosen last"
    assert run_command(("train", root, "--technique", "kick", "--machine", "this computer", "--yes")) == 0
    assert (practice(project, "kick").machine, practice(project, "kick").preset) == ("", "full")
    assert project.state(7, "kick").why == before
    assert run_command(("train", root, "--technique", "kick", "--machine", "gone")) == 1
    assert run_command(("train", root, "--technique", "gone")) == 1
    assert practice(project, "kick").machine == "", "nothing was changed by what was refused"
