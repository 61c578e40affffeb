"""The set-up program: what it installs, what it says when it cannot, and that a second call has nothing to do."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "packaging" / "padwork.py"


@pytest.fixture
def setup(monkeypatch: pytest.MonkeyPatch):
    spec = importlib.util.spec_from_file_location("padwork_setup", PROGRAM)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.sys, "platform", "linux")
    monkeypatch.setattr(module, "has_font", lambda part: True)
    monkeypatch.setattr(module, "has_program", lambda name: True)
    return module


def calls_of(setup, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    calls: list[list[str]] = []

    def run(command, **_):
        calls.append([str(part) for part in command])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(setup.subprocess, "run", run)
    return calls


def test_as_root_on_debian_only_what_is_missing_is_installed(setup, monkeypatch) -> None:
    present = {"libEGL.so.1": False}
    calls = calls_of(setup, monkeypatch)
    monkeypatch.setattr(setup.shutil, "which", lambda name: "/usr/bin/apt-get")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 0)
    monkeypatch.setattr(setup, "loads", lambda name: present.get(name, True) or len(calls) > 1)
    setup.check_system()
    assert calls[0][:2] == ["apt-get", "update"]
    assert calls[1][:2] == ["apt-get", "install"] and "libegl1" in calls[1] and "libgl1" not in calls[1]


def test_without_root_the_one_command_is_printed(setup, monkeypatch, capsys) -> None:
    calls = calls_of(setup, monkeypatch)
    monkeypatch.setattr(setup.shutil, "which", lambda name: "/usr/bin/apt-get")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(setup, "loads", lambda name: name != "libGL.so.1")
    with pytest.raises(SystemExit) as stopped:
        setup.check_system()
    assert stopped.value.code == 1 and not calls
    assert "sudo apt-get install -y --no-install-recommends libgl1" in capsys.readouterr().err


def test_an_ssh_server_is_installed_for_the_tests_alone(setup, monkeypatch, capsys) -> None:
    calls = calls_of(setup, monkeypatch)
    monkeypatch.setattr(setup.shutil, "which", lambda name: "/usr/bin/apt-get")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 0)
    monkeypatch.setattr(setup, "loads", lambda name: True)
    monkeypatch.setattr(setup, "has_program", lambda name: name != "sshd" or bool(calls))
    setup.check_system()
    assert not calls
    setup.check_system(testing=True)
    assert "openssh-server" in calls[1] and "openssh-client" not in calls[1]
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(setup, "has_program", lambda name: name != "sshd")
    with pytest.raises(SystemExit):
        setup.check_system(testing=True)
    assert "sudo apt-get install -y --no-install-recommends openssh-server" in capsys.readouterr().err


def test_missing_fonts_are_told_and_do_not_stop(setup, monkeypatch, capsys) -> None:
    monkeypatch.setattr(setup, "has_font", lambda part: part != "NotoSansCJK")
    monkeypatch.setattr(setup, "loads", lambda name: True)
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    setup.check_system()
    assert "fonts-noto-cjk" in capsys.readouterr().out


def test_without_venv_it_says_what_to_install(setup, monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.setattr(setup, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(setup.shutil, "which", lambda name: "/usr/bin/apt-get")
    broken = subprocess.CompletedProcess([], 1, "ensurepip is not available", "")
    monkeypatch.setattr(setup.subprocess, "run", lambda *_, **__: broken)
    with pytest.raises(SystemExit):
        setup.make_venv()
    error = capsys.readouterr().err
    assert "ensurepip is not available" in error and f"python3.{sys.version_info.minor}-venv" in error


def test_a_second_call_installs_nothing_until_a_pin_changes(setup, monkeypatch, tmp_path) -> None:
    ran: list[tuple[str, ...]] = []
    monkeypatch.setattr(setup, "pip", lambda *arguments: ran.append(arguments))
    monkeypatch.setattr(setup, "STAMP", tmp_path / "stamp")
    setup.install()
    first = len(ran)
    setup.install()
    assert first == 2 and len(ran) == first
    changed = tmp_path / "constraints.txt"
    changed.write_text(setup.CONSTRAINTS.read_text() + "\n# moved\n")
    monkeypatch.setattr(setup, "CONSTRAINTS", changed)
    setup.install()
    assert len(ran) == 2 * first


def test_without_a_screen_the_walkthrough_runs_and_says_so(setup, monkeypatch, capsys) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    ran: list[tuple[str, ...]] = []
    monkeypatch.setattr(setup, "run", lambda *arguments, **_: ran.append(arguments) or 0)
    assert setup.open_studio() == 0
    assert "walkthrough" in ran[0] and "no screen" in capsys.readouterr().out


def test_an_unknown_word_is_wrong_usage() -> None:
    done = subprocess.run([sys.executable, PROGRAM, "dance"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "padwork.py test" in done.stderr
