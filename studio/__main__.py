"""``padwork``: opens the window, or runs a command without one."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 done, 1 failed, 2 wrong usage, 3 needs the coach's eyes."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    from studio.jobs.command import SOLVER_SWITCH, WORKER_SWITCH

    if arguments[:1] == [WORKER_SWITCH]:  # a packaged application has no python to start a worker with
        from studio.jobs.worker import main as work

        return work(arguments[1:])
    if arguments[:1] == [SOLVER_SWITCH]:
        from studio.jobs.solver import main as solve

        return solve(arguments[1:])
    from studio.cli.commands import run_command

    return run_command(arguments)


if __name__ == "__main__":
    sys.exit(main())
