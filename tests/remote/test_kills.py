"""Twenty seeded faults in the middle of a run over SSH: no event is lost, and no clip is shown twice."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
from remote.proxy import Proxy
from remote.sshd import Sshd

from studio.remote.machine import Machine
from studio.remote.mirror import file_of
from studio.remote.ssh.channel import SshChannel
from studio.remote.ssh.pins import HostKey

FAULTS = 20
DEAD_S = 1.0
PROGRAM = Path(__file__).with_name("studio_process.py")

TRAINER = """
import json, os, random, time
say = lambda **event: print(json.dumps(event))
step = 0
while not os.path.exists("enough"):
    step += 1
    say(type="progress", iter=step, iters=100000)
    if step % 10 == 0:
        number = step // 10
        rng = random.Random(number)
        path = f"out/clip-{number}.npz"
        with open(path, "wb") as stream:
            stream.write(rng.randbytes(rng.randrange(1000, 120000)))
        say(type="clip", path=path, n=number, iter=step)
    time.sleep(0.01)
"""


def clip_sha(number: int) -> str:
    """Of what the trainer's clip of this number holds."""
    rng = random.Random(number)
    size = rng.randrange(1000, 120000)
    return hashlib.sha256(rng.randbytes(size)).hexdigest()


@dataclass(frozen=True)
class Fault:
    """``kind``: what is hit; ``how``: which way the line breaks; ``after_s``: from the first new event shown, or, where
    not ``settled``, from the fault before; ``amount``: bytes or seconds of it."""

    kind: str
    how: str
    settled: bool
    after_s: float
    amount: float


def draw(seed: int) -> Fault:
    rng = random.Random(seed)
    kind = rng.choice(("supervisor", "studio", "line"))
    how = rng.choice(("reset", "finish", "within", "swallow", "refuse"))
    return Fault(kind, how if kind == "line" else "kill", rng.random() < 0.75, rng.uniform(0.0, 0.2), rng.random())


