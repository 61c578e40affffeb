"""The connections to one machine: shared by its verbs, watched, made anew when dead, closed when nobody uses them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from paramiko import Channel, ChannelException, SSHException

from studio.remote.channel import LineLostError
from studio.remote.ssh.connect import STEP_S, Line
from studio.schema.errors import StudioError

ROOM = 2
"""Verbs at once over one connection: what even the most closed server allows, a log and a file."""
DEAD_S = 20.0
PULSE_S = 5.0
IDLE_S = 60.0
WATCH_S = 0.5
WAKE_S = 5.0
ALIVE = "keepalive@padwork"


class Link:
    """One connection: a thread that asks it for a sign of life, and one that closes it when none comes.

    paramiko itself never notices a dead line, and blocks on it for ever; closing it from outside unblocks everybody.
    """

    def __init__(self, line: Line, dead_s: float = DEAD_S) -> None:
        self.line = line
        self.busy = 0
        self.room = ROOM
        self.used = time.monotonic()
        self._dead_s = dead_s
        self._woke = 0.0
        self._over = threading.Event()
        for task in (self._pulse, self._watch):
            threading.Thread(target=task, name="ssh-line", daemon=True).start()

    @property
    def alive(self) -> bool:
        return self.line.is_active() and not self._over.is_set()

    def close(self) -> None:
        """Unblocks everybody who uses it; again does nothing."""
        self._over.set()
        self.line.close()

    def silent_s(self) -> float:
        """Seconds since the last byte came."""
        return time.monotonic() - self.line.heard

    def _pulse(self) -> None:
        every = min(PULSE_S, self._dead_s / 4)
        while not self._over.wait(min(every, 1.0)):
            if self.silent_s() > every or self.line.heard < self._woke:
                with suppress(SSHException, OSError, EOFError):
                    # Any answer will do; blocks on a dead line until the watch closes it.
                    self.line.global_request(ALIVE, wait=True)

    def _watch(self) -> None:
        looked = time.time()
        while not self._over.wait(WATCH_S):
            now = time.time()
            if now - looked > WAKE_S:
                self._woke = time.monotonic()
            looked = now
            idle = self.busy == 0 and time.monotonic() - self.used > IDLE_S
            if idle or self._is_dead() or not self.line.is_active():
                self.close()

    def _is_dead(self) -> bool:
        """Nothing came for too long, or not soon after the computer slept: then the machine has likely hung up."""
        slept = self.line.heard < self._woke and time.monotonic() - self._woke > WAKE_S
        return slept or self.silent_s() > self._dead_s


class Links:
    """``connect`` makes a connection, in the thread that needs it."""

    def __init__(self, connect: Callable[[], Line], dead_s: float = DEAD_S) -> None:
        self._connect = connect
        self._dead_s = dead_s
        self._links: list[Link] = []
        self._lock = threading.Lock()
        self._connecting = threading.Lock()

    def session(self) -> tuple[Link, Channel]:
        """A fresh channel, over a living connection that has room or else a new one; :meth:`give_back` it.

        Raises LineLostError and ``StudioError``.
        """
        while True:
            link, fresh = self._take()
            channel = self._open(link, fresh)
            if channel is not None:
                return link, channel

    def give_back(self, link: Link) -> None:
        """The channel has been closed."""
        with self._lock:
            link.busy -= 1
            link.used = time.monotonic()

    def close(self) -> None:
        """Closes every connection; the next verb makes another."""
        with self._lock:
            links, self._links = self._links, []
        for link in links:
            link.close()

    def _take(self) -> tuple[Link, bool]:
        """A connection to use, and whether it was made for this."""
        link = self._with_room()
        if link is not None:
            return link, False
        with self._connecting:
            link = self._with_room()
            if link is not None:
                return link, False
            link = Link(self._connect(), self._dead_s)
            with self._lock:
                link.busy += 1
                self._links.append(link)
                return link, True

    def _with_room(self) -> Link | None:
        with self._lock:
            self._links = [link for link in self._links if link.alive]
            found = next((link for link in self._links if link.busy < link.room), None)
            if found is not None:
                found.busy += 1
            return found

    def _open(self, link: Link, fresh: bool) -> Channel | None:
        """None where another connection should be tried."""
        try:
            return link.line.open_session(timeout=STEP_S)
        except ChannelException:
            # The server allows fewer sessions on one connection than we thought.
            self.give_back(link)
            with self._lock:
                link.room = link.busy
            if link.room == 0:
                link.close()
            if fresh:
                raise StudioError(
                    "The machine runs no commands", "it refuses every session", "Choose an account with a shell"
                ) from None
        except (SSHException, OSError, EOFError) as problem:
            self.give_back(link)
            link.close()
            if fresh:
                raise LineLostError(f"the line broke ({problem})") from None
        return None
