"""A machine over SSH: its agent placed by its hash, its verbs run one channel each."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from paramiko import Channel as SshSession
from paramiko import SSHException

from studio.remote.channel import LineLostError, Lines
from studio.remote.pack import agent_sha, agent_zipapp
from studio.remote.ssh.connect import Line, connect
from studio.remote.ssh.keys import Ask, KeyRing
from studio.remote.ssh.links import DEAD_S, Link, Links
from studio.remote.ssh.options import resolve
from studio.remote.ssh.pins import Pins
from studio.remote.ssh.place import ABSENT, DEFAULT_ROOT, NAMES, OLDEST, Place
from studio.schema.errors import StudioError
from studio.schema.events import BANNER, MAX_LINE, MAX_NOISE, parse_line
from studio.schema.machine import MachineSpec

TICK_S = 0.25
ANSWER_S = 60.0
SEND_S = 90.0
STATUS_S = 2.0
PIECE_BYTES = 1 << 16
DEFAULT_PYTHON = "python3"


class SshChannel:
    """The machine of ``spec``. ``ask`` is called for a key's passphrase; ``config``: another ssh configuration than the
    user's; ``dead_s``: a line is closed when nothing came over it for so long."""

    def __init__(
        self,
        spec: MachineSpec,
        pins: Pins,
        ask: Ask | None = None,
        config: Path | None = None,
        dead_s: float = DEAD_S,
    ) -> None:
        self._spec, self._pins, self._config = spec, pins, config
        self._ring = KeyRing(ask)
        self._links = Links(self._connect, dead_s)
        self._place = Place(spec.root or DEFAULT_ROOT, agent_sha())
        self._python = ""
        self._placing = threading.Lock()

    @property
    def name(self) -> str:
        return self._spec.name

    def open(self, verb: str, nonce: str) -> SshExec:
        with self._placing:
            if not self._python:
                self._python = self._put_in_place()
            python = self._python
        return self._exec(self._place.run(nonce, python, verb), self._displaced)

    def close(self) -> None:
        """Gives the connections back; the next verb makes another."""
        self._links.close()

    def _connect(self) -> Line:
        return connect(resolve(self._spec, self._config), self._pins, ring=self._ring)

    def _exec(self, command: str, on_absent: Callable[[], None] = lambda: None) -> SshExec:
        link, session = self._links.session()
        made = SshExec(self._links, link, session, on_absent)
        try:
            made.begin(command)
        except BaseException:
            made.close()
            raise
        return made

    def _displaced(self) -> None:
        self._python = ""

    def _put_in_place(self) -> str:
        """Makes sure that the agent is there; the machine's Python. Raises LineLostError and ``StudioError``."""
        wanted = self._spec.python
        names = NAMES if wanted == DEFAULT_PYTHON else (wanted,)
        nonce = secrets.token_hex(8)
        found = self._ask(self._place.look(nonce, names), nonce)
        python = str(found.get("python") or "")
        if not python:
            raise self._no_python(str(found.get("old") or ""), wanted)
        if not str(found.get("system")).startswith("linux"):
            raise StudioError(f"{self.name} cannot train", "the agent needs Linux", "Choose a machine that runs Linux")
        if not found.get("there"):
            self._put(python)
        return python

    def _put(self, python: str) -> None:
        nonce, agent = secrets.token_hex(8), agent_zipapp()
        answer = self._ask(self._place.put(nonce, python, len(agent)), nonce, agent)
        if answer.get("cut"):
            raise LineLostError("the agent did not arrive whole")
        if not answer.get("ok"):
            raise StudioError(
                f"The agent cannot be put into {self._place.root} on {self.name}",
                _plain(str(answer.get("why"))).lower(),
                "Choose a folder you can write to",
            )

    def _ask(self, command: str, nonce: str, data: bytes = b"") -> dict[str, Any]:
        """What a command of ours answers in one line of JSON."""
        with closing(self._exec(command)) as process:
            heard = _Overheard(process)
            lines = Lines(heard, ANSWER_S)
            if data:
                process.send(data)
            process.end_input()
            try:
                lines.skip_to(f"{BANNER}{nonce}".encode(), MAX_NOISE)
                return parse_line(lines.line(MAX_LINE))
            except (LineLostError, ValueError, json.JSONDecodeError):
                if process.ended:
                    raise self._no_answer(heard.start) from None
                raise

    def _no_answer(self, said: bytes) -> StudioError:
        text = _plain(said.decode(errors="replace"))
        return StudioError(
            f"{self.name} does not run commands",
            f"it only says: {text}" if text else "it says nothing",
            "Choose an account with a shell",
        )

    def _no_python(self, old: str, wanted: str) -> StudioError:
        if old:
            why = f"its Python is {old}"
        elif wanted == DEFAULT_PYTHON:
            why = "it has no Python"
        else:
            why = f"it has no {wanted}"
        return StudioError(
            f"{self.name} cannot run the agent", why, f"Install Python {OLDEST} or later there, or name its interpreter"
        )


