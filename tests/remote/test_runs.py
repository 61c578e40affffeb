"""Whole runs on this computer, through the packed agent."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from studio.remote.channel import LineLostError
from studio.remote.fetch import Fetcher
from studio.remote.machine import MAX_MESSAGE, Machine
from studio.schema.errors import StudioError

WORKER = """
    import json, os, signal, sys, time
    say = lambda **event: print(json.dumps(event))
    signal.signal(signal.SIGTERM, lambda *_: (say(type="log", text="asked to end"), sys.exit(0)))
    say(type="state", phase="train")
    step = 0
    while not os.path.exists("enough"):
        step += 1
        say(type="metric", iter=step, values={"reward": step / 7})
        time.sleep(0.01)
    say(type="progress", iter=step)
"""


def kinds(events):
    return [event["type"] for event in events]


def assert_gapless(events):
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert kinds(events).count("final") <= 1


def test_a_run_tells_its_story_and_stores_its_files(bench, watch):
    started = bench.start(
        """
        import json, os, sys
        say = lambda **event: print(json.dumps(event))
        print("words for the log")
        print("more words", file=sys.stderr)
        say(type="state", phase="train")
        say(type="metric", iter=1, values={"reward": 0.5, "loss": float("nan")})
        say(type="final", status="done")
        say(type="started", pid=1)
        say(type="metric", iter=2, seq=99, att=7, at=0, values={})
        open("out/first.npz", "wb").write(b"clip" * 1000)
        say(type="clip", path="out/first.npz", iter=2, caption="first")
        open("out/p.onnx", "wb").write(b"weights")
        say(type="ckpt", path=os.path.abspath("out/p.onnx"), iter=2)
        say(type="log", level="shout", text="x" * 9000)
        print(json.dumps({"type": "metric", "big": "y" * 70000}))
        print("z" * 200000)
        say(type="progress", iter=3)
        print("no newline at the end", end="")
        """
    )
    assert started.fresh and started.running
    final = bench.wait_final()
    events = bench.events()
    assert_gapless(events)
    assert kinds(events) == [
        *("started", "state", "metric", "metric", "clip", "ckpt", "log", "oversize", "oversize", "progress", "final")
    ]
    assert (final["status"], final["rc"], final["lost"], final["skipped"]) == ("done", 0, 0, 0)
    assert events[2]["values"] == {"reward": 0.5, "loss": None}
    clip, ckpt = events[4], events[5]
    assert (clip["name"], clip["caption"], clip["size"]) == ("first.npz", "first", 4000)
    for event in (clip, ckpt):
        stored = (bench.run() / "files" / event["sha"]).read_bytes()
        assert hashlib.sha256(stored).hexdigest() == event["sha"]
    assert final["last_ckpt"] == ckpt["sha"]
    assert (events[6]["level"], len(events[6]["text"])) == ("info", 4096)
    assert events[8]["len"] == 200000
    text = (bench.run() / "train.log").read_text()
    assert "words for the log" in text and "more words" in text and "no newline at the end" in text
    assert '"final"' in text, "a forged end is mere text"
    status = bench.machine.status("r")
    assert status.finished and not status.running and status.seq == len(events)
    assert not list(bench.root.rglob(".tmp-*"))
    watch.wait_for(lambda: watch.gone(bench.pid("pid.json")))


def test_inputs_arrive_by_name_and_only_once(bench, tmp_path):
    large = tmp_path / "large.npz"
    large.write_bytes(os.urandom(9 << 20))
    order = {"cmd": [sys.executable, "-I", "-S", "t.py"]}
    code = b"import hashlib; print(hashlib.sha256(open('table.npz', 'rb').read()).hexdigest())"
    bench.machine.start("a", order, {"t.py": code, "table.npz": large})
    assert bench.wait_final("a")["status"] == "done"
    digest = hashlib.sha256(large.read_bytes()).hexdigest()
    assert (bench.run("a") / "train.log").read_text().strip() == digest
    blob = bench.root / "cas" / digest
    before = blob.stat()
    bench.machine.start("b", order, {"t.py": code, "table.npz": large})
    assert bench.wait_final("b")["status"] == "done"
    assert (blob.stat().st_ino, blob.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert blob.stat().st_mode & 0o777 == 0o600
    assert bench.machine.collect() == 0, "both runs still name their inputs"


class Tearing:
    """This computer, where the line breaks while a large input is sent: after the given number of bytes each time."""

    name = "a machine far away"

    def __init__(self, inner, budgets) -> None:
        self._inner, self.budgets, self.sent = inner, budgets, 0

    def open(self, verb, nonce):
        process = self._inner.open(verb, nonce)
        whole, left = process.send, [self.budgets[0] if verb == "put" and self.budgets else 1 << 40]

        def send(data):
            if len(data) > left[0]:
                self.budgets.pop(0)
                raise LineLostError("cut")
            left[0] -= len(data)
            self.sent += len(data)
            whole(data)

        process.send = send
        return process


def test_an_upload_goes_on_where_the_line_broke(bench, tmp_path):
    large = tmp_path / "large.npz"
    large.write_bytes(os.urandom(12 << 20))
    channel = Tearing(bench.machine._channel, [3 << 20, 4 << 20])
    Machine(channel).start("a", {"cmd": ["/bin/true"]}, {"large.npz": large})
    assert bench.wait_final("a")["status"] == "done" and not channel.budgets
    assert (bench.run("a") / "work" / "large.npz").read_bytes() == large.read_bytes()
    assert channel.sent < 14 << 20, "what had arrived was not sent again"


def test_the_log_and_its_files_can_be_read_directly(bench, tmp_path):
    bench.start(
        """
        import json
        open("out/c.npz", "w").write("clip")
        print(json.dumps(dict(type="clip", path="out/c.npz")))
        """
    )
    bench.wait_final()
    process, lines = bench.machine.open_tail("r", 1, False, 5.0, 20.0)
    with closing(process):
        messages = [json.loads(line) for line in iter(lambda: lines.line(MAX_MESSAGE), b"")]
    assert [m["k"] for m in messages] == ["hello", "ev", "ev", "eof"]
    assert [m["e"] for m in messages if m["k"] == "ev"] == bench.events()[1:]
    clip = messages[1]["e"]
    with closing(Fetcher(bench.machine, "r")) as fetcher:
        assert fetcher.fetch(clip["sha"], tmp_path / "c.npz", clip["size"])
        assert (tmp_path / "c.npz").read_text() == "clip"
        assert not fetcher.fetch("0" * 64, tmp_path / "d.npz", 4)
        with pytest.raises(ValueError, match="hash that is none"):
            fetcher.fetch("../run.json", tmp_path / "e.npz", 4)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["c.npz"]


def test_a_killed_supervisor_takes_nothing_with_it(bench, watch):
    bench.start(WORKER)
    watch.wait_for(lambda: len(bench.events()) > 20)
    trainer = bench.pid("trainer.json")
    os.kill(bench.pid("pid.json"), signal.SIGKILL)
    watch.wait_for(lambda: not bench.machine.status("r").running)
    with (bench.run() / "events.jsonl").open("ab") as stream:
        stream.write(b'{"seq": 9999, "type": "torn')
    assert not watch.gone(trainer)
    again = bench.machine.resume("r")
    assert again.running and not again.fresh
    assert bench.pid("trainer.json") == trainer, "the trainer went on"
    (bench.run() / "work" / "enough").touch()
    final = bench.wait_final()
    events = bench.events()
    assert_gapless(events)
    steps = [event["iter"] for event in events if event["type"] == "metric"]
    assert steps == list(range(1, len(steps) + 1)), "what was said while nobody listened is there, and once"
    assert (final["status"], final["rc"]) == ("done", 0)
    assert [e["adopted"] for e in events if e["type"] == "started"] == [False, True]
    assert {event["att"] for event in events} == {1}


def test_an_end_that_nobody_saw_is_still_told(bench, watch):
    bench.start(WORKER + "    sys.exit(5)")
    watch.wait_for(lambda: len(bench.events()) > 5)
    trainer = bench.pid("trainer.json")
    os.kill(bench.pid("pid.json"), signal.SIGKILL)
    (bench.run() / "work" / "enough").touch()
    watch.wait_for(lambda: watch.gone(trainer))
    bench.machine.resume("r")
    final = bench.wait_final()
    assert (final["status"], final["rc"], final["att"]) == ("failed", 5, 1)
    assert_gapless(bench.events())


def test_a_lost_trainer_is_started_again_in_the_same_log(bench, watch):
    bench.start(
        """
        import json, os, time
        attempt = int(os.environ["PADWORK_ATTEMPT"])
        open("out/s.onnx", "wb").write(b"snapshot")
        if attempt == 1:
            print(json.dumps({"type": "ckpt", "path": "out/s.onnx"}))
            time.sleep(60)
        print(json.dumps({"type": "log", "text": open(os.environ["PADWORK_RESUME"]).read()}))
        """
    )
    watch.wait_for(lambda: "ckpt" in kinds(bench.events()))
    trainer = bench.pid("trainer.json")
    keeper = int(Path(f"/proc/{trainer}/stat").read_text().rsplit(")", 1)[1].split()[1])
    for pid in (bench.pid("pid.json"), keeper, trainer):
        os.kill(pid, signal.SIGKILL)
    watch.wait_for(lambda: watch.gone(trainer))
    bench.machine.resume("r")
    final = bench.wait_final()
    events = bench.events()
    assert_gapless(events)
    assert kinds(events) == ["started", "ckpt", "attempt_end", "started", "log", "final"]
    assert (final["status"], final["att"]) == ("done", 2)
    assert events[4]["text"] == "snapshot"


def test_stop_lets_the_trainer_end_cleanly(bench, watch):
    bench.start(WORKER)
    watch.wait_for(lambda: len(bench.events()) > 3)
    bench.machine.stop("r")
    assert bench.wait_final()["status"] == "stopped"
    assert kinds(bench.events())[-3:] in (["stopping", "log", "final"], ["metric", "log", "final"])
    bench.machine.stop("r")
    assert bench.machine.status("r").seq == len(bench.events()), "stopping twice adds nothing"


def test_stop_reaches_a_trainer_without_a_supervisor(bench, watch):
    bench.start(WORKER)
    watch.wait_for(lambda: len(bench.events()) > 3)
    os.kill(bench.pid("pid.json"), signal.SIGKILL)
    bench.machine.stop("r")
    assert bench.wait_final()["status"] == "stopped"
    assert watch.gone(bench.pid("trainer.json"))
    assert_gapless(bench.events())


def test_the_time_cap_ends_a_stubborn_trainer_and_its_children(bench, watch):
    bench.start(
        """
        import os, signal, subprocess, sys, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"])
        print(child.pid)
        time.sleep(60)
        """,
        cap_s=0.6,
        grace_s=0.3,
    )
    final = bench.wait_final(within_s=8)
    assert (final["status"], final["rc"]) == ("time_cap", -signal.SIGKILL)
    assert 0.6 < final["run_s"] < 5
    watch.wait_for(lambda: watch.gone(int((bench.run() / "train.log").read_text())))


def test_a_silent_trainer_is_ended(bench):
    bench.start("import time; time.sleep(60)", idle_s=0.5, grace_s=0.3)
    assert bench.wait_final(within_s=8)["status"] == "idle_cap"


def test_a_program_that_is_not_there(bench):
    bench.machine.start("r", {"cmd": ["/nowhere/python"]})
    final = bench.wait_final()
    assert (final["status"], final["rc"]) == ("failed", 127)
    assert "/nowhere/python" in final["error"]


def test_twelve_starts_at_once_make_one_supervisor(bench):
    answers, problems = [], []

    def start():
        try:
            answers.append(bench.start(WORKER))
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=start) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert sum(answer.fresh for answer in answers) == 1
    assert len({answer.epoch for answer in answers}) == 1
    (bench.run() / "work" / "enough").touch()
    bench.wait_final()
    assert kinds(bench.events()).count("started") == 1
    assert_gapless(bench.events())


def test_another_spec_under_the_same_name_is_refused(bench):
    bench.start("pass")
    bench.wait_final()
    ended = bench.start("pass")
    assert ended.finished and not ended.running and not ended.fresh
    with pytest.raises(StudioError, match="other settings"):
        bench.start("print(1)")


@pytest.mark.parametrize(
    "spec",
    [
        {"cmd": []},
        {"cmd": "rm -rf /"},
        {"cmd": ["x"], "cap_s": -1},
        {"cmd": ["x"], "shell": True},
        {"cmd": ["x"], "env": {"A=B": "c"}},
    ],
)
def test_a_wrong_spec_is_refused_and_leaves_no_run(bench, spec):
    with pytest.raises(StudioError, match="the order is wrong"):
        bench.machine.start("r", spec)
    assert not bench.machine.status("r").exists


def test_hostile_names_never_reach_the_disk(bench, tmp_path):
    for run in ("../up", "A", "a/b", "", "x" * 65, "$(id)"):
        with pytest.raises(StudioError, match="not usable"):
            bench.machine.status(run)
    with pytest.raises(StudioError, match="the order is wrong in inputs"):
        bench.machine.start("r", {"cmd": ["x"]}, {"../escape.py": b"1"})
    with pytest.raises(StudioError, match="no such run"):
        bench.machine.resume("never")
    assert not list(tmp_path.rglob("escape.py"))


def test_what_a_hostile_trainer_names_is_not_taken(bench, tmp_path):
    secret = tmp_path / "secret.npz"
    secret.write_bytes(b"secret")
    bench.start(
        f"""
        import json, os
        say = lambda path: print(json.dumps(dict(type="clip", path=path)))
        secret = {str(secret)!r}
        os.symlink(secret, "out/link.npz")
        os.symlink(os.path.dirname(secret), "out/folder")
        os.mkfifo("out/pipe.npz")
        os.mkdir("out/dir.npz")
        open("out/model.pt", "wb").write(b"pickle")
        open("out/large.npz", "wb").write(b"x" * 5000)
        open("out/good.npz", "wb").write(b"good")
        for path in (secret, "../../../secret.npz", "out/link.npz", "out/folder/secret.npz", "out/pipe.npz",
                     "out/dir.npz", "out/model.pt", "out/large.npz", "out/none.npz", "", None, 7, "out/a\\0b.npz",
                     "out/..npz", "trainer.py"):
            say(path)
        say("out/good.npz")
        """,
        file_cap=4999,
    )
    final = bench.wait_final()
    assert final["status"] == "done" and final["skipped"] == 15
    events = bench.events()
    assert kinds(events) == ["started", *["clip_skipped"] * 15, "clip", "final"]
    assert [path.read_bytes() for path in (bench.run() / "files").iterdir()] == [b"good"]


def test_only_what_the_studio_holds_is_collected(bench):
    bench.start(
        """
        import json
        for i in range(6):
            for kind, name in (("clip", f"c{i}.npz"), ("ckpt", f"s{i}.onnx")):
                open("out/" + name, "w").write(name * 100)
                print(json.dumps(dict(type=kind, path="out/" + name, best=(i == 0))))
        """
    )
    bench.wait_final()
    events = bench.events()
    names = {event["sha"]: event["name"] for event in events if "sha" in event}
    assert bench.machine.collect("r") == 0, "nothing was acknowledged"
    bench.machine.acknowledge("r", next(e["seq"] for e in events if e.get("name") == "s4.onnx"))
    bench.machine.acknowledge("r", 1)
    assert bench.machine.collect("r") > 0
    kept = {names[path.name] for path in (bench.run() / "files").iterdir()}
    assert kept == {"c0.npz", "s0.onnx", "s3.onnx", "s4.onnx", "c5.npz", "s5.onnx"}


def test_a_supervisor_of_a_batch_system_needs_no_detaching(bench):
    bench.start("import json; print(json.dumps(dict(type='log', text='hi')))")
    bench.wait_final()
    record = json.loads((bench.run() / "run.json").read_bytes())
    twin = bench.run("twin")
    (twin / "work" / "out").mkdir(parents=True)
    (twin / "files").mkdir()
    (twin / "work" / "trainer.py").write_bytes((bench.run() / "work" / "trainer.py").read_bytes())
    (twin / "run.json").write_text(json.dumps({**record, "run": "twin"}))
    answer = bench.machine._call("supervise", "Supervising", {"run": "twin"})
    assert answer["finished"] and kinds(bench.events("twin")) == ["started", "log", "final"]


def test_the_agent_says_what_machine_it_is(bench):
    told = bench.machine.hello()
    assert told["system"] == "Linux" and told["cpus"] >= 1 and told["free"] > 0
    assert told["root"] == str(bench.root)
    assert bench.root.stat().st_mode & 0o777 == 0o700


def test_a_root_that_is_a_link_is_refused(bench, tmp_path):
    bench.machine.hello()
    elsewhere = tmp_path / "elsewhere"
    bench.root.rename(elsewhere)
    bench.root.symlink_to(elsewhere)
    with pytest.raises(StudioError, match="is a link"):
        bench.machine.hello()
