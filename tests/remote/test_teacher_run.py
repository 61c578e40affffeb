"""What a teacher's run is started with."""

from __future__ import annotations

import hashlib
import json

from studio.remote.teacher_run import Caps, start_teacher
from studio.schema.training import TeacherSpec


def test_a_teacher_gets_its_files_caps_and_packages(bench, tmp_path):
    table, body = tmp_path / "r2.npz", tmp_path / "fighter.json"
    table.write_bytes(b"table")
    body.write_bytes(b"{}")
    spec = TeacherSpec("leg-raise", "quick", 3, hashlib.sha256(b"table").hexdigest(), {"iterations": 2})
    # Stands where the interpreter would, to see what it is asked to run.
    witness = tmp_path / "python"
    witness.write_text(f'#!/bin/sh\necho "$@"\necho "$OPENBLAS_NUM_THREADS $PYTHONSAFEPATH"\nnice\nls {"*"}\n')
    witness.chmod(0o700)
    caps = Caps(hours=0.5, disk_bytes=1 << 20)
    started = start_teacher(bench.machine, "t", spec, table, body, python=str(witness), caps=caps)
    assert started.fresh
    assert bench.wait_final("t")["status"] == "done"
    text = (bench.run("t") / "train.log").read_text().splitlines()
    assert text[0] == "padwork.zip teacher ."
    assert text[1] == "1 1"
    assert {"body.json", "padwork.zip", "spec.json", "table.npz"} <= set(text[3:])
    order = json.loads((bench.run("t") / "run.json").read_bytes())["spec"]
    assert (order["cap_s"], order["disk_cap"], int(text[2]) >= 5) == (1800.0, 1 << 20, True)
    sent = json.loads((bench.run("t") / "work" / "spec.json").read_bytes())
    assert sent == {
        "technique": "leg-raise",
        "preset": "quick",
        "seed": 3,
        "table_sha256": spec.table_sha256,
        "settings": {"iterations": 2},
    }
    again = start_teacher(bench.machine, "t", spec, table, body, python=str(witness), caps=caps)
    assert again.finished and not again.fresh
