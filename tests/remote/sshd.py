"""A real OpenSSH server on loopback: its own host keys, its own accounts file, nothing of the user's touched."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from studio.remote.ssh.pins import HostKey, Pins
from studio.schema.machine import MachineSpec

SERVER = shutil.which("sshd") or "/usr/sbin/sshd"
PORTS = 5
SEPARATION = Path("/run/sshd")
"""Where Debian's server, started as root, wants to lock its unprivileged half in."""


def make_key(path: Path, kind: str = "ed25519", secret: str = "", *more: str) -> Path:
    """A key pair by ssh-keygen."""
    command = ["ssh-keygen", "-q", "-t", kind, "-N", secret, "-C", path.name, "-f", str(path), *more]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return path


class Sshd:
    """One server with its files in ``folder``. Its sessions have ``home`` for HOME; ``key`` is let in.

    ``extra``: lines of its configuration that go before ours.
    """

    def __init__(self, folder: Path, host_keys: tuple[str, ...] = ("ed25519",), extra: str = "") -> None:
        assert Path(SERVER).exists(), "these tests need an OpenSSH server; packaging/padwork.py test says how to get it"
        folder.mkdir(parents=True, exist_ok=True)
        self.user = getpass.getuser()
        self.home = folder / "ho me"
        self.home.mkdir(exist_ok=True)
        self.host_keys = {kind: make_key(folder / f"host_{kind}", kind) for kind in host_keys}
        self.key = make_key(folder / "id_in")
        self._accepted = folder / "accepted"
        self.let_in(self.key)
        self.config = folder / "sshd_config"
        self.log = folder / "sshd.log"
        self._extra = extra
        self._process: subprocess.Popen[bytes] | None = None
        for _ in range(PORTS):
            # Somebody else may take the port between its choice and its use.
            with socket.create_server(("127.0.0.1", 0)) as probe:
                self.port: int = probe.getsockname()[1]
            self._write_config()
            if self._begin():
                return
        raise AssertionError(self.log.read_text())

    def _write_config(self) -> None:
        self.config.write_text(
            f"""{self._extra}
            Port {self.port}
            ListenAddress 127.0.0.1
            AuthorizedKeysFile {self._accepted}
            StrictModes no
            UsePAM no
            PasswordAuthentication no
            KbdInteractiveAuthentication no
            PermitRootLogin prohibit-password
            PidFile none
            MaxStartups 100
            LogLevel VERBOSE
            SetEnv HOME="{self.home}"
            """
            + "".join(f"\nHostKey {path}" for path in self.host_keys.values())
        )

    def let_in(self, key: Path) -> None:
        """Also whoever has this key."""
        with self._accepted.open("a") as stream:
            stream.write(key.with_name(key.name + ".pub").read_text())

    def spec(self, name: str = "gym", **fields: Any) -> MachineSpec:
        """The server as a machine."""
        given = {"host": "127.0.0.1", "port": self.port, "key": str(self.key), "python": sys.executable}
        return MachineSpec(name, **{**given, **fields})

    def accept_into(self, pins: Pins) -> None:
        """Say that this is the machine."""
        for path in self.host_keys.values():
            kind, data = path.with_name(path.name + ".pub").read_text().split()[:2]
            pins.accept(HostKey(f"127.0.0.1:{self.port}", kind, data))

    def start(self) -> None:
        """Returns once it listens, again after a stop."""
        assert self._begin(), self.log.read_text()

    def _begin(self) -> bool:
        if os.geteuid() == 0:
            SEPARATION.mkdir(exist_ok=True)
        known = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen([SERVER, "-D", "-e", "-f", str(self.config)], stderr=log)
        until = time.monotonic() + 10
        while f"Server listening on 127.0.0.1 port {self.port}." not in self.log.read_bytes()[known:].decode():
            if self._process.poll() is not None or time.monotonic() > until:
                self._process.kill()
                return False
            time.sleep(0.01)
        return True

    def stop(self) -> None:
        """Ends the server and every session of it."""
        assert self._process is not None
        for pid in _children(self._process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def session_pids(self) -> list[int]:
        """The processes that serve a connection each."""
        assert self._process is not None
        return _children(self._process.pid)


def _children(pid: int) -> list[int]:
    return [int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]
