"""The supervisor: owns the trainer and the log of one run, keeps its caps, and says the last word."""

from __future__ import annotations

import os
import signal
import socket
import time
import traceback
from collections.abc import Callable

from remote_agent.agent.files import read_json, sweep, used_bytes, write_json
from remote_agent.agent.identity import identity, is_locked, lock
from remote_agent.agent.intake import Intake
from remote_agent.agent.log import EventLog
from remote_agent.agent.places import RunFolder
from remote_agent.agent.spec import RunSpec, parse_spec
from remote_agent.agent.trainer import Ended, Trainer, exit_of

POLL_S = 0.03
DISK_EVERY_S = 10.0
LOCK_WAIT_S = 3.0


def supervise(run: RunFolder, ready: Callable[[], None]) -> None:
    """Runs the run to its end in this process; at once back if another one does, or if it has ended.

    ``ready`` is called when the lock is held, so that nobody who looks afterwards takes the run for dead.
    """
    held = lock(run.lock, LOCK_WAIT_S)
    if held is None:
        return
    try:
        sweep(run.path)
        sweep(run.files)
        log = EventLog(run)
        if not log.past.finished:
            write_json(run.supervisor, identity(os.getpid()))
            _oversee(run, log, ready)
    finally:
        os.close(held)


def _oversee(run: RunFolder, log: EventLog, ready: Callable[[], None]) -> None:
    supervisor = Supervisor(run, parse_spec(read_json(run.record)["spec"]), log)
    try:
        ready()
        supervisor.begin()
        supervisor.attend()
    except Exception as problem:
        traceback.print_exc()
        supervisor.kill()
        log.emit("final", status="agent_crash", rc=None, error=repr(problem)[:500], lost=log.lost)


class Supervisor:
    """One supervisor's watch over one run."""

    def __init__(self, run: RunFolder, spec: RunSpec, log: EventLog) -> None:
        self._run, self._spec, self._log = run, spec, log
        self._trainer: Trainer | None = None
        self._asked = ""
        self._asked_at = 0.0
        self._told = False
        self._signalled = False
        self._disk_at = time.monotonic()
        signal.signal(signal.SIGTERM, self._on_term)
        signal.signal(signal.SIGHUP, lambda *_: None)

    def begin(self) -> None:
        """Takes over the trainer of a supervisor that was killed, or starts the next attempt."""
        log, run = self._log, self._run
        last = max(log.past.attempt, (read_json(run.trainer) or {}).get("attempt", 0))
        log.attempt = max(1, last)
        adopts = last > 0 and (is_locked(run.trainer_lock) or exit_of(run, last) is not None)
        self._trainer = Trainer(run, log.attempt)
        if last > 0 and not adopts:
            self._trainer.signal(signal.SIGKILL)
            log.emit("attempt_end", status="lost", rc=None)
            log.attempt = last + 1
        log.emit("started", pid=os.getpid(), resume=last > 0, adopted=adopts, host=socket.gethostname()[:100])
        self._spent_s = log.past.spent_s(log.attempt)
        if not adopts and not self._wants_end():
            self._trainer = Trainer.launch(run, self._spec, log.attempt, log.past.checkpoint)

    def attend(self) -> None:
        """Follows the trainer until it has ended, then writes ``final``."""
        assert self._trainer is not None
        intake = Intake(self._run, self._spec, self._log)
        while True:
            ended = self._trainer.ended()
            if ended is not None:
                break
            heard = intake.drain()
            self._keep_caps(intake)
            if not heard:
                time.sleep(POLL_S)
        self.kill()
        intake.finish()
        self._final(ended, intake)

    def kill(self) -> None:
        """Ends the trainer's whole group at once."""
        if self._trainer is not None:
            self._trainer.signal(signal.SIGKILL)

    def _on_term(self, *_: object) -> None:
        self._signalled = True

    def _keep_caps(self, intake: Intake) -> None:
        assert self._trainer is not None
        if not self._asked:
            self._asked = self._wants_end() or self._cap_reached(intake)
            if self._asked:
                self._log.emit("stopping", why=self._asked)
                self._asked_at = time.monotonic()
        elif not self._told:
            self._told = self._trainer.signal(signal.SIGTERM)
        elif time.monotonic() - self._asked_at > self._spec.grace_s:
            self._trainer.signal(signal.SIGKILL)

    def _wants_end(self) -> str:
        return "stopped" if self._signalled or self._run.stop.exists() else ""

    def _cap_reached(self, intake: Intake) -> str:
        assert self._trainer is not None
        spec = self._spec
        if spec.cap_s is not None and self._spent_s + self._trainer.running_s() > spec.cap_s:
            return "time_cap"
        if spec.idle_s is not None and time.monotonic() - intake.heard > spec.idle_s:
            return "idle_cap"
        if time.monotonic() - self._disk_at > DISK_EVERY_S:
            self._disk_at = time.monotonic()
            if used_bytes(self._run.path) > spec.disk_cap:
                return "disk_full"
        return ""

    def _final(self, ended: Ended, intake: Intake) -> None:
        assert self._trainer is not None
        status = self._asked or self._wants_end() or ("done" if ended.code == 0 else "failed")
        self._log.emit(
            "final",
            status=status,
            rc=ended.code,
            error=ended.error,
            lost=self._log.lost,
            skipped=intake.skipped,
            last_ckpt=self._log.past.checkpoint,
            run_s=round(self._spent_s + self._trainer.running_s(), 3),
        )
