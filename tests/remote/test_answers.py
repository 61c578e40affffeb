"""Answers that make no sense are said to make none, whatever is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from studio.remote.machine import Machine
from studio.schema.errors import StudioError
from studio.schema.events import BANNER


class Told:
    """A verb that answers one line, whatever it is asked."""

    def __init__(self, output: bytes) -> None:
        self._output = output

    def send(self, data: bytes) -> None:
        pass

    def end_input(self) -> None:
        pass

    def receive(self, limit: int, timeout_s: float) -> bytes:
        piece, self._output = self._output[:limit], self._output[limit:]
        return piece

    def close(self) -> None:
        pass


class Liar:
    """A way in to a machine that says yes to everything and leaves out what was asked."""

    name = "liar"

    def __init__(self, **answer: object) -> None:
        self._line = json.dumps({"ok": True, **answer}).encode() + b"\n"

    def open(self, verb: str, nonce: str) -> Told:
        return Told(f"{BANNER}{nonce}\n".encode() + 2 * self._line)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("answer", [{}, {"executable": 7, "freed": "all", "missing": 3, "epoch": None, "now": []}])
@pytest.mark.parametrize(
    "ask",
    [
        lambda machine: machine.interpreter(),
        lambda machine: machine.collect(),
        lambda machine: machine.resume("r"),
        lambda machine: machine.start("r", {}, {"a": b"1"}),
        lambda machine: machine.preflight([], 1),
    ],
)
def test_an_answer_without_what_was_asked_is_refused(answer: dict[str, object], ask: Callable[[Machine], object]):
    with pytest.raises(StudioError, match="makes no sense"):
        ask(Machine(Liar(**answer)))
