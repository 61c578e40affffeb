"""``python -m remote_agent.train.student RUN_DIR``: distil one student, talking in JSON lines as a teacher does.

Reads spec.json and per skill table, body and teacher; writes under out/: clips, snapshots, report.json. SIGTERM ends it
after the present iteration, with a last snapshot. Exit status 0 done or stopped, 1 failed with one ``log`` line that
says why, 2 wrong usage.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from remote_agent.train.teacher import QUIET, Stop


def main(arguments: list[str]) -> int:
    """Distil the student ordered in a folder."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m remote_agent.train.student RUN_DIR\n")
        return 2
    os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
    stop = Stop()
    from remote_agent.train.distil_order import read_distil_order
    from remote_agent.train.wire import say, say_error
    from studio.schema.errors import StudioError

    try:
        say("state", phase="setup")
        order = read_distil_order(Path(arguments[0]))
        # torch takes seconds to load: only for an order that can be carried out.
        from remote_agent.train.distil import Distillation

        Distillation(order, stop).train()
    except StudioError as error:
        say_error(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
