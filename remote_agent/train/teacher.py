"""``python -m remote_agent.train.teacher RUN_DIR``: train one teacher, talking in JSON lines.

Reads spec.json, table.npz and body.json; writes under out/: clips, snapshots, report.json. SIGTERM ends it after the
present iteration, with a last snapshot. Exit status 0 done or stopped, 1 failed with one ``log`` line that says why,
2 wrong usage.
"""

from __future__ import annotations

import sys
from pathlib import Path

from remote_agent.train.program import Stop, run_program


def main(arguments: list[str]) -> int:
    """Train the teacher ordered in a folder."""
    return run_program("teacher", arguments, _train)


def _train(folder: Path, stop: Stop) -> None:
    from remote_agent.train.run import read_run

    run = read_run(folder)
    # torch takes seconds to load: only for an order that can be carried out.
    from remote_agent.train.practice import Practice

    Practice(run, stop).train()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
