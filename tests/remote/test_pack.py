"""The packed agent: the same bytes everywhere, and enough by itself."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import zipfile

from studio.remote.channel import place_agent
from studio.remote.pack import agent_sha, agent_zipapp

PRINT_SHA = "from studio.remote.pack import agent_sha; print(agent_sha())"


def test_two_processes_pack_the_same_bytes():
    told = {
        subprocess.run(
            [sys.executable, "-c", PRINT_SHA], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert told == {hashlib.sha256(agent_zipapp()).hexdigest()} == {agent_sha()}


def test_only_the_agent_and_the_wire_are_packed():
    with zipfile.ZipFile(io.BytesIO(agent_zipapp())) as archive:
        names = archive.namelist()
        assert names == sorted(names)
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        studio = {name for name in names if name.startswith("studio/")}
        assert studio == {"studio/__init__.py", "studio/schema/__init__.py", "studio/schema/events.py"}
        rest = {name for name in names if not name.startswith(("studio/", "remote_agent/agent/"))}
        assert rest == {"__main__.py", "remote_agent/__init__.py"}
        assert archive.read("studio/schema/__init__.py") == b""
    assert len(agent_zipapp()) < 200_000


def test_the_agent_is_placed_once_and_a_damaged_one_is_replaced(tmp_path):
    place = place_agent(tmp_path / "root")
    assert place.parent.name == agent_sha()
    before = place.stat()
    assert place_agent(tmp_path / "root").stat().st_mtime_ns == before.st_mtime_ns
    place.write_bytes(b"damaged")
    assert place_agent(tmp_path / "root").read_bytes() == agent_zipapp()
    assert [path.name for path in place.parent.iterdir()] == ["agent.pyz"]


def test_the_packed_agent_answers_without_the_installed_packages(tmp_path):
    place = place_agent(tmp_path)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(place), "dance", "0123456789abcdef"],
        input=b"{}\n",
        capture_output=True,
        check=False,
        env={},
    )
    assert done.returncode == 3
    assert done.stdout == b'PADWORK-BEGIN-0123456789abcdef\n{"ok":false,"proto":1,"error":"verb"}\n'
