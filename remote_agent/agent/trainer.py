"""The trainer's process and its keeper.

The keeper is a small process between supervisor and trainer: it waits for the trainer and writes down how it ended.
So a supervisor that is killed takes nothing with it; its successor goes on reading where it stopped.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass

from remote_agent.agent.files import read_json, write_atomic, write_json
from remote_agent.agent.identity import identity, is_locked, living, lock
from remote_agent.agent.places import RunFolder
from remote_agent.agent.spec import RunSpec

EXIT_BYTES = 256
MAX_HANDLES = 65536
ENVIRONMENT = {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}


@dataclass(frozen=True)
class Ended:
    """``code``: exit status, minus the signal's number if it was killed, or ``None`` if nobody saw it end.

    ``mono``: when it was seen to end, monotonic s.
    """

    code: int | None
    error: str = ""
    mono: float | None = None


class Trainer:
    """One attempt's trainer, begun by this supervisor or by one before it."""

    def __init__(self, run: RunFolder, attempt: int) -> None:
        self._run = run
        self._attempt = attempt
        self._keeper: int | None = None

    @classmethod
    def launch(cls, run: RunFolder, spec: RunSpec, attempt: int, checkpoint: str) -> Trainer:
        """Starts the trainer under a new keeper. Raises ``OSError``, and ``RuntimeError`` if one still lives."""
        held = lock(run.trainer_lock)
        if held is None:
            raise RuntimeError("a trainer of this run still lives")
        write_atomic(run.exit(attempt), b" " * EXIT_BYTES)
        run.trainer.unlink(missing_ok=True)
        trainer = cls(run, attempt)
        trainer._keeper = os.fork()
        if trainer._keeper == 0:
            _keep_and_exit(run, spec, attempt, checkpoint, held)
        os.close(held)
        return trainer

    def ended(self) -> Ended | None:
        """How it ended, or ``None`` while it runs."""
        if self._keeper is not None:
            with suppress(ChildProcessError):
                os.waitpid(self._keeper, os.WNOHANG)
        kept = is_locked(self._run.trainer_lock)
        told = exit_of(self._run, self._attempt)
        return told or (None if kept else Ended(None))

    def running_s(self) -> float:
        """Seconds since it began, or from its beginning to its end, also under an earlier supervisor."""
        told = read_json(self._run.trainer)
        if not told or told["attempt"] != self._attempt:
            return 0.0
        ended = exit_of(self._run, self._attempt)
        until = time.monotonic() if ended is None or ended.mono is None else ended.mono
        return max(0.0, until - told["mono"])

    def signal(self, number: signal.Signals) -> bool:
        """Sends a signal to the trainer and every process of its group; False if it does not (yet) run."""
        told = read_json(self._run.trainer)
        pid = living(told["trainer"]) if told else None
        if pid is None:
            return False
        with suppress(ProcessLookupError):
            os.killpg(pid, number)
        return True


def exit_of(run: RunFolder, attempt: int) -> Ended | None:
    """What the keeper wrote down, or ``None`` while it has not."""
    told = read_json(run.exit(attempt))
    return Ended(told["code"], told["error"], told["mono"]) if told else None


def _keep_and_exit(run: RunFolder, spec: RunSpec, attempt: int, checkpoint: str, held: int) -> None:
    """The keeper's whole life, in the forked process: never returns."""
    try:
        os.setsid()
        os.closerange(3, held)
        os.closerange(held + 1, MAX_HANDLES)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        _tell_exit(run, attempt, _keep(run, spec, attempt, checkpoint))
    finally:
        os._exit(0)


def _keep(run: RunFolder, spec: RunSpec, attempt: int, checkpoint: str) -> Ended:
    try:
        process = _spawn(run, spec, attempt, checkpoint)
    except OSError as problem:
        return Ended(127, f"{problem.strerror}: {spec.cmd[0]}")
    error = ""
    try:
        told = {"attempt": attempt, "mono": time.monotonic(), "trainer": identity(process.pid)}
        write_json(run.trainer, told)
        # Waited for without being reaped: its number cannot be given away before its group is gone.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    except OSError as problem:
        # Nobody could find or stop a trainer that is not written down.
        error = f"ended, since its identity could not be written: {problem.strerror}"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return Ended(process.wait(), error)


def _spawn(run: RunFolder, spec: RunSpec, attempt: int, checkpoint: str) -> subprocess.Popen[bytes]:
    if spec.nice:
        os.nice(spec.nice)
    resume = {"PADWORK_RESUME": str(run.files / checkpoint)} if checkpoint else {}
    environment = {**os.environ, **ENVIRONMENT, "PADWORK_ATTEMPT": str(attempt), **resume, **spec.env}
    with run.stdout(attempt).open("ab") as out, run.train_log.open("ab") as text:
        return subprocess.Popen(
            spec.cmd,
            cwd=run.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=text,
            start_new_session=True,
        )


def _tell_exit(run: RunFolder, attempt: int, ended: Ended) -> None:
    # In place, into bytes that are there already: a full disk cannot hide how the trainer ended.
    told = json.dumps({"code": ended.code, "error": ended.error[:100], "mono": time.monotonic()}).encode()
    handle = os.open(run.exit(attempt), os.O_WRONLY | os.O_NOFOLLOW)
    os.pwrite(handle, told[:EXIT_BYTES].ljust(EXIT_BYTES), 0)
    os.fsync(handle)
    os.close(handle)
