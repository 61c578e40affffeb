"""Starting a teacher's training on a machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from studio.remote.machine import Machine, Started
from studio.remote.pack import package_parent
from studio.schema.codec import to_plain
from studio.schema.training import TeacherSpec

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
GRACE_S = 30.0


def start_teacher(
    machine: Machine,
    run_id: str,
    spec: TeacherSpec,
    table_path: Path,
    body_path: Path,
    *,
    python: str = sys.executable,
    hours: float = 12.0,
    disk_bytes: int = 8 << 30,
    idle_s: float = 900.0,
    nice: int = 5,
) -> Started:
    """Sends table.npz and body.json, and starts the teacher beside them with spec.json.

    ``python`` is the machine's interpreter that has Padwork installed; on this computer the one that runs. It ends by
    itself after ``hours``, beyond ``disk_bytes``, or after ``idle_s`` without a word. Raises ``StudioError``.
    """
    plain = json.dumps(to_plain(spec), sort_keys=True, indent=1).encode()
    order = {
        "cmd": [python, "-m", "remote_agent.train.teacher", "."],
        "env": teacher_environment(),
        "cap_s": hours * 3600.0,
        "idle_s": idle_s,
        "grace_s": GRACE_S,
        "disk_cap": disk_bytes,
        "nice": nice,
    }
    return machine.start(run_id, order, {"spec.json": plain, "table.npz": table_path, "body.json": body_path})


def teacher_environment() -> dict[str, str]:
    """What the trainer's process needs around it: its packages, one thread per library, no picture.

    The work folder is kept off the module path, so that no file in it can pass for a module.
    """
    return {
        **dict.fromkeys(THREADS, "1"),
        "PYTHONPATH": str(package_parent("remote_agent")),
        "PYTHONSAFEPATH": "1",
        "MUJOCO_GL": "disable",
    }
