"""A real, tiny training over a real SSH line: what is sent, what comes back, and how it is stopped."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from studio.remote.bundle import bundle_sha
from studio.remote.check import check
from studio.remote.machine import Machine
from studio.remote.mirror import Mirror, file_of
from studio.remote.ssh.channel import SshChannel
from studio.remote.teacher_run import start_teacher
from studio.schema.codec import unpack
from studio.schema.training import Clip, TeacherSpec
from tests.factories import write_order

TINY = {"iterations": 3, "envs": 2, "steps": 4, "minibatches": 1, "hidden": [8], "clip_every": 1, "snapshot_every": 1}


@pytest.fixture
def machine(sshd, pins):
    sshd.accept_into(pins)
    made = Machine(SshChannel(sshd.spec(), pins))
    yield made
    made.close()


@pytest.fixture(scope="module")
def order(tmp_path_factory) -> Path:
    return write_order(tmp_path_factory.mktemp("order"), **TINY)


def ordered(order: Path, **settings: object) -> tuple[TeacherSpec, Path, Path]:
    sha = hashlib.sha256((order / "table.npz").read_bytes()).hexdigest()
    spec = TeacherSpec("raise-l", "quick", 1, sha, {**TINY, **settings})
    return spec, order / "table.npz", order / "body.json"


def blobs(sshd) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (sshd.home / ".padwork" / "cas").iterdir()}


def test_a_training_over_ssh_comes_back_whole_the_next_sends_nothing_again_and_stop_keeps_what_was_learned(
    machine, sshd, order, tmp_path
):
    started = start_teacher(machine, "raise-1", *ordered(order))
    assert started.fresh and bundle_sha() in blobs(sshd)
    heard: list[dict] = []
    final = Mirror(machine, "raise-1", tmp_path / "r1", heard.append).follow()
    assert final is not None and final["status"] == "done", [e for e in heard if e["type"] == "log"]
    assert [event["seq"] for event in heard] == list(range(1, len(heard) + 1))
    there = (sshd.home / ".padwork" / "runs" / "raise-1" / "events.jsonl").read_bytes()
    assert [json.loads(line) for line in there.splitlines()] == heard
    clips = [event for event in heard if event["type"] == "clip"]
    assert [event["iter"] for event in clips] == [0, 1, 2, 3]
    for event in heard:
        if event["type"] in ("clip", "ckpt"):
            content = file_of(tmp_path / "r1", event).read_bytes()
            assert hashlib.sha256(content).hexdigest() == event["sha"]
    with np.load(io.BytesIO(file_of(tmp_path / "r1", clips[-1]).read_bytes())) as arrays:
        clip = unpack(Clip, dict(arrays), "clip")
    assert clip.iteration == 3 and len(clip.qpos) == len(clip.reference)
    before = blobs(sshd)
    spec = ordered(order, iterations=5000, clip_every=5000, snapshot_every=5000)
    assert start_teacher(machine, "raise-2", *spec).fresh
    after = blobs(sshd)
    assert before.items() <= after.items() and len(after) == len(before) + 1, "only the other order was sent"
    assert_stop_keeps_what_was_learned(machine, "raise-2", tmp_path / "r2")


def assert_stop_keeps_what_was_learned(machine: Machine, run: str, folder: Path) -> None:
    heard: list[dict] = []

    def hear(event: dict) -> None:
        heard.append(event)
        if event["type"] == "progress" and not any(e["type"] == "stopping" for e in heard):
            machine.stop(run)

    final = Mirror(machine, run, folder, hear).follow()
    assert final is not None and final["status"] == "stopped"
    assert [event["iter"] for event in heard if event["type"] == "clip"] == [0]
    snapshot = next(event for event in heard if event["type"] == "ckpt")
    assert file_of(folder, snapshot).is_file() and 0 < snapshot["iter"] < 5000


def test_a_check_over_ssh_finds_what_trains_here(machine):
    found = check(machine)
    assert found.can_train and found.executable == sys.executable and not found.command
    assert found.cores > 0 and found.memory > 1 << 30 and found.free > 1 << 30
    assert 0 < found.round_trip_s < 1.0 and abs(found.clock_s) < 1.0
