"""The process that applies layers to one technique's retarget, again and again: requests in, motions out.

It loads the motion once and keeps what it solved. The newest request wins: older ones that wait are dropped, and one
that is being solved ends between two iterations once it took its time.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from studio.jobs.answers import Refused, Request, Solved, read_request, write_answer
from studio.jobs.worker import end_with_parent
from studio.schema.errors import StudioError

PATIENCE_S = 0.1
"""s that a solve may take although a newer request waits: a hand that never rests still sees the fighter follow."""

BEHIND = 5
"""Steps of niceness by which it stands behind the window that waits for it: a hand is felt sooner than a solve is."""

REFUSED_STATUS = 1


class Desk:
    """Where requests are laid down by one thread and taken by another; only the newest lies there."""

    def __init__(self) -> None:
        self._newest: Request | None = None
        self._closed = False
        self._changed = threading.Condition()

    @property
    def waits(self) -> bool:
        """Whether there is a request that nobody took."""
        return self._newest is not None or self._closed

    def lay(self, request: Request) -> None:
        with self._changed:
            self._newest = request
            self._changed.notify()

    def close(self) -> None:
        """Nothing more will come."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def take(self) -> Request | None:
        """The newest request, waiting for one; None after the end."""
        with self._changed:
            self._changed.wait_for(lambda: self.waits)
            newest, self._newest = self._newest, None
            return None if self._closed else newest


def main(arguments: Sequence[str]) -> int:
    """Solve for ``PROJECT TECHNIQUE PARENT`` until standard input ends. Returns the exit status."""
    project, technique, parent = Path(arguments[0]), arguments[1], int(arguments[2])
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(BEHIND)
    threading.Thread(target=end_with_parent, args=(parent,), daemon=True).start()
    desk = Desk()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, desk), daemon=True).start()
    try:
        return _serve(project, technique, desk, answers)
    except StudioError as error:
        write_answer(answers, Refused(0, error.what, error.why, error.next_step))
        return REFUSED_STATUS
    except BrokenPipeError:
        return 0


def _listen(stream: IO[bytes], desk: Desk) -> None:
    while (request := read_request(stream)) is not None:
        desk.lay(request)
    desk.close()


def _serve(path: Path, technique: str, desk: Desk, answers: IO[bytes]) -> int:
    from studio.domain.layers.relock import Relock
    from studio.schema.body import Body
    from studio.schema.motion import Retarget
    from studio.store.project import Project

    project = Project.open(path)
    relock = Relock(project.load(5, technique, Retarget), project.load(5, technique, Body, "body"))
    while (request := desk.take()) is not None:
        write_answer(answers, solve(relock, request, desk))
    return 0


def solve(relock, request: Request, desk: Desk, patience_s: float = PATIENCE_S) -> Solved | Refused:
    """One answer. ``relock``: the :class:`~studio.domain.layers.relock.Relock` of the technique."""
    from studio.domain.layers.rules import checked

    end = time.monotonic() + patience_s
    try:
        layers = checked(request.layers, relock.retarget.joints)
    except StudioError as error:
        return Refused(request.number, error.what, error.why, error.next_step)
    found = relock.solve(layers, hurried=lambda: desk.waits and time.monotonic() > end)
    return Solved(request.number, found.retarget, found.shares, found.settled)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
