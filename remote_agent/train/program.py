"""What the training programs share: their command line, quiet libraries, an end by SIGTERM, one line that says why."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from remote_agent.train.wire import say, say_error
from studio.schema.errors import StudioError

QUIET = {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0",
    "MUJOCO_GL": "disable",
}  # fmt: skip
"""Set before numpy and torch are loaded: idle OpenMP threads that spin cost tenfold when the cores are shared."""

DONE, FAILED, USAGE = 0, 1, 2


class Stop:
    """Remembers that SIGTERM or SIGINT came."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def __call__(self) -> bool:
        return self.asked

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True


def run_program(name: str, arguments: list[str], carry_out: Callable[[Path, Stop], None]) -> int:
    """Carry out the order in the folder that ``arguments`` name. The exit status: 0 done or stopped, 1 failed with one
    ``log`` line that says why, 2 wrong usage. ``carry_out`` loads numpy and torch, never its module."""
    if len(arguments) != 1:
        sys.stderr.write(f"usage: python -m remote_agent.train.{name} RUN_DIR\n")
        return USAGE
    os.environ.update({key: value for key, value in QUIET.items() if key not in os.environ})
    stop = Stop()
    try:
        say("state", phase="setup")
        carry_out(Path(arguments[0]), stop)
    except StudioError as error:
        say_error(error)
        return FAILED
    except OSError as error:
        say_error(StudioError("The training failed", (error.strerror or str(error)).lower(), "Look at the machine"))
        return FAILED
    return DONE
