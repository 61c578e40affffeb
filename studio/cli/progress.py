"""A stage's progress on a terminal: one line that rewrites itself, or plain lines where there is no terminal."""

from __future__ import annotations

import sys
import time

from studio.jobs.events import Event, Progress

PLAIN_EVERY_S = 10.0
WIDTH = 100


class ProgressLine:
    """Shows events of one stage between ``with`` and its end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._live = sys.stdout.isatty()
        self._last = time.monotonic()

    def __enter__(self) -> ProgressLine:
        if not self._live:
            print(f"{self._name}: started", flush=True)
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            print(f"\r{' ' * WIDTH}\r", end="", flush=True)

    def show(self, event: Event) -> None:
        """Show progress; other events are for the caller."""
        if not isinstance(event, Progress):
            return
        told = f"{self._name}: {event.fraction:4.0%} {event.text}{_left(event.left_s)}"
        if self._live:
            print(f"\r{told[:WIDTH]:<{WIDTH}}", end="", flush=True)
        elif time.monotonic() - self._last >= PLAIN_EVERY_S:
            self._last = time.monotonic()
            print(told, flush=True)


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f", {seconds:.0f} s left" if seconds < 90 else f", {seconds / 60:.0f} min left"
