"""Starting, stopping and describing runs."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from remote_agent.agent.detach import detach
from remote_agent.agent.errors import RefusedError
from remote_agent.agent.files import free_bytes, own_sha, read_json, write_atomic, write_json
from remote_agent.agent.identity import is_locked, living, lock
from remote_agent.agent.inputs import missing_blobs, place_inputs
from remote_agent.agent.log import read_last
from remote_agent.agent.places import RunFolder, known_run, run_folder
from remote_agent.agent.spec import parse_spec, spec_sha
from remote_agent.agent.supervise import supervise
from studio.schema.events import PROTO

START_WAIT_S = 60.0


def start(run_id: object, plain_spec: Any) -> dict[str, Any]:
    """Starts a run, or tells of the one there is: the same id with the same spec means the same run.

    Without a spec a run that was started before goes on, if its supervisor is gone and it has not ended.
    Raises ``RefusedError``: bad_run_id, bad_spec, spec_conflict, missing_inputs, no_such_run, busy, supervisor_failed.
    """
    run = known_run(run_id) if plain_spec is None else run_folder(run_id)
    run.files.mkdir(mode=0o700, parents=True, exist_ok=True)
    (run.work / "out").mkdir(mode=0o700, parents=True, exist_ok=True)
    held = lock(run.start_lock, START_WAIT_S)
    if held is None:
        raise RefusedError("busy")
    try:
        fresh = _settle(run, plain_spec)
        epoch = read_json(run.record)["epoch"]
        running = _ensure_supervisor(run)
    finally:
        os.close(held)
    return {"epoch": epoch, "fresh": fresh, **running}


def stop(run_id: object) -> dict[str, Any]:
    """Asks a run to end: its trainer gets SIGTERM, and SIGKILL after its grace. Also if its supervisor was killed."""
    run = known_run(run_id)
    write_atomic(run.stop, b"")
    pid = living(read_json(run.supervisor)) if is_locked(run.lock) else None
    if pid is not None:
        os.kill(pid, signal.SIGTERM)
        return {"running": True}
    return start(run_id, None)


def status(run_id: object) -> dict[str, Any]:
    """Whether a run exists, lives, has ended, and how far its log goes."""
    run = run_folder(run_id)
    if not run.exists:
        return {"exists": False}
    running = is_locked(run.lock)
    last = read_last(run)
    return {
        "exists": True,
        "epoch": read_json(run.record)["epoch"],
        "running": running,
        "finished": last.get("type") == "final",
        "seq": last.get("seq", 0),
        "attempt": last.get("att", 0),
        "now": time.time(),
        "free": free_bytes(run.path),
    }


def _settle(run: RunFolder, plain_spec: Any) -> bool:
    """Writes the record of a new run; whether it was new. Raises ``RefusedError`` if it stands for another spec."""
    if plain_spec is None:
        return False
    spec = parse_spec(plain_spec)
    record = read_json(run.record)
    if record is not None:
        if record["spec_sha"] != spec_sha(plain_spec):
            raise RefusedError("spec_conflict")
        return False
    missing = missing_blobs(spec.inputs.values())
    if missing:
        raise RefusedError("missing_inputs", missing=missing)
    place_inputs(run.work, spec.inputs)
    record = {
        "run": run.path.name,
        "epoch": os.urandom(16).hex(),
        "spec": plain_spec,
        "spec_sha": spec_sha(plain_spec),
        "proto": PROTO,
        "agent": own_sha(),
    }
    write_json(run.record, record)
    return True


def _ensure_supervisor(run: RunFolder) -> dict[str, bool]:
    if is_locked(run.lock):
        return {"running": True, "finished": False}
    if read_last(run).get("type") == "final":
        return {"running": False, "finished": True}
    if not detach(lambda ready: supervise(run, ready), run.agent_log):
        raise RefusedError("supervisor_failed", log=str(run.agent_log))
    return {"running": True, "finished": False}
