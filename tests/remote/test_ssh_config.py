"""Machines by an alias of the user's ssh configuration: Include, hops on the way, a command instead of a line."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from remote.sshd import Sshd

from studio.remote.channel import LineLostError
from studio.remote.ssh import config as configuration
from studio.remote.ssh.connect import connect
from studio.remote.ssh.options import SshOptions, place_of, resolve
from studio.remote.ssh.pins import HostKeyUnknown
from studio.remote.ssh.sock import dial
from studio.schema.errors import StudioError
from studio.schema.machine import MachineSpec


@pytest.fixture(params=["ssh", "without ssh"])
def reader(request, monkeypatch):
    """Both ways of reading: ssh asked, and no ssh on this computer."""
    found = shutil.which("ssh")
    assert found
    monkeypatch.setattr(configuration.shutil, "which", lambda name: found if request.param == "ssh" else None)
    return request.param


def write(folder: Path, text: str, name: str = "config") -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_plain_fields_look_into_no_configuration(tmp_path):
    config = write(tmp_path, "Host *\n  Port 1\n  User nobody\n")
    options = resolve(MachineSpec("m", "Box", 2222, key="/k/id"), config)
    assert (options.host, options.port, options.user) == ("Box", 2222, getpass.getuser())
    assert (options.keys, options.only_keys, options.place) == ((Path("/k/id"),), True, "box:2222")
    assert not options.hops and not options.command
    assert resolve(MachineSpec("m", "::1")).place == "[::1]:22" == place_of("[::1]", 22)


def test_an_alias_with_includes(tmp_path, reader):
    (tmp_path / "id_a").touch()
    (tmp_path / "more").mkdir()
    write(tmp_path / "more", f"Host gym\n  Port 2201\n  IdentityFile {tmp_path}/id_a\n  IdentitiesOnly yes\n", "1.conf")
    write(tmp_path / "more", "Host elsewhere\n  User stranger\n", "2.conf")
    config = write(
        tmp_path,
        f"Include {tmp_path}/more/*.conf {tmp_path}/missing\nUser coach\n"
        f"Host other\n  Include {tmp_path}/never\nHost gym box\n  HostName 10.0.0.9\n  Port 9\n",
    )
    write(tmp_path, "Host *\n  User wrong\n  HostName wrong\n", "never")
    options = resolve(MachineSpec("m", alias="gym"), config)
    assert (options.host, options.port, options.user) == ("10.0.0.9", 2201, "coach")
    assert (options.keys, options.only_keys, options.place) == ((tmp_path / "id_a",), True, "10.0.0.9:2201")
    spec = MachineSpec("m", alias="gym", user="other", key=str(tmp_path / "id_b"))
    assert resolve(spec, config).user == "other" and resolve(spec, config).keys == (tmp_path / "id_b",)


def test_a_block_goes_on_after_its_include(tmp_path, reader):
    inner = write(tmp_path, "Host nobody\n  Port 1\n", "inner")
    config = write(tmp_path, f"Host gym\n  Include {inner}\n  User coach\nHost *\n  Port 2202\n")
    options = resolve(MachineSpec("m", alias="gym"), config)
    assert (options.user, options.port) == ("coach", 2202)


def test_the_name_of_the_host_key_and_what_it_is_for(tmp_path, reader):
    config = write(tmp_path, "Host gym\n  HostName 10.0.0.9\n  HostKeyAlias rented-7\n  IdentityAgent none\n")
    options = resolve(MachineSpec("m", alias="gym"), config)
    assert (options.place, options.agent) == ("rented-7:22", "none")


def test_hops_are_aliases_too(tmp_path, reader):
    config = write(
        tmp_path,
        "Host gym\n  HostName inner\n  ProxyJump first,ann@second:2203\n"
        "Host first\n  HostName gate\n  User gatekeeper\n  ProxyJump zero\nHost zero\n  Port 2200\n"
        "Host second\n  ProxyJump never\n",
    )
    hops = resolve(MachineSpec("m", alias="gym"), config).hops
    assert [(hop.host, hop.port) for hop in hops] == [("zero", 2200), ("gate", 22), ("second", 2203)]
    assert [hop.user for hop in hops[1:]] == ["gatekeeper", "ann"] and not any(hop.hops for hop in hops)


@pytest.mark.parametrize(
    "text", ["ProxyJump gym", "ProxyJump ,", "ProxyJump -oX", "Port", "Port x", "Include {config}"]
)
def test_what_cannot_be_used_is_said(tmp_path, reader, text):
    config = tmp_path / "config"
    write(tmp_path, f"Host gym\n  {text.format(config=config)}\n")
    with pytest.raises(StudioError, match="The ssh configuration of gym cannot be used"):
        resolve(MachineSpec("m", alias="gym"), config)


def test_no_project_can_bring_a_command():
    for hostile in ("-oProxyCommand=id", "a b", "a\nProxyCommand id"):
        with pytest.raises(StudioError):
            MachineSpec("m", alias=hostile)


def test_a_match_that_nobody_can_judge_is_passed_over(tmp_path):
    text = "Match localnetwork 10.0.0.0/8\n  Port 1\nMatch tagged x\n  Port 2\nMatch host gym\n  User coach\n"
    settings = configuration.parse("gym", write(tmp_path, text))
    assert settings.one("port") == "" and settings.one("user") == "coach"


@pytest.fixture
def second(tmp_path):
    server = Sshd(tmp_path / "second")
    yield server
    server.stop()


def hop_config(tmp_path: Path, *servers: Sshd) -> Path:
    """An alias ``end`` for the last server, through all before it."""
    names = ["end", *(f"hop{number}" for number in range(1, len(servers)))]
    blocks = [
        f"Host {name}\n  HostName 127.0.0.1\n  Port {server.port}\n  IdentityFile {server.key}\n  IdentityAgent none\n"
        for name, server in zip(names, reversed(servers), strict=True)
    ]
    jump = ",".join(reversed(names[1:]))
    return write(tmp_path, "".join(blocks) + f"Host end\n  ProxyJump {jump}\n")


def test_through_one_hop_each_with_its_own_host_key(sshd, second, pins, tmp_path):
    options = resolve(MachineSpec("m", alias="end"), hop_config(tmp_path, second, sshd))
    for server in (second, sshd):
        with pytest.raises(HostKeyUnknown) as asked:
            connect(options, pins)
        assert asked.value.key.place == f"127.0.0.1:{server.port}"
        pins.accept(asked.value)
    with closing(connect(options, pins)) as line:
        assert line.is_authenticated() and line.below is not None
        assert "Accepted publickey" in second.log.read_text()
        for pid in second.session_pids():
            os.kill(pid, 9)
        line.join(5)
        assert not line.is_active(), "it ends with the hop"
    assert_no_line()


def test_through_two_hops_and_one_that_leads_nowhere(sshd, second, pins, tmp_path):
    third = Sshd(tmp_path / "third")
    try:
        for server in (sshd, second, third):
            server.accept_into(pins)
        options = resolve(MachineSpec("m", alias="end"), hop_config(tmp_path, sshd, second, third))
        assert len(options.hops) == 2
        with closing(connect(options, pins)) as line:
            assert line.is_authenticated()
    finally:
        third.stop()
    with pytest.raises(LineLostError, match="does not get through"):
        connect(options, pins)
    assert_no_line()


def test_what_is_put_into_a_command_is_put_in_once_and_quoted():
    wanted = SshOptions("h%p; id", 22, "u", "h:22", command="echo %h %p %r '%%h' 100%% %z")
    with closing(dial(wanted)) as line:
        assert line.recv(100) == b"h%p; id 22 u %h 100% %z\n"


def test_a_command_of_the_users_own(sshd, pins, tmp_path):
    program = tmp_path / "con nect.py"
    program.write_text(
        "import os, select, socket, sys\n"
        "line = socket.create_connection((sys.argv[1], int(sys.argv[2])))\n"
        "while True:\n"
        "    for ready in select.select([0, line], [], [])[0]:\n"
        "        data = os.read(0, 65536) if ready == 0 else line.recv(65536)\n"
        "        if not data: sys.exit()\n"
        "        line.sendall(data) if ready == 0 else os.write(1, data)\n"
    )
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(program))} %h %p"
    config = write(
        tmp_path,
        f"Host gym\n  HostName 127.0.0.1\n  Port {sshd.port}\n  ProxyCommand {command}\n  IdentityFile {sshd.key}\n",
    )
    sshd.accept_into(pins)
    with closing(connect(resolve(MachineSpec("m", alias="gym"), config), pins)) as line:
        assert line.is_authenticated()
    with pytest.raises(LineLostError):
        connect(resolve(MachineSpec("m", alias="gym"), write(tmp_path, "Host gym\n  ProxyCommand exit 1\n")), pins)
    assert_no_line()


def assert_no_line() -> None:
    for thread in threading.enumerate():
        if "paramiko.Transport" in repr(thread) or "Line" in type(thread).__name__:
            thread.join(3)
            assert not thread.is_alive()
