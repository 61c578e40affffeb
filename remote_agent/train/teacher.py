"""``python -m remote_agent.train.teacher RUN_DIR``: train one teacher, talking in JSON lines.

Reads spec.json, table.npz and body.json; writes under out/: clips, snapshots, report.json. SIGTERM ends it after the
present iteration, with a last snapshot. Exit status 0 done or stopped, 1 failed with one ``log`` line that says why,
2 wrong usage.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType

QUIET = {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0",
    "MUJOCO_GL": "disable",
}  # fmt: skip
"""Set before numpy and torch are loaded: idle OpenMP threads that spin cost tenfold when the cores are shared."""


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


def main(arguments: list[str]) -> int:
    """Train the teacher ordered in a folder."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m remote_agent.train.teacher RUN_DIR\n")
        return 2
    os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
    stop = Stop()
    from remote_agent.train.run import read_run
    from remote_agent.train.wire import say, say_error
    from studio.schema.errors import StudioError

    try:
        say("state", phase="setup")
        run = read_run(Path(arguments[0]))
        # torch takes seconds to load: only for an order that can be carried out.
        from remote_agent.train.practice import Practice

        Practice(run, stop).train()
    except StudioError as error:
        say_error(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
