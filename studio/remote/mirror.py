"""Following a run on a machine into a folder here, through cut lines and killed processes.

Every event is delivered at least once and applied once: on disk first, then its file, then the listener, then the
acknowledgement that lets the machine forget it.
"""

from __future__ import annotations

import random
import shutil
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from studio.remote.channel import LineLostError, UnreachableError
from studio.remote.fetch import Fetcher
from studio.remote.hold import FolderHold
from studio.remote.journal import Journal, read_events
from studio.remote.machine import STALL_S, Machine
from studio.remote.refusals import RefusalError, refusal
from studio.remote.stream import Stream
from studio.schema.errors import StudioError, UnfinishedError
from studio.schema.events import FILE_TYPES, PROTO, TRAINER_TYPES, check_event, suffix_of

FOLDERS = {"clip": "clips", "ckpt": "snapshots"}
SPARE_BYTES = 256 << 20
PAUSE_S = 0.2
LONGEST_PAUSE_S = 30.0
POLL_S = 0.1
MAX_NONSENSE = 3
MAX_RESUMES = 5
RESUMES_WITHIN_S = 600.0

Event = dict[str, Any]


class _StopFollowing(Exception):  # noqa: N818 - no error: the caller's wish
    pass


def file_of(folder: Path, event: Event) -> Path:
    """Where the file of a ``clip`` or ``ckpt`` event lies in a mirror's folder."""
    return folder / FOLDERS[event["type"]] / f"{event['sha']}{suffix_of(event['name'])}"


class Mirror:
    """One run's copy in ``folder``: events.jsonl, clips/, snapshots/.

    ``on_event`` hears each event once and in order, a file's event when the file is there and right (or when the
    machine no longer keeps it: :func:`file_of` then names a file that is missing). ``after`` is the
    last event the listener itself remembers; left out, the mirror remembers for it. (Only a process that dies in the
    instant between the listener's return and the mirror's note of it lets the listener hear that one event again;
    a listener that keeps ``after`` with its own data is spared even that.) An event whose listener raised is told
    again by the next ``follow``. ``on_line`` hears "up" and "lost" as the line changes.
    """

    def __init__(
        self,
        machine: Machine,
        run: str,
        folder: Path,
        on_event: Callable[[Event], None] = lambda event: None,
        *,
        after: int | None = None,
        on_line: Callable[[str], None] = lambda state: None,
        heartbeat_s: float = 5.0,
        dead_s: float = STALL_S,
    ) -> None:
        self._machine, self._run, self._folder = machine, run, folder
        self._on_event, self._after, self._on_line = on_event, after, on_line
        self._heartbeat_s, self._dead_s = heartbeat_s, dead_s

    def follow(self, stop: Callable[[], bool] = lambda: False) -> Event | None:
        """Follows until the run has ended and all is here: its ``final`` event; or until ``stop()``: None.

        A machine that cannot be reached is tried again for as long as it takes. Raises ``StudioError`` for a machine
        that was replaced, that talks nonsense, or whose supervisor dies again and again, and ``UnfinishedError`` for a
        disk here that is full or does not let itself be written: the run waits.
        """
        try:
            return self._follow(stop)
        except OSError as problem:
            raise UnfinishedError(
                f"The events of {self._run} cannot be written",
                (problem.strerror or str(problem)).lower(),
                "Make room on this computer's disk and run again: the training waits, nothing is lost",
            ) from problem

    def _follow(self, stop: Callable[[], bool]) -> Event | None:
        hold = FolderHold(self._folder)
        try:
            for name in FOLDERS.values():
                (self._folder / name).mkdir(exist_ok=True)
            journal = Journal(self._folder, self._run)
            try:
                return _Following(self, journal, stop).run()
            except _StopFollowing:
                return None
            finally:
                journal.close()
        finally:
            hold.close()


