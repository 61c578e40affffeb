"""The line itself: cut, dead, shared, made anew; what was sent half arrives whole, and nothing is left behind."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import pytest
from remote.proxy import Proxy
from remote.sshd import Sshd

from studio.remote.channel import LineLostError, UnreachableError
from studio.remote.machine import Machine
from studio.remote.mirror import Mirror
from studio.remote.ssh import links
from studio.remote.ssh.channel import SshChannel
from studio.remote.ssh.pins import HostKey
from studio.schema.errors import StudioError

QUICK_S = 1.0


@pytest.fixture
def far(sshd: Sshd, proxy: Proxy, pins):
    """The machine behind the line that can be cut, which is given up after a second."""
    kind, data = Path(f"{sshd.host_keys['ed25519']}.pub").read_text().split()[:2]
    pins.accept(HostKey(f"127.0.0.1:{proxy.port}", kind, data))
    machine = Machine(SshChannel(sshd.spec("far", port=proxy.port), pins, dead_s=QUICK_S))
    yield machine
    machine.close()


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def settled(count, expected: int, within_s: float = 5.0) -> int:
    until = time.monotonic() + within_s
    while count() > expected and time.monotonic() < until:
        time.sleep(0.02)
    return count()


def test_a_large_upload_that_is_cut_goes_on_where_it_broke(far, proxy, sshd, tmp_path):
    content = tmp_path / "large.npz"
    content.write_bytes(random.Random(4).randbytes(12 << 20))
    far.hello()
    before, parts = proxy.passed, list[int]()
    cas = sshd.home / ".padwork" / "cas"

    def cut() -> None:
        parts.append(next((path.stat().st_size for path in cas.glob("*.part")), 0))
        proxy.reset()

    proxy.after(3 << 20, lambda: (cut(), proxy.after(4 << 20, lambda: (cut(), proxy.finish()))))
    started = far.start("up", {"cmd": ["/bin/true"]}, {"large.npz": content})
    assert started.fresh and len(parts) == 2
    assert (sshd.home / ".padwork" / "runs" / "up" / "work" / "large.npz").read_bytes() == content.read_bytes()
    sent = proxy.passed - before
    assert sent < 1.35 * content.stat().st_size, f"{sent >> 20} MB for 12: it began anew"
    assert not list(cas.glob("*.part"))


def test_a_dead_line_is_noticed_by_whoever_waits(far, proxy, sshd, tmp_path):
    far.start("quiet", {"cmd": ["/bin/sleep", "60"]})
    process, lines = far.open_tail("quiet", 0, True, 0.2, 30.0)
    for _ in range(2):
        lines.line(70000)
    proxy.swallow()
    began = time.monotonic()
    with pytest.raises(LineLostError):
        while True:
            lines.line(70000)
    assert time.monotonic() - began < 3 * QUICK_S, "long before the reader's own patience"
    process.close()
    assert time.monotonic() - began < 4 * QUICK_S
    proxy.swallow(False)
    assert far.status("quiet").running, "the next verb makes a new line"
    far.stop("quiet")


@pytest.mark.parametrize("moment", ["open", "send", "ask"])
def test_nobody_blocks_on_a_dead_line(far, proxy, moment):
    far.hello()
    process, _ = far.open("put", {"sha": "a" * 64}, 5.0)
    proxy.swallow()
    began = time.monotonic()
    with pytest.raises((LineLostError, StudioError)):
        if moment == "open":
            far.open("hello", {}, 30.0)
        elif moment == "send":
            while True:
                process.send(bytes(1 << 20))
        else:
            far._call_once("hello", "Asking", {}, None)
    # A new line is tried too where the old one is found dead, and the proxy lets it hang.
    assert time.monotonic() - began < 20.0
    process.close()


def test_a_line_is_alive_while_the_machine_thinks(far, sshd):
    far.hello()
    link, session = far._channel._links.session()
    session.exec_command(f"sleep {1.6 * QUICK_S}; echo done")
    session.settimeout(10)
    assert session.recv(10) == b"done\n"
    session.close()
    far._channel._links.give_back(link)
    assert link.alive


def test_a_computer_that_slept_asks_first_and_then_gives_up(far, proxy, monkeypatch):
    monkeypatch.setattr(links, "WAKE_S", 0.3)
    monkeypatch.setattr(links, "WATCH_S", 0.1)
    monkeypatch.setattr(links, "PULSE_S", 0.1)
    channel = SshChannel(far._channel._spec, far._channel._pins, dead_s=60.0)
    link, session = channel._links.session()
    link._woke = time.monotonic()
    time.sleep(0.8)
    assert link.alive, "a sign of life came"
    proxy.swallow()
    link._woke = time.monotonic()
    link.line.join(5.0)
    assert not link.alive
    session.close()
    channel.close()


def test_verbs_share_a_line_and_a_third_gets_its_own(far, proxy, sshd):
    far.start("r", {"cmd": ["/bin/sleep", "30"]})
    before = proxy.accepted
    held = [far.open_tail("r", 0, True, 1.0, 5.0)[0] for _ in range(2)]
    assert proxy.accepted == before
    assert far.status("r").running
    assert proxy.accepted == before + 1
    far.stop("r")
    for process in held:
        process.close()
    assert far.status("r").exists


def test_a_server_that_allows_one_session_at_a_time(pins, tmp_path):
    server = Sshd(tmp_path / "narrow", extra="MaxSessions 1")
    server.accept_into(pins)
    machine = Machine(SshChannel(server.spec(), pins))
    try:
        machine.start("r", {"cmd": ["/bin/sleep", "30"]})
        tail, _ = machine.open_tail("r", 0, True, 1.0, 5.0)
        assert machine.status("r").running
        machine.stop("r")
        tail.close()
    finally:
        machine.close()
        server.stop()


def test_a_server_that_allows_no_session(pins, tmp_path):
    server = Sshd(tmp_path / "closed", extra="MaxSessions 0")
    server.accept_into(pins)
    try:
        with pytest.raises(StudioError, match="runs no commands"):
            Machine(SshChannel(server.spec(), pins)).hello()
    finally:
        server.stop()


def test_twenty_lines_leave_nothing_behind(far, proxy, sshd):
    far.hello()
    far.close()
    settled(threading.active_count, 0, 1.0)
    threads, files = threading.active_count(), open_files()
    for number in range(20):
        process, _ = far.open("hello", {}, 5.0)
        (proxy.reset if number % 2 else proxy.finish)()
        with pytest.raises(LineLostError):
            while True:
                process.receive(100, 5.0)
        process.close()
    far.close()
    assert settled(threading.active_count, threads) <= threads
    assert settled(open_files, files) <= files
    assert settled(lambda: len(sshd.session_pids()), 0) == 0


def test_an_unused_line_is_given_back(far, sshd, monkeypatch):
    monkeypatch.setattr(links, "IDLE_S", 0.2)
    far.hello()
    assert settled(lambda: len(sshd.session_pids()), 0) == 0
    assert far.hello()["ok"]


def test_a_machine_that_is_off_is_told_at_once(far, sshd):
    sshd.stop()
    began = time.monotonic()
    with pytest.raises(UnreachableError, match="cannot be reached"):
        far.hello()
    assert time.monotonic() - began < 2.0
    sshd.start()
    assert far.hello()["ok"]


def test_a_mirror_outlasts_a_machine_that_is_off(far, sshd, tmp_path, monkeypatch):
    monkeypatch.setattr("studio.remote.mirror.LONGEST_PAUSE_S", 0.2)
    far.start("r", {"cmd": ["/bin/sh", "-c", 'sleep 1.5; echo \'{"type":"log","text":"hi"}\'']})
    heard, line = [], []

    def listen(event: dict) -> None:
        heard.append(event["type"])
        if event["type"] == "started":
            sshd.stop()
            threading.Timer(0.6, sshd.start).start()

    final = Mirror(far, "r", tmp_path / "copy", listen, on_line=line.append).follow()
    assert final is not None and final["status"] == "done" and heard == ["started", "log", "final"]
    assert line == ["up", "lost", "up"]
