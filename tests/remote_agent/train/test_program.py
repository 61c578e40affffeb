"""A training program ends with a sentence whatever stops it."""

from __future__ import annotations

import errno
import json
import os
import signal
from pathlib import Path

import pytest

from remote_agent.train.program import DONE, FAILED, USAGE, Stop, run_program
from studio.schema.errors import StudioError


@pytest.fixture(autouse=True)
def signals():
    """The handlers of this process come back after a program has set its own."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (StudioError("The table cannot be read", "it is damaged", "Start again"), "it is damaged"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "no space left on device"),
    ],
)
def test_what_stops_it_is_its_last_line(capsys, tmp_path, error, why):
    def carry_out(folder: Path, stop: Stop) -> None:
        raise error

    assert run_program("teacher", [str(tmp_path)], carry_out) == FAILED
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["type"] for line in told] == ["state", "log"]
    assert told[-1]["level"] == "error" and told[-1]["why"] == why


def test_a_signal_is_remembered_and_ends_nothing(tmp_path):
    asked = []

    def carry_out(folder: Path, stop: Stop) -> None:
        asked.append(stop())
        os.kill(os.getpid(), signal.SIGTERM)
        asked.append(stop())

    assert run_program("student", [str(tmp_path)], carry_out) == DONE
    assert asked == [False, True]


def test_wrong_usage_is_told(capsys):
    assert run_program("teacher", [], lambda folder, stop: None) == USAGE
    assert "remote_agent.train.teacher RUN_DIR" in capsys.readouterr().err
