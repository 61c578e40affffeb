"""A machine that trains: its verbs as methods. Every one may be called again after a broken line."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from studio.remote.channel import Channel, Exec, LineLostError, Lines, UnreachableError
from studio.remote.refusals import refusal
from studio.schema.errors import StudioError
from studio.schema.events import BANNER, MAX_LINE, MAX_NOISE, PROTO, dump_line, parse_line

CHUNK = 1 << 17
PACK_BYTES = 8 << 20
TRIES = 3
PAUSE_S = 0.3
ANSWER_S = 90.0
STALL_S = 20.0
MAX_MESSAGE = MAX_LINE + 64

UNFINISHED = ("short", "offset", "busy_part")
"""Refusals of an upload whose line broke, or whose earlier try still ends on the machine: worth another try."""

STARTED = {"epoch": str, "fresh": bool, "running": bool, "finished": bool}
"""What the answer to a start tells."""

T = TypeVar("T")


@dataclass(frozen=True)
class Started:
    """``epoch`` names this log for good; ``fresh``: it was new; ``finished``: it had ended before."""

    run: str
    epoch: str
    fresh: bool
    running: bool
    finished: bool


@dataclass(frozen=True)
class RunStatus:
    """What a machine says of a run; ``seq`` is its last event, ``attempt`` counts restarts from 1."""

    exists: bool
    running: bool = False
    finished: bool = False
    epoch: str = ""
    seq: int = 0
    attempt: int = 0


class Machine:
    """``channel`` is the way in. Methods raise ``StudioError``; those that say they raise LineLostError leave
    trying again to their caller."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    @property
    def name(self) -> str:
        """What it is called in sentences for people."""
        return self._channel.name

    def close(self) -> None:
        """Gives the line back; the next verb makes another."""
        self._channel.close()

    def hello(self) -> dict[str, Any]:
        """Python, system, host, cpus, root, free bytes, clock."""
        return self._call("hello", "Asking who it is", {}, needs={"executable": str})

    def interpreter(self) -> str:
        """The path of the Python that runs the agent there, and trains."""
        return str(self.hello()["executable"])

    def preflight(self, packages: Sequence[str], pings: int) -> tuple[dict[str, Any], float, float]:
        """What it brings to train with (:mod:`remote_agent.agent.preflight`), the shortest time there and back of
        ``pings``, and by how much its clock is ahead of this computer's, both s."""
        return self._patiently("Checking", lambda: self._preflight_once(packages, pings))

    def start(self, run: str, spec: Mapping[str, Any], inputs: Mapping[str, Path | bytes] | None = None) -> Started:
        """Uploads what is missing and starts the run; the same run and spec again only tells how it stands.

        ``spec`` as in :class:`remote_agent.agent.spec.RunSpec`, without ``inputs``, which are named here by the file
        each becomes in the run's work folder.
        """
        hashes = {name: sha_of_content(content) for name, content in (inputs or {}).items()}
        self._upload({hashes[name]: content for name, content in (inputs or {}).items()})
        order = {"run": run, "spec": {**spec, "inputs": hashes}}
        return _started(run, self._call("start", f"Starting {run}", order, needs=STARTED))

    def resume(self, run: str) -> Started:
        """Lets a run go on whose supervisor was killed, or whose machine was switched off."""
        return _started(run, self._call("start", f"Resuming {run}", {"run": run}, needs=STARTED))

    def stop(self, run: str) -> None:
        """Asks the run to end; its last event says when it has."""
        self._call("stop", f"Stopping {run}", {"run": run})

    def status(self, run: str) -> RunStatus:
        """How the run stands."""
        answer = self._call("status", f"Asking about {run}", {"run": run})
        return RunStatus(**{name: answer[name] for name in RunStatus.__dataclass_fields__ if name in answer})

    def acknowledge(self, run: str, seq: int) -> None:
        """Everything up to ``seq`` is safe here, with its files."""
        self._call("ack", f"Acknowledging {run}", {"run": run, "seq": seq})

    def collect(self, run: str | None = None) -> int:
        """Gives back the room of what was acknowledged, or of uploads that no run needs. Bytes freed."""
        args = {} if run is None else {"run": run}
        return self._call("gc", "Making room", args, needs={"freed": int})["freed"]

    def open_tail(self, run: str, from_seq: int, follow: bool, heartbeat_s: float, dead_s: float) -> tuple[Exec, Lines]:
        """The stream of the log after ``from_seq``: messages of at most ``MAX_MESSAGE`` bytes, up to its end.

        Who follows for long has to send a ping now and then. Raises LineLostError.
        """
        return self.open("tail", {"run": run, "from": from_seq, "follow": follow, "hb": heartbeat_s}, dead_s)

    def open(self, verb: str, args: dict[str, Any], timeout_s: float) -> tuple[Exec, Lines]:
        """Runs a verb whose answer is a stream: the process, and its output after the banner. Raises LineLostError."""
        nonce = secrets.token_hex(8)
        process = self._channel.open(verb, nonce)
        try:
            process.send(dump_line(args))
            lines = Lines(process, timeout_s)
            lines.skip_to(f"{BANNER}{nonce}".encode(), MAX_NOISE)
        except BaseException:
            process.close()
            raise
        return process, lines

    def _preflight_once(self, packages: Sequence[str], pings: int) -> tuple[dict[str, Any], float, float]:
        process, lines = self.open("preflight", {"packages": list(packages)}, ANSWER_S)
        with closing(process):
            found = self._answer(lines, "Checking")
            trips: list[tuple[float, float]] = []
            for _ in range(pings):
                sent, began = time.time(), time.monotonic()
                process.send(dump_line({"k": "ping"}))
                told = float(_field(self._answer(lines, "Checking"), "now", (int, float)))
                trip = time.monotonic() - began
                trips.append((trip, told - (sent + trip / 2)))
        return found, *min(trips)

    def _answer(self, lines: Lines, what: str) -> dict[str, Any]:
        line = lines.line(MAX_LINE)
        if not line:
            raise LineLostError("the agent ended without an answer")
        answer = parse_line(line)
        if not answer.get("ok"):
            raise refusal(self.name, what, answer)
        return answer

    def _upload(self, contents: Mapping[str, Path | bytes]) -> None:
        if not contents:
            return
        answer = self._call("have", "Uploading", {"shas": sorted(contents)}, needs={"missing": list})
        missing = [sha for sha in sorted(contents) if sha in answer["missing"]]
        small = [sha for sha in missing if _size_of(contents[sha]) <= PACK_BYTES]
        if small:
            self._call("putpack", "Uploading", {}, lambda: _pack({sha: contents[sha] for sha in small}))
        for sha in missing:
            if sha not in small:
                self._upload_large(sha, contents[sha])

    def _upload_large(self, sha: str, content: Path | bytes) -> None:
        size = _size_of(content)

        def attempt() -> None:
            told = self._call_once("put", "Uploading", {"sha": sha}, None)
            if not _field(told, "have", bool):
                there = _field(told, "part", int)
                order = {"sha": sha, "size": size, "off": there}
                self._call_once("put", "Uploading", order, lambda: _pieces(content, there))

        self._patiently("Uploading", attempt)

    def _call(
        self,
        verb: str,
        what: str,
        args: dict[str, Any],
        body: Callable[[], Iterable[bytes]] | None = None,
        needs: Mapping[str, type] | None = None,
    ) -> dict[str, Any]:
        """The verb's answer, in which every field of ``needs`` is of its kind."""

        def attempt() -> dict[str, Any]:
            answer = self._call_once(verb, what, args, body)
            for name, kind in (needs or {}).items():
                _field(answer, name, kind)
            return answer

        return self._patiently(what, attempt)

    def _call_once(
        self, verb: str, what: str, args: dict[str, Any], body: Callable[[], Iterable[bytes]] | None
    ) -> dict[str, Any]:
        process, lines = self.open(verb, args, ANSWER_S)
        with closing(process):
            broken: LineLostError | None = None
            try:
                for piece in body() if body else ():
                    process.send(piece)
            except LineLostError as problem:
                # The agent may have refused and gone while we were still sending: its word counts.
                broken = problem
            process.end_input()
            line = lines.line(MAX_LINE)
        if not line:
            raise broken or LineLostError("the agent ended without an answer")
        answer = parse_line(line)
        if not answer.get("ok"):
            if answer.get("error") in UNFINISHED:
                raise broken or LineLostError("the upload was cut short")
            raise refusal(self.name, what, answer)
        return answer

    def _patiently(self, what: str, attempt: Callable[[], T]) -> T:
        for left in reversed(range(TRIES)):
            try:
                return attempt()
            except LineLostError as problem:
                if problem.sentence is not None or not left:
                    raise self._unreachable(what, problem) from None
                time.sleep(PAUSE_S)
            except ValueError as problem:
                raise self._nonsense(what, problem) from None
        raise AssertionError("unreachable")

    def _unreachable(self, what: str, problem: LineLostError) -> UnreachableError:
        if problem.sentence is not None:
            return UnreachableError(problem.sentence.what, problem.sentence.why, problem.sentence.next_step)
        return UnreachableError(
            f"{what} did not work on {self.name}", f"its agent could not be reached ({problem})", "Try again"
        )

    def _nonsense(self, what: str, problem: Exception) -> StudioError:
        return StudioError(
            f"{what} did not work on {self.name}",
            f"its answer makes no sense ({problem}; wire {PROTO})",
            "Check the machine before you use it again",
        )


def _field(answer: dict[str, Any], name: str, kind: type | tuple[type, ...]) -> Any:
    """A field of an answer. Raises ``ValueError`` where there is none or it is of another kind."""
    value = answer.get(name)
    if not isinstance(value, kind):
        raise ValueError(f"its {name} is {str(value)[:40]!r}")
    return value


def _started(run: str, answer: dict[str, Any]) -> Started:
    return Started(run, *(answer[key] for key in STARTED))


def sha_of_content(content: Path | bytes) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(content, 0):
        digest.update(piece)
    return digest.hexdigest()


def _size_of(content: Path | bytes) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _pieces(content: Path | bytes, offset: int) -> Iterator[bytes]:
    if isinstance(content, bytes):
        if content[offset:]:
            yield content[offset:]
        return
    with content.open("rb") as stream:
        stream.seek(offset)
        while data := stream.read(CHUNK):
            yield data


def _pack(contents: Mapping[str, Path | bytes]) -> Iterator[bytes]:
    for sha, content in contents.items():
        yield dump_line({"sha": sha, "size": _size_of(content)})
        yield from _pieces(content, 0)
    yield dump_line({"end": True})
