"""``python -m remote_agent.train.student RUN_DIR``: distil one student, talking in JSON lines as a teacher does.

Reads spec.json and per skill table, body and teacher; writes under out/: clips, snapshots, report.json. SIGTERM ends it
after the present iteration, with a last snapshot. Exit status 0 done or stopped, 1 failed with one ``log`` line that
says why, 2 wrong usage.
"""

from __future__ import annotations

import sys
from pathlib import Path

from remote_agent.train.program import Stop, run_program


def main(arguments: list[str]) -> int:
    """Distil the student ordered in a folder."""
    return run_program("student", arguments, _distil)


def _distil(folder: Path, stop: Stop) -> None:
    from remote_agent.train.distil_order import read_distil_order

    order = read_distil_order(folder)
    # torch takes seconds to load: only for an order that can be carried out.
    from remote_agent.train.distil import Distillation

    Distillation(order, stop).train()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
