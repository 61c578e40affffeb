"""The event log: gapless, mended after a tear, and able to end on a full disk."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from remote_agent.agent.log import EventLog, read_past
from remote_agent.agent.places import RunFolder
from remote_agent.agent.tail import LogReader
from studio.schema.events import MAX_LINE


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path)


def lines(run: RunFolder) -> list[dict]:
    data = run.events.read_bytes()
    assert data.endswith(b"\n") or not data
    return [json.loads(line) for line in data.splitlines()]


def assert_gapless(run: RunFolder) -> None:
    assert [event["seq"] for event in lines(run)] == list(range(1, len(lines(run)) + 1))


def test_events_are_numbered_and_remembered(run):
    log = EventLog(run)
    assert log.emit("started", pid=1) == 1
    log.emit("metric", iter=1, at=50)
    log.emit("ckpt", sha="a" * 64, size=1, name="s.onnx", at=90)
    log.close()
    past = read_past(run)
    assert (past.seq, past.attempt, past.finished, past.checkpoint, past.at) == (3, 1, False, "a" * 64, {1: 90})
    assert past.size == run.events.stat().st_size
    assert run.events.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "tear",
    [
        b'{"seq": 3, "type": "met',
        b"\0" * 100,
        b'{"seq":4,"att":1,"mono":1,"type":"metric"}\n',
        b'{"seq":3}\n{"seq":4}\n',
        b'{"seq":3,"att":1,"mono":1}\n',
        b'{"seq":3,"att":1,"mono":1,"type":"ckpt","at":9}\n',
        b'{"seq":3,"att":1,"mono":1,"type":"metric","at":null}\n',
        b"[]\n",
        b"x" * (2 * MAX_LINE) + b"\n",
        b'{"seq":3,"att":"1","mono":{},"type":"metric"}\n',
    ],
)
def test_a_torn_end_is_cut_off_and_the_count_goes_on(run, tear):
    first = EventLog(run)
    first.emit("started", pid=1)
    first.emit("metric", iter=1)
    first.close()
    with run.events.open("ab") as stream:
        stream.write(tear)
    second = EventLog(run)
    assert second.emit("metric", iter=2) == 3
    second.close()
    assert_gapless(run)
    assert lines(run)[-1]["iter"] == 2


def test_too_long_an_event_is_replaced_by_a_word_about_it(run):
    log = EventLog(run)
    assert log.emit("metric", values="x" * MAX_LINE, at=7) == 1
    log.emit("metric", iter=1)
    log.close()
    assert lines(run)[0]["type"] == "oversize" and lines(run)[0]["was"] == "metric" and lines(run)[0]["at"] == 7
    assert_gapless(run)


class FullDisk:
    """Writes like the system's, until ``room`` bytes are used; the ballast's end makes room for its size."""

    def __init__(self, run: RunFolder, room: int) -> None:
        self._run, self.room, self._ballast = run, room, 65536

    def __call__(self, handle: int, data: bytes) -> int:
        if not self._run.ballast.exists():
            self.room += self._ballast
            self._ballast = 0
        if self.room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = os.write(handle, data[: self.room])
        self.room -= written
        return written


def test_a_full_disk_leaves_whole_lines_and_room_for_the_end(run):
    disk = FullDisk(run, 1000)
    log = EventLog(run, write=disk)
    numbers = [log.emit("metric", iter=i, text="y" * 100) for i in range(12)]
    assert None not in numbers, "the ballast was given up for them"
    assert not run.ballast.exists()
    assert log.emit("final", status="failed") == 13
    assert_gapless(run)
    disk.room = 30
    assert log.emit("metric", iter=99) is None and log.lost == 1
    assert_gapless(run)
    disk.room = 1000
    assert log.emit("log", text="room again") == 14
    log.close()
    assert_gapless(run)


def test_other_write_errors_lose_that_event_only(run):
    def broken(handle: int, data: bytes) -> int:
        raise OSError(errno.EIO, "Input/output error")

    log = EventLog(run, write=broken)
    assert log.emit("metric") is None
    assert run.ballast.exists(), "only a full disk takes the ballast"
    log.close()
    assert lines(run) == []


def test_a_reader_never_holds_on_to_a_torn_end(run):
    log = EventLog(run)
    log.emit("metric", iter=1)
    reader = LogReader(run)
    assert len(reader.more(0)) == 1
    with run.events.open("ab") as stream:
        stream.write(b'{"seq":2,"att":1,"mono":1,"type":"torn')
    assert reader.more(0) == []
    log.close()
    log = EventLog(run)
    log.emit("metric", iter=2)
    log.emit("final", status="done")
    log.close()
    assert [json.loads(line)["type"] for line in reader.more(0)] == ["metric", "final"]
    assert reader.finished and reader.last == 3
    assert [json.loads(line)["seq"] for line in LogReader(run).more(2)] == [3]
