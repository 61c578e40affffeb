"""Finding a Python and putting the agent into its place, on machines of all sorts."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from remote.sshd import Sshd

from studio.remote.machine import Machine
from studio.remote.pack import agent_sha, agent_zipapp
from studio.remote.ssh.channel import SshChannel
from studio.remote.ssh.place import Place
from studio.schema.errors import StudioError

THEN = 'eval "$SSH_ORIGINAL_COMMAND"'


@pytest.fixture
def opened(pins, tmp_path):
    """A machine behind a server of the test's own making; its host key is accepted, and everything closed after."""
    made = []

    def open_it(forced: str = "", **fields) -> tuple[Machine, Sshd]:
        server = Sshd(tmp_path / f"server{len(made)}", extra=f"ForceCommand {forced}" if forced else "")
        server.accept_into(pins)
        machine = Machine(SshChannel(server.spec(**fields), pins))
        made.append((machine, server))
        return machine, server

    yield open_it
    for machine, server in made:
        machine.close()
        server.stop()


def test_the_agent_is_put_in_place_once_and_privately(opened, pins, monkeypatch):
    machine, server = opened()
    assert machine.hello()["agent"] == agent_sha()
    root = server.home / ".padwork"
    place = root / "agent" / agent_sha() / "agent.pyz"
    assert place.read_bytes() == agent_zipapp()
    assert root.stat().st_mode & 0o777 == 0o700 and place.stat().st_mode & 0o777 == 0o600
    before = place.stat()
    again = Machine(SshChannel(server.spec(), pins))
    again.hello()
    again.close()
    assert (place.stat().st_ino, place.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [path.name for path in place.parent.iterdir()] == ["agent.pyz"]


def test_a_damaged_agent_is_replaced(opened, pins):
    machine, server = opened()
    place = server.home / ".padwork" / "agent" / agent_sha() / "agent.pyz"
    place.parent.mkdir(parents=True)
    place.write_bytes(agent_zipapp()[:-7])
    machine.hello()
    assert place.read_bytes() == agent_zipapp()


def test_an_agent_that_is_gone_comes_back(opened):
    machine, server = opened()
    machine.hello()
    shutil.rmtree(server.home / ".padwork")
    assert machine.hello()["ok"]


@pytest.mark.parametrize("folder", ["pad work", "pad$HOME", "pad'`id`\"", "-n", "pad;touch x"])
def test_any_folder_will_do(opened, folder):
    machine, server = opened(root=f"~/{folder}")
    assert machine.hello()["root"] == str(server.home / folder)
    assert sorted(path.name for path in server.home.iterdir()) == [folder]


def test_an_absolute_folder_and_one_that_cannot_be_written(opened, tmp_path):
    machine, _ = opened(root=str(tmp_path / "ab so"))
    assert machine.hello()["root"] == str(tmp_path / "ab so")
    (tmp_path / "file").touch()
    machine, _ = opened(root=str(tmp_path / "file"))
    with pytest.raises(StudioError, match="cannot be put into"):
        machine.hello()
    # What lies behind a link is not run, even where it is the agent to the last bit: somebody else may change it.
    (tmp_path / "link").symlink_to(tmp_path / "ab so")
    machine, _ = opened(root=str(tmp_path / "link"))
    with pytest.raises(StudioError, match="it is a link"):
        machine.hello()


def test_what_a_shell_says_first_is_passed_over(opened):
    machine, server = opened(f'echo "Welcome!"; echo "{{\\"ok\\": false}}"; {THEN}')
    (server.home / ".bashrc").write_text('echo \'{"ok": false}\'; echo "PADWORK-BEGIN-"\n')
    assert machine.hello()["ok"]


def test_an_account_without_a_shell(opened):
    machine, _ = opened('printf "\\033[1mThis account is currently not available.\\n"; exit 1')
    with pytest.raises(StudioError) as refused:
        machine.hello()
    assert "does not run commands" in refused.value.what
    assert refused.value.why == "it only says: [1mThis account is currently not available"


def test_an_endless_greeting_is_given_up(opened):
    machine, _ = opened("yes")
    with pytest.raises(StudioError):
        machine.hello()


def test_no_python_an_old_one_and_another_name(opened, tmp_path):
    machine, _ = opened(f"PATH=/nowhere; export PATH; {THEN}", python="python3")
    with pytest.raises(StudioError, match="it has no Python"):
        machine.hello()
    machine, _ = opened(python="/opt/none/bin/python")
    with pytest.raises(StudioError, match="it has no /opt/none/bin/python"):
        machine.hello()
    old = tmp_path / "old"
    old.mkdir()
    (old / "python3").write_text("#!/bin/sh\ncase $2 in *print*) echo 3.8;; *) exit 1;; esac\n")
    (old / "python3").chmod(0o700)
    machine, _ = opened(f"PATH={old}; export PATH; {THEN}", python="python3")
    with pytest.raises(StudioError, match=r"its Python is 3\.8"):
        machine.hello()
    (old / "python3.11").symlink_to(Path(sys.executable).resolve())
    machine, _ = opened(f"PATH={old}; export PATH; {THEN}", python="python3")
    assert machine.hello()["ok"]


def test_a_python_of_the_home_folder(opened):
    machine, server = opened(python="~/py")
    (server.home / "py").symlink_to(Path(sys.executable).resolve())
    assert machine.hello()["executable"] == str(server.home / "py")


def test_a_cut_agent_is_never_put_in_place(tmp_path):
    """The command itself, fed too little."""
    command = Place(str(tmp_path / "root"), agent_sha()).put("ab" * 8, sys.executable, len(agent_zipapp()))
    said = subprocess.run(["sh", "-c", command], input=agent_zipapp()[:-1], capture_output=True, check=True).stdout
    assert b'"cut": true' in said
    assert not list(tmp_path.rglob("*.pyz"))


def test_a_command_is_one_line_in_every_login_shell():
    place = Place("~/it's $HOME", agent_sha())
    commands = (
        place.look("ab" * 8, ("python3",)),
        place.put("ab" * 8, "python3", 5),
        place.run("ab" * 8, "p", "hello"),
    )
    assert not any("\n" in command for command in commands), "a C shell ends a quoted text at the end of the line"
    assert all(command.startswith("exec /bin/sh -c ") for command in commands)
