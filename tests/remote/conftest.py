"""A machine of our own per test: this computer with its agent in a temporary folder."""

from __future__ import annotations

import json
import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from remote.proxy import Proxy
from remote.sshd import Sshd

from studio.remote.channel import LocalChannel
from studio.remote.machine import Machine
from studio.remote.ssh.pins import Pins


class Bench:
    """The machine, its root, and short ways to say what a test does to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.machine = Machine(LocalChannel(root))

    def run(self, name: str = "r") -> Path:
        return self.root / "runs" / name

    def events(self, name: str = "r") -> list[dict[str, Any]]:
        path = self.run(name) / "events.jsonl"
        return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []

    def start(self, program: str, name: str = "r", **spec: Any) -> Any:
        """Starts a trainer whose program is given as text."""
        code = textwrap.dedent(program).encode()
        order = {"cmd": [sys.executable, "-I", "-S", "-u", "trainer.py"], **spec}
        return self.machine.start(name, order, {"trainer.py": code})

    def wait_final(self, name: str = "r", within_s: float = 15.0) -> dict[str, Any]:
        wait_for(lambda: bool(self.events(name)) and self.events(name)[-1]["type"] == "final", within_s)
        return self.events(name)[-1]

    def pid(self, file: str, name: str = "r") -> int:
        """The supervisor's or the trainer's pid."""
        told = json.loads((self.run(name) / file).read_bytes())
        return told.get("trainer", told)["pid"]


def wait_for(holds: Callable[[], bool], within_s: float = 15.0) -> None:
    """Waits until a condition holds; fails the test otherwise."""
    until = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


def gone(pid: int) -> bool:
    """Whether no living process has this number."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """The bench; whatever a failed test left running is ended."""
    made = Bench(tmp_path / "agent root $HOME")
    yield made
    end_runs(made.root)


def end_runs(root: Path) -> None:
    """Kills what a failed test left running under an agent's root."""
    for file in root.glob("runs/*/*.json"):
        told = json.loads(file.read_bytes())
        who = told.get("trainer", told)
        if isinstance(who, dict) and "pid" in who and not gone(who["pid"]):
            stat = Path(f"/proc/{who['pid']}/stat").read_text().rsplit(")", 1)[1].split()
            if stat[19] == who["start"]:
                os.kill(who["pid"], signal.SIGKILL)


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    """An SSH server on loopback; ``sshd.spec()`` is the machine."""
    server = Sshd(tmp_path / "sshd")
    yield server
    server.stop()
    for runs in (*server.home.glob("*/runs"), *server.home.glob(".*/runs")):
        end_runs(runs.parent)


@pytest.fixture
def proxy(sshd: Sshd) -> Iterator[Proxy]:
    """A line to that server that can be cut."""
    made = Proxy(sshd.port)
    yield made
    made.close()


@pytest.fixture
def pins(tmp_path: Path) -> Pins:
    """No host key accepted yet, and none of the user's own."""
    return Pins(tmp_path / "studio" / "host_keys", ())


@pytest.fixture
def watch() -> Any:
    """Waiting for what a run does."""

    class Watch:
        wait_for = staticmethod(wait_for)
        gone = staticmethod(gone)

    return Watch
