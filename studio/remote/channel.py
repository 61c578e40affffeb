"""A way to run the agent's verbs on a machine, and this computer as the first of them."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Protocol

from remote_agent.agent.places import ROOT_VARIABLE
from studio.remote.pack import agent_sha, agent_zipapp
from studio.remote.private import replace_file
from studio.schema.errors import StudioError, UnfinishedError

END_S = 0.5


class LineLostError(Exception):
    """The line to the machine broke, or nothing came for too long. The machine may well be fine: try again.

    ``sentence`` says it to a person, where more is known than that.
    """

    def __init__(self, text: str, sentence: StudioError | None = None) -> None:
        super().__init__(text)
        self.sentence = sentence


class UnreachableError(UnfinishedError):
    """A machine could not be reached, also at a second and third try. Later it may be there again."""


class Exec(Protocol):
    """One verb that runs on the machine. ``close`` may be called from another thread, and unblocks the others."""

    def send(self, data: bytes) -> None:
        """Raises :class:`LineLostError`."""
        ...

    def end_input(self) -> None:
        """No more will be sent."""
        ...

    def receive(self, limit: int, timeout_s: float) -> bytes:
        """At least one byte, at most ``limit``; none at the end. Raises :class:`LineLostError`."""
        ...

    def close(self) -> None:
        """Ends the verb and gives everything back; again does nothing."""
        ...


class Channel(Protocol):
    """A machine's way in."""

    @property
    def name(self) -> str:
        """What the machine is called in sentences for people."""
        ...

    def open(self, verb: str, nonce: str) -> Exec:
        """Runs the agent with this verb and banner, placing the agent before if need be.

        Raises :class:`LineLostError`, and ``StudioError`` where trying again is no use.
        """
        ...

    def close(self) -> None:
        """Gives back what is kept between verbs; the next one makes it anew."""
        ...


class LocalChannel:
    """This computer. The agent lies under ``root`` (default: PADWORK_AGENT_ROOT, or ``~/.padwork``)."""

    def __init__(self, root: Path | None = None, python: str = sys.executable) -> None:
        given = root or os.environ.get(ROOT_VARIABLE)
        self.root = Path(given) if given else Path.home() / ".padwork"
        self._python = python
        self._placed: Path | None = None

    @property
    def name(self) -> str:
        return "this computer"

    def open(self, verb: str, nonce: str) -> Exec:
        if not sys.platform.startswith("linux"):
            raise StudioError("This computer cannot train", "the agent needs Linux", "Choose a machine that runs Linux")
        self._placed = self._placed or place_agent(self.root)
        # -I and -S: neither the user's packages nor the environment's Python settings reach the agent.
        command = [self._python, "-I", "-S", str(self._placed), verb, nonce]
        return LocalExec(command, {**os.environ, ROOT_VARIABLE: str(self.root)})

    def close(self) -> None:
        """Nothing is kept between verbs."""


class LocalExec:
    """A verb as a child process."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as problem:
            raise StudioError(
                "The agent does not start on this computer", str(problem), "Check that Python is installed"
            ) from None
        self._reading = threading.Lock()

    def send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        view = memoryview(data)
        try:
            while view:
                view = view[self._process.stdin.write(view) or 0 :]
        except (OSError, ValueError) as problem:
            raise LineLostError(str(problem)) from None

    def end_input(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def receive(self, limit: int, timeout_s: float) -> bytes:
        assert self._process.stdout is not None
        with self._reading:
            try:
                if not select.select([self._process.stdout], [], [], timeout_s)[0]:
                    raise LineLostError(f"nothing came for {timeout_s:g} s")
                return self._process.stdout.read(limit) or b""
            except (OSError, ValueError) as problem:
                raise LineLostError(str(problem)) from None

    def close(self) -> None:
        self.end_input()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        # The end of the process has unblocked whoever was reading; only then may the handle's number be reused.
        with self._reading:
            self._process.stdout.close()


def place_agent(root: Path) -> Path:
    """Puts the packed agent under its hash into ``root``, once; the path. Raises ``StudioError``."""
    place = root / "agent" / agent_sha() / "agent.pyz"
    try:
        if place.is_file() and place.read_bytes() == agent_zipapp():
            return place
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(place, agent_zipapp())
    except OSError as problem:
        raise StudioError(
            f"The agent cannot be put into {root}", problem.strerror or str(problem), "Choose a folder you can write to"
        ) from None
    return place


class Lines:
    """Lines and exact bytes from a verb's output, with a cap on each."""

    def __init__(self, source: Exec, timeout_s: float) -> None:
        self._source = source
        self._timeout_s = timeout_s
        self._buffer = bytearray()

    def line(self, cap: int) -> bytes:
        """The next line without its end, or empty at the end of the output.

        Raises :class:`LineLostError` for a line cut short and ``ValueError`` for one longer than ``cap``.
        """
        while True:
            end = self._buffer.find(b"\n", 0, cap)
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                return line
            if len(self._buffer) >= cap:
                raise ValueError(f"a line of more than {cap} bytes")
            if not self._fill():
                if self._buffer:
                    raise LineLostError("a line was cut short")
                return b""

    def some(self, limit: int) -> bytes:
        """At least one byte, at most ``limit``; empty at the end of the output."""
        if not self._buffer and not self._fill():
            return b""
        data = bytes(self._buffer[:limit])
        del self._buffer[:limit]
        return data

    def skip_to(self, banner: bytes, cap: int) -> None:
        """Drops everything up to and with the line ``banner``. Raises :class:`LineLostError` if it does not come."""
        mark, dropped = banner + b"\n", 0
        while (found := self._buffer.find(mark)) < 0:
            extra = len(self._buffer) - len(mark)
            if extra > 0:
                dropped += extra
                del self._buffer[:extra]
            if dropped > cap or not self._fill():
                raise LineLostError("the agent did not answer")
        del self._buffer[: found + len(mark)]

    def _fill(self) -> bool:
        data = self._source.receive(1 << 17, self._timeout_s)
        self._buffer += data
        return bool(data)
