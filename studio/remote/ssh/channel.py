"""A machine over SSH: its agent placed by its hash, its verbs run one channel each."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from studio.remote.channel import LineLostError, Lines
from studio.remote.pack import agent_sha, agent_zipapp
from studio.remote.plain import plain
from studio.remote.ssh.connect import Line, connect
from studio.remote.ssh.keys import Ask, KeyRing
from studio.remote.ssh.links import DEAD_S, Links
from studio.remote.ssh.options import resolve
from studio.remote.ssh.pins import Pins
from studio.remote.ssh.place import DEFAULT_ROOT, NAMES, OLDEST, Place
from studio.remote.ssh.verb import Overheard, SshExec
from studio.schema.errors import StudioError
from studio.schema.events import BANNER, MAX_LINE, MAX_NOISE, parse_line
from studio.schema.machine import MachineSpec

ANSWER_S = 60.0
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
            raise self._no_python(plain(str(found.get("old") or "")), wanted)
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
                plain(str(answer.get("why"))).lower(),
                "Choose a folder you can write to",
            )

    def _ask(self, command: str, nonce: str, data: bytes = b"") -> dict[str, Any]:
        """What a command of ours answers in one line of JSON."""
        with closing(self._exec(command)) as process:
            heard = Overheard(process)
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
        text = plain(said.decode(errors="replace"))
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