class _Following:
    """One call of ``follow``: what is waiting to be shown, and how often things went wrong."""

    def __init__(self, mirror: Mirror, journal: Journal, stop: Callable[[], bool]) -> None:
        self._mirror, self._journal, self._stop = mirror, journal, stop
        self._machine, self._run, self._folder = mirror._machine, mirror._run, mirror._folder
        start = journal.shown if mirror._after is None else mirror._after
        self._waiting = deque(read_events(self._folder, start))
        self._fetcher = Fetcher(self._machine, self._run)
        self._acknowledged = 0
        self._pause_s = PAUSE_S
        self._nonsense = 0
        self._resumes: deque[float] = deque()
        self._up: bool | None = None

    def run(self) -> Event:
        while self._journal.final is None or self._waiting:
            self._check_stop()
            try:
                self._connect()
            except LineLostError:
                self._line("lost")
                self._rest()
            except ValueError as problem:
                self._count_nonsense(problem)
                self._rest()
        return self._journal.final

    def _connect(self) -> None:
        """One connection, from hello to the end of the log or of the line."""
        mirror = self._mirror
        process, lines = self._machine.open_tail(
            self._run, self._journal.last, True, mirror._heartbeat_s, mirror._dead_s
        )
        stream = Stream(process, lines)
        try:
            end = self._attend(stream)
        finally:
            stream.close()
            self._fetcher.close()
        if not end.get("finished"):
            self._resume()

    def _attend(self, stream: Stream) -> Event:
        greeted, end = False, None
        while end is None:
            self._check_stop()
            events: list[Event] = []
            for message in stream.take(POLL_S):
                if not greeted:
                    self._greet(message)
                    greeted = True
                elif message.get("k") == "ev":
                    events.append(message.get("e") or {})
                elif message.get("k") == "eof":
                    end = message
                elif message.get("k") == "reset":
                    raise self._journal.replaced()
            self._keep(events)
            self._show(stream)
        return end

    def _greet(self, message: Event) -> None:
        if message.get("ok") is False:
            raise refusal(self._machine.name, f"Following {self._run}", message)
        if message.get("k") != "hello" or message.get("run") != self._run:
            raise ValueError("another greeting than expected")
        if message.get("proto") not in (PROTO, PROTO - 1):
            raise StudioError(
                f"{self._machine.name} cannot be followed",
                f"its agent speaks wire {message.get('proto')}, this Padwork {PROTO}",
                "Update Padwork",
            )
        if not isinstance(message.get("epoch"), str) or not message["epoch"]:
            raise ValueError("a log without its epoch")
        self._journal.bind(message["epoch"])
        self._line("up")

    def _keep(self, events: list[Event]) -> None:
        fresh: list[Event] = []
        expected = self._journal.last + 1
        for event in events:
            check_event(event)
            if event["seq"] < expected:
                continue
            if self._journal.final is not None or (fresh and fresh[-1]["type"] == "final"):
                break
            if event["seq"] > expected:
                raise ValueError(f"event {event['seq']} where {expected} was due")
            fresh.append(event)
            expected += 1
        if fresh:
            self._journal.append(fresh)
            self._waiting.extend(fresh)
            self._pause_s = PAUSE_S
            if any(event["type"] in TRAINER_TYPES for event in fresh):
                # Supervisors that die one after the other matter only while the run gets nowhere.
                self._resumes.clear()

    def _show(self, stream: Stream) -> None:
        while self._waiting:
            self._check_stop()
            event = self._waiting[0]
            if event["type"] in FILE_TYPES:
                self._fetch(event, stream)
            self._mirror._on_event(event)
            self._waiting.popleft()
            self._journal.mark_shown(event["seq"])
            self._nonsense, self._pause_s = 0, PAUSE_S
        if self._journal.last > self._acknowledged:
            # A log that has ended hangs up at once: its last word counts, and a broken line is told where it is read.
            with suppress(LineLostError):
                stream.acknowledge(self._journal.last)
                self._acknowledged = self._journal.last

    def _fetch(self, event: Event, stream: Stream) -> None:
        target = file_of(self._folder, event)
        if target.exists():
            return
        free = shutil.disk_usage(self._folder).free
        if free < event["size"] + SPARE_BYTES:
            raise UnfinishedError(
                f"A file of {self._run} cannot be fetched",
                f"{free >> 20} MB are left on this computer's disk, {(event['size'] + SPARE_BYTES) >> 20} are needed",
                "Make room and run again: the training waits, nothing is lost",
            )

        def tick() -> None:
            self._check_stop()
            stream.tick()

        self._fetcher.fetch(event["sha"], target, event["size"], tick)

    def _resume(self) -> None:
        """The log ended without a last word: its supervisor was killed, or the machine was switched off."""
        now = time.monotonic()
        self._resumes.append(now)
        while now - self._resumes[0] > RESUMES_WITHIN_S:
            self._resumes.popleft()
        if len(self._resumes) > MAX_RESUMES:
            raise StudioError(
                f"{self._run} does not go on",
                f"its supervisor on {self._machine.name} ended {MAX_RESUMES} times without a word",
                "Look at agent.log in the run's folder on the machine",
            )
        try:
            self._machine.resume(self._run)
        except UnreachableError as problem:
            # Tried again with the line, for as long as that takes.
            raise LineLostError(str(problem)) from None
        except RefusalError as problem:
            # Killed before it stood: counted like any other that ends without a word.
            if problem.code != "supervisor_failed":
                raise
            self._rest()

    def _count_nonsense(self, problem: ValueError) -> None:
        self._nonsense += 1
        if self._nonsense >= MAX_NONSENSE:
            raise StudioError(
                f"What {self._machine.name} sends for {self._run} makes no sense",
                str(problem),
                "Do not use this run; check the machine before you use it again",
            ) from None

    def _line(self, state: str) -> None:
        if self._up != (state == "up"):
            self._up = state == "up"
            self._mirror._on_line(state)

    def _rest(self) -> None:
        until = time.monotonic() + self._pause_s * random.uniform(0.5, 1.5)
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        while time.monotonic() < until:
            self._check_stop()
            time.sleep(min(POLL_S, self._pause_s))

    def _check_stop(self) -> None:
        if self._stop():
            raise _StopFollowing
