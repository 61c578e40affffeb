"""Fetching a run's files by their hash, many over one connection, each going on where an earlier try broke off."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from studio.remote.channel import Exec, LineLostError, Lines
from studio.remote.machine import CHUNK, STALL_S, Machine, sha_of_content
from studio.remote.refusals import refusal
from studio.schema.events import MAX_LINE, dump_line, is_sha, parse_line


class Fetcher:
    """Fetches files of one run. Not for two threads at once, nor two fetchers for one target."""

    def __init__(self, machine: Machine, run: str) -> None:
        self._machine, self._run = machine, run
        self._open: tuple[Exec, Lines] | None = None

    def fetch(self, sha: str, target: Path, size: int, tick: Callable[[], None] = lambda: None) -> bool:
        """Fetches one file to ``target``; ``tick`` is called at every piece. False if the machine no longer has it.

        Raises LineLostError, ``ValueError`` if the bytes are not the right ones (they are dropped then), and
        ``StudioError`` if the machine refuses. What has arrived waits beside the target as ``<sha>.part``.
        """
        try:
            return self._fetch(sha, target, size, tick)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the connection; the next fetch makes another."""
        if self._open is not None:
            self._open[0].close()
            self._open = None

    def _fetch(self, sha: str, target: Path, size: int, tick: Callable[[], None]) -> bool:
        if not is_sha(sha):
            raise ValueError("a file's hash that is none")
        part = target.with_name(f"{sha}.part")
        offset = part.stat().st_size if part.exists() else 0
        if offset > size:
            part.unlink()
            offset = 0
        lines = self._ask(sha, offset)
        line = lines.line(MAX_LINE)
        if not line:
            raise LineLostError("the agent ended without an answer")
        header = parse_line(line)
        if not header.get("ok"):
            if header.get("error") == "gone":
                return False
            raise refusal(self._machine.name, f"Fetching a file of {self._run}", header)
        if header.get("size") != size or header.get("off") != offset:
            raise ValueError("a file of another size than its event says")
        _append(part, lines, size - offset, tick)
        _check_and_name(part, sha, target)
        return True

    def _ask(self, sha: str, offset: int) -> Lines:
        if self._open is None:
            self._open = self._machine.open("get", {"run": self._run, "sha": sha, "off": offset}, STALL_S)
        else:
            self._open[0].send(dump_line({"sha": sha, "off": offset}))
        return self._open[1]


def _append(part: Path, lines: Lines, left: int, tick: Callable[[], None]) -> None:
    with part.open("ab") as stream:
        while left:
            data = lines.some(min(CHUNK, left))
            if not data:
                raise LineLostError("a file was cut short")
            stream.write(data)
            left -= len(data)
            tick()


def _check_and_name(part: Path, sha: str, target: Path) -> None:
    if sha_of_content(part) != sha:
        part.unlink()
        raise ValueError("a file whose bytes do not fit its hash")
    with part.open("rb") as stream:
        os.fsync(stream.fileno())
    part.replace(target)
