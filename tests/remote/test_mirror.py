"""Following a run: nothing lost, nothing twice, every file right, whatever is killed or cut."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest

from studio.remote.channel import LineLostError
from studio.remote.journal import EventReader, read_events
from studio.remote.machine import Machine
from studio.remote.mirror import Mirror, file_of
from studio.schema.errors import StudioError, UnfinishedError
from studio.schema.events import BANNER, dump_line

BUSY = """
    import json, os, random, signal, sys, time
    say = lambda **event: print(json.dumps(event))
    rng = random.Random(7)
    step = 0
    while not os.path.exists("enough"):
        step += 1
        say(type="metric", iter=step, values={"reward": rng.random()})
        if step % 20 == 0:
            kind, name = ("clip", "c.npz") if step % 100 else ("ckpt", "s.onnx")
            with open("out/" + name, "wb") as stream:
                stream.write(rng.randbytes(rng.randrange(1000, 250000)))
            say(type=kind, path="out/" + name, iter=step)
        time.sleep(0.008)
"""


@pytest.fixture
def quick(monkeypatch):
    """Broken lines are tried again at once."""
    monkeypatch.setattr("studio.remote.mirror.PAUSE_S", 0.01)
    monkeypatch.setattr("studio.remote.mirror.LONGEST_PAUSE_S", 0.05)


def sha_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def assert_same(folder: Path, bench, name: str = "r") -> list[dict]:
    events = list(read_events(folder))
    assert events == bench.events(name)
    files = [event for event in events if "sha" in event]
    assert files and all(sha_of(file_of(folder, event)) == event["sha"] for event in files)
    assert not list(folder.rglob("*.part"))
    return events


def fork_follower(bench, folder: Path, shown: Path) -> int:
    """A process that follows, and whose listener notes what it heard with the note as its only memory."""
    pid = os.fork()
    if pid:
        return pid
    try:
        handle = os.open(shown, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

        def listen(event: dict) -> None:
            right = "sha" not in event or sha_of(file_of(folder, event)) == event["sha"]
            os.write(handle, f"{event['seq']} {right}\n".encode())

        Mirror(bench.machine, "r", folder, listen, after=last_shown(shown)).follow()
    finally:
        os._exit(0)


def last_shown(shown: Path) -> int:
    return int(shown.read_text().splitlines()[-1].split()[0]) if shown.exists() and shown.stat().st_size else 0


def test_twenty_kills_lose_nothing_and_show_nothing_twice(bench, tmp_path, watch):
    folder, shown = tmp_path / "copy", tmp_path / "shown"
    rng = random.Random(20)
    bench.start(BUSY)
    grown = 0
    for _ in range(20):
        before = last_shown(shown)
        pid = fork_follower(bench, folder, shown)
        if rng.random() < 0.7:
            watch.wait_for(lambda start=before: last_shown(shown) > start)
        time.sleep(rng.uniform(0.0, 0.25))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        grown += last_shown(shown) > before
    assert grown >= 10, "the kills have to come while something is happening"
    (bench.run() / "work" / "enough").touch()
    bench.wait_final()
    os.waitpid(fork_follower(bench, folder, shown), 0)
    events = assert_same(folder, bench)
    assert shown.read_text().splitlines() == [f"{event['seq']} True" for event in events]


class CuttingChannel:
    """This computer over a line that breaks after a seeded number of bytes."""

    name = "a machine far away"

    def __init__(self, inner, seed: int, cuts: int) -> None:
        self._inner, self._rng, self.left = inner, random.Random(seed), cuts

    def open(self, verb: str, nonce: str):
        if verb not in ("tail", "get") or self.left == 0:
            return self._inner.open(verb, nonce)
        self.left -= 1
        return CuttingExec(self._inner.open(verb, nonce), int(10 ** self._rng.uniform(1.5, 5.5)))


class CuttingExec:
    def __init__(self, inner, budget: int) -> None:
        self._inner, self._budget = inner, budget
        self.send, self.end_input, self.close = inner.send, inner.end_input, inner.close

    def receive(self, limit: int, timeout_s: float) -> bytes:
        if self._budget <= 0:
            raise LineLostError("cut")
        data = self._inner.receive(min(limit, self._budget), timeout_s)
        self._budget -= len(data)
        return data


def test_a_line_cut_at_any_byte_loses_nothing(bench, tmp_path, quick):
    bench.start(BUSY)
    time.sleep(1.0)
    (bench.run() / "work" / "enough").touch()
    bench.wait_final()
    channel = CuttingChannel(bench.machine._channel, 3, 12)
    heard, line = [], []
    final = Mirror(Machine(channel), "r", tmp_path / "copy", heard.append, on_line=line.append).follow()
    assert channel.left == 0
    assert heard == assert_same(tmp_path / "copy", bench)
    assert final is not None and final == heard[-1] and final["type"] == "final"
    assert line[:2] == ["up", "lost"] and line.count("up") > 2


def test_a_mirror_brings_a_killed_supervisor_back(bench, tmp_path, watch):
    bench.start(BUSY)
    killed = []

    def listen(event: dict) -> None:
        if event.get("iter") == 30 and not killed:
            killed.append(bench.pid("pid.json"))
            os.kill(killed[0], signal.SIGKILL)
        if event.get("iter") == 150:
            (bench.run() / "work" / "enough").touch()

    final = Mirror(bench.machine, "r", tmp_path / "copy", listen).follow()
    assert killed and final is not None and final["status"] == "done"
    steps = [event["iter"] for event in assert_same(tmp_path / "copy", bench) if event["type"] == "metric"]
    assert steps == list(range(1, len(steps) + 1))


def test_stop_and_a_failing_listener_lose_nothing(bench, tmp_path):
    bench.start("import json\nfor i in range(9): print(json.dumps(dict(type='metric', iter=i)))")
    bench.wait_final()
    heard: list[int] = []

    def listen(event: dict) -> None:
        if event["seq"] == 4 and heard.count(4) == 0:
            heard.append(4)
            raise RuntimeError("the window closed")
        heard.append(event["seq"])

    mirror = Mirror(bench.machine, "r", tmp_path / "copy", listen)
    with pytest.raises(RuntimeError, match="the window closed"):
        mirror.follow()
    assert mirror.follow(lambda: len(heard) >= 7) is None
    assert mirror.follow() == bench.events()[-1]
    assert heard == [1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11]
    assert mirror.follow() == bench.events()[-1] and len(heard) == 12, "all is here: the machine is not even asked"
    again: list[dict] = []
    Mirror(bench.machine, "r", tmp_path / "copy", again.append, after=0).follow()
    assert again == bench.events(), "a listener without memory gets the whole story from this computer"
    assert bench.machine._call("ack", "Asking", {"run": "r", "seq": 0})["seq"] == 11


def test_a_torn_journal_is_mended(bench, tmp_path):
    bench.start("import json\nfor i in range(9): print(json.dumps(dict(type='metric', iter=i)))")
    bench.wait_final()
    folder = tmp_path / "copy"
    Mirror(bench.machine, "r", folder).follow()
    whole = (folder / "events.jsonl").read_bytes()
    for cut in (len(whole) - 1, len(whole) // 2, 5):
        (folder / "events.jsonl").write_bytes(whole[:cut])
        Mirror(bench.machine, "r", folder).follow()
        assert (folder / "events.jsonl").read_bytes() == whole
    (folder / "events.jsonl").write_bytes(whole[: len(whole) // 2] + b'{"seq":1,"att":1,"type":"x"}\n')
    Mirror(bench.machine, "r", folder).follow()
    assert (folder / "events.jsonl").read_bytes() == whole


def test_a_reader_hears_each_event_once_as_it_comes(tmp_path):
    reader = EventReader(tmp_path)
    assert list(reader.more()) == []
    whole = [dump_line(event(i)["e"]) for i in range(1, 4)]
    path = tmp_path / "events.jsonl"
    path.write_bytes(whole[0] + whole[1][:9])
    assert [item["seq"] for item in reader.more()] == [1]
    path.write_bytes(whole[0])
    assert list(reader.more()) == []
    path.write_bytes(b"".join(whole))
    assert [item["seq"] for item in reader.more()] == [2, 3]
    assert list(reader.more()) == []


def test_one_follower_per_folder(bench, tmp_path):
    bench.start("pass")
    bench.wait_final()
    problems = []

    def listen(event: dict) -> None:
        try:
            Mirror(bench.machine, "r", tmp_path / "copy").follow()
        except StudioError as problem:
            problems.append(str(problem))

    Mirror(bench.machine, "r", tmp_path / "copy", listen).follow()
    assert len(problems) == 2 and "already being written" in problems[0]
    with pytest.raises(StudioError, match="belongs to the run r"):
        Mirror(bench.machine, "other", tmp_path / "copy").follow()


EPOCH = "e" * 32
HELLO = {"k": "hello", "proto": 1, "run": "r", "epoch": EPOCH}
END = {"k": "eof", "seq": 2, "finished": True, "running": False}
FINAL = {"k": "ev", "e": {"seq": 2, "att": 1, "type": "final", "status": "done"}}


def event(seq: int = 1, **fields) -> dict:
    return {"k": "ev", "e": {"seq": seq, "att": 1, "type": "metric", **fields}}


class ScriptedExec:
    """Says what it was given, then ends; or, if ``silent``, says no more."""

    def __init__(self, data: bytes, silent: bool = False) -> None:
        self._data, self._silent, self.sent = data, silent, b""
        self._closed = threading.Event()

    def send(self, data: bytes) -> None:
        self.sent += data

    def end_input(self) -> None:
        pass

    def close(self) -> None:
        self._closed.set()

    def receive(self, limit: int, timeout_s: float) -> bytes:
        if not self._data and self._silent:
            self._closed.wait(timeout_s)
            raise LineLostError("silence")
        data, self._data = self._data[:limit], self._data[limit:]
        return data


class ScriptedChannel:
    """A machine that answers from a list per verb; the last answer is given again and again."""

    name = "a stranger"

    def __init__(self, noise: bytes = b"", **answers: list) -> None:
        self._answers, self._noise, self.opened = answers, noise, []

    def open(self, verb: str, nonce: str) -> ScriptedExec:
        queue = self._answers[verb]
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        silent = isinstance(answer, list) and answer[-1] is None
        if isinstance(answer, list):
            answer = b"".join(
                dump_line(line) if isinstance(line, dict) else line for line in answer if line is not None
            )
        made = ScriptedExec(self._noise + f"{BANNER}{nonce}\n".encode() + answer, silent)
        self.opened.append((verb, made))
        return made

    def orders(self, verb: str) -> list[dict]:
        return [json.loads(made.sent.splitlines()[0]) for said, made in self.opened if said == verb]


def follow(channel, folder: Path, **settings):
    heard: list[dict] = []
    Mirror(Machine(channel), "r", folder, heard.append, **settings).follow()
    return heard


@pytest.mark.parametrize(
    "lines",
    [
        [event(2)],
        [event(1), event(3)],
        [event(1), event(1, att=0)],
        [event(True)],
        [{"k": "ev", "e": {"seq": "1", "att": 1, "type": "metric"}}],
        [event(1, type=None)],
        [event(1, type="clip", sha="../../x", size=1, name="a.npz")],
        [event(1, type="clip", sha="a" * 64, size=-1, name="a.npz")],
        [event(1, type="clip", sha="a" * 64, size=1 << 40, name="a.npz")],
        [event(1, type="clip", sha="a" * 64, size=1, name="../a.npz")],
        [event(1, type="ckpt", sha="a" * 64, size=1, name="model.pt")],
        [b'{"k":"ev","e":{"seq":1,"seq":1,"att":1,"type":"metric"}}\n'],
        [b'{"k":"ev","e":{"seq":1,"att":1,"type":"metric","v":NaN}}\n'],
        [b'{"k":"ev","e":{"seq":1,"att":1,"type":"metric","v":1e999}}\n'],
        [b'{"k":"ev","e":{"seq":1,"att":1,"type":"metric","v":' + b"9" * 5000 + b"}}\n"],
        [b"[" * 60000 + b"\n"],
        [b"\xff\xfe\n"],
        [b"x" * 200000],
        [b'{"k":"ev","e":{"seq":1,"att":1,"type":"log","text":"' + "é".encode() * 30000 + b'"}}\n'],
    ],
)  # fmt: skip
def test_nonsense_is_refused_and_never_shown(tmp_path, quick, lines):
    channel = ScriptedChannel(tail=[[HELLO, *lines]])
    heard: list[dict] = []
    with pytest.raises(StudioError, match="makes no sense"):
        Mirror(Machine(channel), "r", tmp_path, heard.append).follow()
    assert all(item["type"] in ("metric", "final") and item["seq"] <= 2 for item in heard)
    assert [item["seq"] for item in heard] == sorted({item["seq"] for item in heard})


def test_unknown_events_are_kept_and_duplicates_dropped(tmp_path, quick):
    odd = event(1, type="weather", rain=True)
    lines = [HELLO, odd, odd, FINAL, FINAL, event(3), {"k": "news"}, END]
    channel = ScriptedChannel(b"Welcome!\n{}\n", tail=[lines])
    heard = follow(channel, tmp_path)
    assert heard == [odd["e"], FINAL["e"]] == list(read_events(tmp_path))


def test_a_replaced_machine_is_refused(tmp_path, quick):
    first = ScriptedChannel(tail=[[HELLO, event(1), None]])
    Mirror(Machine(first), "r", tmp_path).follow(lambda: len(list(read_events(tmp_path))) == 1)
    with pytest.raises(StudioError, match="not the one that was followed"):
        follow(ScriptedChannel(tail=[[{**HELLO, "epoch": "f" * 32}, event(2), END]]), tmp_path)
    with pytest.raises(StudioError, match="not the one that was followed"):
        follow(ScriptedChannel(tail=[[HELLO, {"k": "reset", "seq": 0}]]), tmp_path)
    assert len(list(read_events(tmp_path))) == 1


def test_a_silent_line_is_given_up_and_tried_again(tmp_path, quick):
    channel = ScriptedChannel(tail=[[HELLO, None], [HELLO, event(1), None], [HELLO, FINAL, END]])
    began = time.monotonic()
    heard = follow(channel, tmp_path, dead_s=0.2)
    assert [item["seq"] for item in heard] == [1, 2]
    assert time.monotonic() - began < 5
    assert [order["from"] for order in channel.orders("tail")] == [0, 0, 1]


def test_a_file_goes_on_where_it_was_cut_and_wrong_bytes_are_dropped(tmp_path, quick):
    good = b"0123456789" * 100
    sha = hashlib.sha256(good).hexdigest()
    clip = event(1, type="clip", sha=sha, size=1000, name="c.npz")
    head = {"ok": True, "size": 1000}
    channel = ScriptedChannel(
        tail=[[HELLO, clip, FINAL, END], [HELLO, FINAL, END]],
        get=[
            [{**head, "off": 0}, b"0123"],
            [{**head, "off": 4}, b"x" * 996],
            [{**head, "off": 0}, good],
        ],
    )
    heard = follow(channel, tmp_path)
    assert [order["off"] for order in channel.orders("get")] == [0, 4, 0]
    assert [item["seq"] for item in heard] == [1, 2]
    assert file_of(tmp_path, clip["e"]).read_bytes() == good
    assert [path.name for path in (tmp_path / "clips").iterdir()] == [f"{sha}.npz"]


@pytest.mark.parametrize("where", ["studio.remote.fetch._append", "studio.remote.journal.Journal.bind"])
def test_a_full_disk_here_lets_the_run_wait(tmp_path, quick, monkeypatch, where):
    clip = event(1, type="clip", sha=hashlib.sha256(b"abc").hexdigest(), size=3, name="c.npz")
    channel = ScriptedChannel(tail=[[HELLO, clip, FINAL, END]], get=[[{"ok": True, "size": 3, "off": 0}, b"abc"]])

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(where, full)
        with pytest.raises(UnfinishedError, match="nothing is lost"):
            follow(channel, tmp_path)
    assert [item["seq"] for item in follow(channel, tmp_path)] == [1, 2]
    assert file_of(tmp_path, clip["e"]).read_bytes() == b"abc"


def test_a_file_that_never_fits_its_hash_is_refused(tmp_path, quick):
    clip = event(1, type="clip", sha="a" * 64, size=3, name="c.npz")
    channel = ScriptedChannel(tail=[[HELLO, clip, None]], get=[[{"ok": True, "size": 3, "off": 0}, b"bad"]])
    with pytest.raises(StudioError, match="do not fit its hash"):
        follow(channel, tmp_path, dead_s=1.0)
    assert not list((tmp_path / "clips").iterdir())


def test_a_file_the_machine_no_longer_keeps_holds_nothing_up(tmp_path, quick):
    clip = event(1, type="clip", sha="a" * 64, size=3, name="c.npz")
    channel = ScriptedChannel(tail=[[HELLO, clip, FINAL, END]], get=[[{"ok": False, "error": "gone"}]])
    assert [item["seq"] for item in follow(channel, tmp_path)] == [1, 2]
    assert not file_of(tmp_path, clip["e"]).exists()


def test_an_unknown_run_and_a_newer_agent_are_told_plainly(tmp_path, quick):
    with pytest.raises(StudioError, match="no such run"):
        follow(ScriptedChannel(tail=[[{"ok": False, "error": "no_such_run"}]]), tmp_path)
    with pytest.raises(StudioError, match="speaks wire 7"):
        follow(ScriptedChannel(tail=[[{**HELLO, "proto": 7}]]), tmp_path)


def test_a_supervisor_that_dies_again_and_again_is_told(tmp_path, quick):
    lost = {**END, "finished": False}
    answer = {"ok": True, "epoch": EPOCH, "fresh": False, "running": True, "finished": False}
    channel = ScriptedChannel(tail=[[HELLO, lost]], start=[[answer]])
    with pytest.raises(StudioError, match="does not go on"):
        follow(channel, tmp_path)
    assert len(channel.orders("start")) == 5


class HungUpChannel(ScriptedChannel):
    """Whose verbs take their order and then no more: they said all at once and hung up."""

    def open(self, verb: str, nonce: str) -> ScriptedExec:
        made = super().open(verb, nonce)

        def send(data: bytes) -> None:
            if made.sent:
                raise LineLostError("Socket is closed")
            made.sent = data

        made.send = send
        return made


def test_a_log_that_hung_up_before_it_was_thanked_is_resumed(tmp_path, quick):
    lost, final = {**END, "finished": False}, event(2, type="final", status="done")
    answer = {"ok": True, "epoch": EPOCH, "fresh": False, "running": True, "finished": False}
    channel = HungUpChannel(tail=[[HELLO, event(), lost], [HELLO, final, END]], start=[[answer]])
    assert [found["seq"] for found in follow(channel, tmp_path)] == [1, 2]
    assert [said for said, _ in channel.opened] == ["tail", "start", "tail"]
