"""Starting a training on a machine: the bundle, its inputs, and the caps it is held to there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.remote.bundle import NAME, bundle
from studio.remote.machine import Machine, Started
from studio.schema.codec import to_plain
from studio.schema.training import TeacherSpec

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
ENVIRONMENT = {**dict.fromkeys(THREADS, "1"), "PYTHONSAFEPATH": "1", "MUJOCO_GL": "disable"}
"""Around a trainer: one thread per library, no module of the work folder, no picture."""

GRACE_S = 30.0


@dataclass(frozen=True)
class Caps:
    """What ends a training by itself: ``hours`` in all, ``disk_bytes`` of its folder, ``idle_s`` without a word.

    ``nice``: by how much it gives way to others on the machine.
    """

    hours: float = 12.0
    disk_bytes: int = 8 << 30
    idle_s: float = 900.0
    nice: int = 5


def start_teacher(
    machine: Machine,
    run_id: str,
    spec: TeacherSpec,
    table_path: Path,
    body_path: Path,
    *,
    python: str = "",
    caps: Caps | None = None,
) -> Started:
    """Starts a teacher with spec.json, table.npz and body.json. Raises ``StudioError``."""
    plain = json.dumps(to_plain(spec), sort_keys=True, indent=1).encode()
    inputs = {"spec.json": plain, "table.npz": table_path, "body.json": body_path}
    return start_program(machine, run_id, "teacher", inputs, python=python, caps=caps)


def start_program(
    machine: Machine,
    run_id: str,
    program: str,
    inputs: Mapping[str, Path | bytes],
    *,
    python: str = "",
    caps: Caps | None = None,
) -> Started:
    """Sends the bundle and ``inputs`` by name, and starts one of the bundle's programs in the folder they lie in.

    What the machine has already is not sent again. ``python`` runs it there; empty: the interpreter that runs the
    agent, this computer being a machine like any other. Raises ``StudioError``.
    """
    held = caps or Caps()
    order = {
        "cmd": [python or machine.interpreter(), NAME, program, "."],
        "env": ENVIRONMENT,
        "cap_s": held.hours * 3600.0,
        "idle_s": held.idle_s,
        "grace_s": GRACE_S,
        "disk_cap": held.disk_bytes,
        "nice": held.nice,
    }
    return machine.start(run_id, order, {NAME: bundle(), **inputs})
