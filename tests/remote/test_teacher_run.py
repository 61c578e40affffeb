"""What a teacher's run is started with."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

from studio.remote.teacher_run import start_teacher, teacher_environment
from studio.schema.training import TeacherSpec


def test_a_teacher_gets_its_files_caps_and_packages(bench, tmp_path):
    table, body = tmp_path / "r2.npz", tmp_path / "fighter.json"
    table.write_bytes(b"table")
    body.write_bytes(b"{}")
    spec = TeacherSpec("leg-raise", "quick", 3, hashlib.sha256(b"table").hexdigest(), {"iterations": 2})
    # Stands where the interpreter would, to see what it is asked to run.
    witness = tmp_path / "python"
    witness.write_text(f'#!/bin/sh\necho "$@"\necho "$OPENBLAS_NUM_THREADS $PYTHONPATH"\nnice\nls {"*"}\n')
    witness.chmod(0o700)
    started = start_teacher(bench.machine, "t", spec, table, body, python=str(witness), hours=0.5, disk_bytes=1 << 20)
    assert started.fresh
    assert bench.wait_final("t")["status"] == "done"
    text = (bench.run("t") / "train.log").read_text().splitlines()
    assert text[0] == "-m remote_agent.train.teacher ."
    assert text[1] == f"1 {teacher_environment()['PYTHONPATH']}"
    assert {"body.json", "spec.json", "table.npz"} <= set(text[3:])
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
    again = start_teacher(bench.machine, "t", spec, table, body, python=str(witness), hours=0.5, disk_bytes=1 << 20)
    assert again.finished and not again.fresh


def test_the_trainers_packages_are_found_from_any_folder(tmp_path):
    (tmp_path / "json.py").write_text("raise SystemExit('a file of the work folder passed for a module')")
    done = subprocess.run(
        [sys.executable, "-c", "import json, remote_agent.train, studio.schema.training; print('found')"],
        env=teacher_environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "found\n", done.stderr