class SshExec:
    """A verb on its own channel of a shared connection."""

    def __init__(self, links: Links, link: Link, session: SshSession, on_absent: Callable[[], None]) -> None:
        self._links, self._link, self._session = links, link, session
        self._on_absent = on_absent
        self._heard = False
        self._closed = threading.Lock()
        self.ended = False
        session.settimeout(TICK_S)

    def begin(self, command: str) -> None:
        """Raises LineLostError, and ``StudioError`` where the machine refuses."""
        try:
            self._session.exec_command(command)
        except (SSHException, OSError, EOFError) as problem:
            if self._link.alive:
                raise StudioError(
                    "The machine runs no commands", "it refuses what was asked", "Choose an account with a shell"
                ) from None
            raise LineLostError(f"the line broke ({problem})") from None

    def send(self, data: bytes) -> None:
        view, until = memoryview(data), time.monotonic() + SEND_S
        while view:
            try:
                sent = self._session.send(bytes(view[:PIECE_BYTES]))
            except TimeoutError:
                sent = 0
            except (SSHException, OSError, EOFError) as problem:
                raise LineLostError(str(problem)) from None
            if sent:
                view, until = view[sent:], time.monotonic() + SEND_S
            elif self._session.closed or time.monotonic() > until:
                raise LineLostError("the machine takes no more")

    def end_input(self) -> None:
        with suppress(SSHException, OSError, EOFError):
            self._session.shutdown_write()

    def receive(self, limit: int, timeout_s: float) -> bytes:
        until = time.monotonic() + timeout_s
        while True:
            try:
                data = self._session.recv(limit)
            except TimeoutError:
                if time.monotonic() < until:
                    continue
                if self._link.silent_s() > timeout_s / 2:
                    self._link.close()
                raise LineLostError(f"nothing came for {timeout_s:g} s") from None
            if not data:
                self._end()
            self._heard = self._heard or bool(data)
            return data

    def close(self) -> None:
        if not self._closed.acquire(blocking=False):
            return
        with suppress(SSHException, OSError, EOFError):
            self._session.close()
        self._links.give_back(self._link)

    def _end(self) -> None:
        """Returns at the end of the output. Raises LineLostError if that was the end of the line."""
        if not self._session.eof_received:
            raise LineLostError("the line broke")
        self.ended = True
        if not self._heard and self._session.status_event.wait(STATUS_S) and self._session.exit_status == ABSENT:
            self._on_absent()
            raise LineLostError("the agent is no longer in its place")


class _Overheard:
    """A verb's output, of which the start is kept: what a shell says that runs nothing."""

    def __init__(self, inner: SshExec) -> None:
        self._inner = inner
        self.start = b""
        self.send, self.end_input, self.close = inner.send, inner.end_input, inner.close

    def receive(self, limit: int, timeout_s: float) -> bytes:
        data = self._inner.receive(limit, timeout_s)
        self.start = (self.start + data)[:1000]
        return data


def _plain(text: str) -> str:
    """One short line without anything that a terminal would act on."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return "".join(sign for sign in line.strip() if sign.isprintable())[:200].rstrip(".")
