"""A run on a disk that is full: the trainer goes on, the log stays whole, the end is told."""

from __future__ import annotations

import ast
import errno
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote_agent.agent import files
from remote_agent.agent.intake import Intake
from remote_agent.agent.log import EventLog
from remote_agent.agent.places import RunFolder
from remote_agent.agent.spec import RunSpec


def run_in(folder: Path) -> RunFolder:
    run = RunFolder(folder)
    (run.work / "out").mkdir(parents=True)
    run.files.mkdir()
    return run


def mounted(place: Path) -> bool:
    """Whether a real small file system could be put there."""
    try:
        command = ["mount", "-t", "tmpfs", "-o", "size=3m", "none", str(place)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture(params=["real where it may be mounted", "simulated"])
def small_disk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A disk of three megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    real = request.param != "simulated" and mounted(place)
    if not real:
        monkeypatch.setattr(files, "write_all", _limited(place, 3 << 20))
    yield place
    if real:
        subprocess.run(["umount", str(place)], check=True)


def _limited(place: Path, room: int):
    write = files.write_all

    def write_all(handle: int, data: bytes) -> None:
        if files.used_bytes(place) + len(data) > room:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(handle, data)

    return write_all


def test_clips_that_find_no_room_are_skipped_and_said_so(small_disk):
    run = run_in(small_disk)
    log = EventLog(run)
    outside = [{"type": "metric", "iter": i} for i in range(40)]
    clips = 8
    for i in range(clips):
        (run.work / "out" / "c.npz").write_bytes(os.urandom(400000))
        with run.stdout(1).open("ab") as stream:
            for event in (*outside[5 * i : 5 * i + 5], {"type": "clip", "path": "out/c.npz", "iter": i}):
                stream.write(json.dumps(event).encode() + b"\n")
        intake = Intake(run, RunSpec(cmd=("x",)), log)
        intake.finish()
    log.emit("final", status="done", lost=log.lost)
    log.close()
    events = [json.loads(line) for line in run.events.read_bytes().splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    kinds = [event["type"] for event in events]
    assert kinds.count("metric") == 40 and kinds[-1] == "final" and events[-1]["lost"] == 0
    skipped = [event for event in events if event["type"] == "clip_skipped"]
    assert skipped and all(event["errno"] == errno.ENOSPC for event in skipped)
    assert kinds.count("clip") == len(list(run.files.iterdir())) == clips - len(skipped) > 2
    assert not list(run.path.rglob(f"{files.TEMPORARY}*"))


def test_the_runs_own_disk_cap_counts_too(tmp_path):
    run = run_in(tmp_path)
    log = EventLog(run)
    spec = RunSpec(cmd=("x",), disk_cap=2500)
    with run.stdout(1).open("ab") as stream:
        for i in range(4):
            (run.work / "out" / f"c{i}.npz").write_bytes(os.urandom(1000))
            stream.write(json.dumps({"type": "clip", "path": f"out/c{i}.npz"}).encode() + b"\n")
    Intake(run, spec, log).finish()
    log.close()
    kinds = [json.loads(line)["type"] for line in run.events.read_bytes().splitlines()]
    assert kinds == ["clip", "clip", "clip", "clip_skipped"]


def test_reading_goes_on_exactly_where_the_log_says(tmp_path):
    run = run_in(tmp_path)
    lines = [json.dumps({"type": "metric", "iter": i}).encode() + b"\n" for i in range(6)]
    lines.insert(3, b"words " * 30000 + b"\n")
    data = b"".join(lines)
    for end in range(0, len(data), 29989):
        run.stdout(1).write_bytes(data[: end + 1])
        log = EventLog(run)
        intake = Intake(run, RunSpec(cmd=("x",)), log)
        while intake.drain():
            pass
        log.close()
    run.stdout(1).write_bytes(data)
    log = EventLog(run)
    Intake(run, RunSpec(cmd=("x",)), log).finish()
    log.close()
    events = [json.loads(line) for line in run.events.read_bytes().splitlines()]
    assert [event.get("iter") for event in events] == [0, 1, 2, None, 3, 4, 5]
    assert events[3]["type"] == "oversize" and events[-1]["at"] == len(data)


def test_an_endless_last_line_is_told_too(tmp_path):
    run = run_in(tmp_path)
    run.stdout(1).write_bytes(b"x" * 70_000)
    log = EventLog(run)
    Intake(run, RunSpec(cmd=("x",)), log).finish()
    log.close()
    (event,) = [json.loads(line) for line in run.events.read_bytes().splitlines()]
    assert (event["type"], event["len"], event["at"]) == ("oversize", 70_000, 70_000)


def test_the_agent_needs_nothing_but_the_standard_library(tmp_path):
    program = """
        import importlib, pathlib, sys

        class Block:
            def find_spec(self, name, path=None, target=None):
                top = name.split(".")[0]
                if top not in sys.stdlib_module_names and top not in ("remote_agent", "studio"):
                    raise ImportError(f"{name} is not for the agent")

        sys.meta_path.insert(0, Block())
        import remote_agent.agent as agent
        for path in pathlib.Path(agent.__path__[0]).glob("*.py"):
            importlib.import_module(f"remote_agent.agent.{path.stem}")
        ours = {name for name in sys.modules if name.startswith("studio.")}
        assert ours == {"studio.schema", "studio.schema.events"}, ours
        assert "numpy" not in sys.modules
        print("alone")
    """
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, cwd=root, check=False
    )
    assert done.stdout.strip() == "alone", done.stderr


def test_the_agent_is_written_for_python_3_10():
    root = Path(__file__).resolve().parents[3]
    sources = [*(root / "remote_agent" / "agent").glob("*.py"), root / "studio" / "schema" / "events.py"]
    assert len(sources) > 10
    for path in sources:
        ast.parse(path.read_text(), feature_version=(3, 10))