class Scene:
    """A run on the machine, the studio that follows it, and the line between them."""

    def __init__(self, sshd: Sshd, proxy: Proxy, pins, folder: Path) -> None:
        self.root = sshd.home / ".padwork"
        self.run = self.root / "runs" / "r"
        self.copy, self.shown, self.said = folder / "copy", folder / "shown", folder / "said"
        self.proxy = proxy
        kind, data = Path(f"{sshd.host_keys['ed25519']}.pub").read_text().split()[:2]
        for port in (sshd.port, proxy.port):
            pins.accept(HostKey(f"127.0.0.1:{port}", kind, data))
        self._order = {
            "folder": str(self.copy),
            "shown": str(self.shown),
            "machine": asdict(sshd.spec("far", port=proxy.port)),
            "pins": str(pins._path),
            "run": "r",
            "dead_s": DEAD_S,
        }
        machine = Machine(SshChannel(sshd.spec(), pins))
        machine.start("r", {"cmd": [sys.executable, "-I", "-S", "-u", "trainer.py"]}, {"trainer.py": TRAINER.encode()})
        machine.close()
        self.studio = self.open_studio()

    def open_studio(self) -> subprocess.Popen[bytes]:
        with self.said.open("ab") as said:
            return subprocess.Popen([sys.executable, str(PROGRAM), json.dumps(self._order)], stderr=said)

    def lines(self) -> list[str]:
        return self.shown.read_text().splitlines() if self.shown.exists() else []

    def wait_for_more(self, than: int) -> float:
        """Until something new is shown; the seconds it took."""
        began = time.monotonic()
        while len(self.lines()) <= than:
            assert self.studio.poll() is None, self.said.read_text()
            assert time.monotonic() - began < 20.0, "nothing new is shown"
            time.sleep(0.02)
        return time.monotonic() - began

    def told(self) -> int:
        """Events in the machine's log."""
        return (self.run / "events.jsonl").read_bytes().count(b"\n")

    def hit(self, fault: Fault) -> None:
        """Do it, and start again what a person would start again: the studio. The rest is the studio's own task."""
        if fault.kind == "studio":
            self.studio.kill()
            self.studio.wait()
            self.studio = self.open_studio()
        elif fault.kind == "supervisor":
            self._kill_supervisor()
        else:
            self._break_line(fault)

    def _kill_supervisor(self) -> None:
        """The living one: after a fault that is not settled yet, the studio has to bring one back first."""
        until = time.monotonic() + 20.0
        while True:
            told = json.loads((self.run / "pid.json").read_bytes())
            try:
                if Path(f"/proc/{told['pid']}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                    return os.kill(told["pid"], signal.SIGKILL)
            except OSError:
                assert time.monotonic() < until, "no supervisor comes back"
            time.sleep(0.02)

    def _break_line(self, fault: Fault) -> None:
        if fault.how == "within":
            self.proxy.after(int(200000 * fault.amount), self.proxy.reset)
        elif fault.how == "swallow":
            self.proxy.swallow()
            time.sleep(0.5 + fault.amount)
            self.proxy.swallow(False)
        elif fault.how == "refuse":
            self.proxy.refuse()
            self.proxy.reset()
            time.sleep(fault.amount)
            self.proxy.refuse(False)
        else:
            (self.proxy.reset if fault.how == "reset" else self.proxy.finish)()


@pytest.fixture
def scene(sshd, proxy, pins, tmp_path):
    made = Scene(sshd, proxy, pins, tmp_path)
    yield made
    made.studio.kill()
    made.studio.wait()


def test_twenty_faults_lose_no_event_and_show_no_clip_twice(scene, watch):
    faults = [draw(seed) for seed in range(1, FAULTS + 1)]
    kinds = Counter(fault.kind for fault in faults)
    assert min(kinds[kind] for kind in ("supervisor", "studio", "line")) >= 4
    took: dict[str, list[float]] = {kind: [] for kind in kinds}
    scene.wait_for_more(0)
    for fault in faults:
        before = len(scene.lines())
        if fault.settled:
            scene.wait_for_more(before)
        time.sleep(fault.after_s)
        scene.hit(fault)
        if fault.settled:
            took[fault.kind].append(scene.wait_for_more(scene.told()))
    scene.wait_for_more(scene.told())
    (scene.run / "work" / "enough").touch()
    assert scene.studio.wait(20) == 0
    for kind, times in took.items():
        print(f"{kind}: {kinds[kind]} times, shown again after {' '.join(f'{s:.2f}' for s in sorted(times))} s")

    told = (scene.run / "events.jsonl").read_bytes()
    assert (scene.copy / "events.jsonl").read_bytes() == told
    events = [json.loads(line) for line in told.splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["type"] == "final" and events[-1]["status"] == "done"
    assert scene.lines() == [f"{event['seq']} {event['type']} True" for event in events], "each once, and in order"

    steps = [event["iter"] for event in events if event["type"] == "progress"]
    assert steps == list(range(1, len(steps) + 1)), "what the trainer said while nobody listened is there, and once"
    clips = [event for event in events if event["type"] == "clip"]
    assert [clip["n"] for clip in clips] == list(range(1, len(steps) // 10 + 1))
    for clip in clips:
        assert hashlib.sha256(file_of(scene.copy, clip).read_bytes()).hexdigest() == clip["sha"] == clip_sha(clip["n"])
    assert not list(scene.copy.rglob("*.part"))
    starts = [event for event in events if event["type"] == "started"]
    # One that is killed before it says anything is followed by another all the same.
    assert 1 + len(took["supervisor"]) <= len(starts) <= 1 + kinds["supervisor"]
    assert {event["att"] for event in events} == {1}, "the trainer itself never stopped"
    watch.wait_for(lambda: not _readers(scene.root), 10.0)


def _readers(root: Path) -> list[str]:
    """Verbs of the agent under this root that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes()
        except OSError:
            continue
        if f"{root}/agent/".encode() in line:
            found.append(line.decode(errors="replace"))
    return found
