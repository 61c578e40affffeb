"""A verb of the agent on its own channel of a shared connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from paramiko import Channel as SshSession
from paramiko import SSHException

from studio.remote.channel import LineLostError
from studio.remote.ssh.links import Link, Links
from studio.remote.ssh.place import ABSENT
from studio.schema.errors import StudioError

TICK_S = 0.25
SEND_S = 90.0
STATUS_S = 2.0
PIECE_BYTES = 1 << 16


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


class Overheard:
    """A verb's output, of which the start is kept: what a shell says that runs nothing."""

    def __init__(self, inner: SshExec) -> None:
        self._inner = inner
        self.start = b""
        self.send, self.end_input, self.close = inner.send, inner.end_input, inner.close

    def receive(self, limit: int, timeout_s: float) -> bytes:
        data = self._inner.receive(limit, timeout_s)
        self.start = (self.start + data)[:1000]
        return data
