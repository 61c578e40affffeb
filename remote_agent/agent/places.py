"""Where everything lies on the machine: one root, one folder per run.

Named tuples here and in ``tail``, since every verb is a process and dataclasses would cost each a fifth of its time.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from remote_agent.agent.errors import RefusedError
from studio.schema.events import is_run_id

ROOT_VARIABLE = "PADWORK_AGENT_ROOT"


def agent_root() -> Path:
    """The agent's only folder, made if absent. Raises ``RefusedError`` if it is a link or belongs to someone else."""
    root = Path(os.environ.get(ROOT_VARIABLE) or Path.home() / ".padwork")
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = os.lstat(root)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise RefusedError("root_not_ours", root=str(root))
    return root


def blob_folder() -> Path:
    """Uploaded blobs, named by their SHA-256."""
    folder = agent_root() / "cas"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


class RunFolder(NamedTuple):
    """The paths of one run. ``work`` is the trainer's; all else is the supervisor's."""

    path: Path

    @property
    def record(self) -> Path:
        """Run id, epoch, spec and its hash; written once."""
        return self.path / "run.json"

    @property
    def events(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def files(self) -> Path:
        """Clips and checkpoints, named by their SHA-256."""
        return self.path / "files"

    @property
    def work(self) -> Path:
        return self.path / "work"

    @property
    def lock(self) -> Path:
        """Held by the supervisor as long as it lives."""
        return self.path / "lock"

    @property
    def start_lock(self) -> Path:
        """Held for the moment of a start."""
        return self.path / "startlock"

    @property
    def trainer_lock(self) -> Path:
        """Held by the trainer's keeper as long as it lives."""
        return self.path / "trainerlock"

    @property
    def supervisor(self) -> Path:
        """Identity of the supervisor."""
        return self.path / "pid.json"

    @property
    def trainer(self) -> Path:
        """Identity of the trainer, its attempt and when it began."""
        return self.path / "trainer.json"

    @property
    def stop(self) -> Path:
        """Exists once someone asked the run to stop."""
        return self.path / "stop"

    @property
    def ack(self) -> Path:
        """The last event the studio holds safely, with its files."""
        return self.path / "ack"

    @property
    def ballast(self) -> Path:
        """Given up for the last events when the disk is full."""
        return self.path / "ballast"

    @property
    def train_log(self) -> Path:
        """What the trainer printed that is not an event."""
        return self.path / "train.log"

    @property
    def agent_log(self) -> Path:
        return self.path / "agent.log"

    def stdout(self, attempt: int) -> Path:
        """The trainer's output in one attempt."""
        return self.path / f"stdout-{attempt}"

    def exit(self, attempt: int) -> Path:
        """How one attempt's trainer ended; blank while it runs."""
        return self.path / f"exit-{attempt}"

    @property
    def exists(self) -> bool:
        return self.record.is_file()


def run_folder(run_id: object) -> RunFolder:
    """The folder of a run, which need not exist. Raises ``RefusedError`` for a name that is none."""
    if not is_run_id(run_id):
        raise RefusedError("bad_run_id")
    return RunFolder(agent_root() / "runs" / str(run_id))


def known_run(run_id: object) -> RunFolder:
    """The folder of a run that was started. Raises ``RefusedError``."""
    run = run_folder(run_id)
    if not run.exists:
        raise RefusedError("no_such_run", run=run_id)
    return run
