"""The teacher program as a process: its lines, its files, its ends."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from factories import make_table, stance_table, write_order

from remote_agent.train.practice import Practice
from remote_agent.train.run import read_run
from studio.domain.gates.table import run_gate
from studio.domain.policy.network import open_policy
from studio.schema.codec import unpack
from studio.schema.training import Clip

ROOT = Path(__file__).resolve().parents[3]
TINY = {"envs": 16, "steps": 8, "minibatches": 2, "iterations": 2, "hidden": [32, 16], "evaluation_seeds": [200]}


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "remote_agent.train.teacher", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, list[dict], str]:
    out, err = process.communicate(timeout=300)
    return process.returncode, [json.loads(line) for line in out.splitlines()], err


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict]]:
    folder = write_order(tmp_path_factory.mktemp("run"), **TINY)
    code, events, err = finish(start(folder))
    assert code == 0, err[-800:]
    return folder, events


def of(events: list[dict], kind: str) -> list[dict]:
    return [e for e in events if e["type"] == kind]


def test_it_tells_how_it_goes(finished: tuple[Path, list[dict]]) -> None:
    _, events = finished
    assert [e["phase"] for e in of(events, "state")] == ["setup", "eval", "train", "eval", "done"]
    last = of(events, "progress")[-1]
    assert (last["iter"], last["iters"], last["steps"]) == (2, 2, 2 * 16 * 8)
    assert {"fps", "reward", "eta_s"} <= set(last)
    judged = [e["values"] for e in of(events, "metric") if "eval_reward_sum" in e["values"]]
    assert len(judged) == 2 and all(v["eval_reward_sum"] > 0 for v in judged)


def test_its_clips_play(finished: tuple[Path, list[dict]]) -> None:
    folder, events = finished
    clips = of(events, "clip")
    assert [c["iter"] for c in clips] == [0, 2]
    for told in clips:
        with np.load(folder / told["path"], allow_pickle=False) as arrays:
            clip = unpack(Clip, dict(arrays), told["path"])
        assert clip.iteration == told["iter"] and clip.qpos.shape[1] == 41
        assert clip.reference.shape == (len(clip.qpos), 33) and clip.figures["mean_error_m"] > 0


def test_its_snapshot_opens_and_its_report_holds_both_evaluations(finished: tuple[Path, list[dict]]) -> None:
    folder, events = finished
    snapshots = of(events, "ckpt")
    policy = open_policy(folder / snapshots[-1]["path"])
    assert policy.card.skill(make_table()[0].technique) and policy.card.iteration == 2
    report = json.loads((folder / "out" / "report.json").read_text())
    assert [e["iteration"] for e in report["evaluations"]] == [0, 2]
    assert report["steps"] == 256 and report["seed"] == 1


def test_the_same_order_gives_the_same_network(finished: tuple[Path, list[dict]], tmp_path: Path) -> None:
    folder, _ = finished
    again = write_order(tmp_path / "again", **TINY)
    Practice(read_run(again), lambda: False).train()
    first, second = (f / "out" / "snapshots" / "iter-000002.onnx" for f in (folder, again))
    assert first.read_bytes() == second.read_bytes()


def test_a_request_to_stop_keeps_the_last_snapshot(tmp_path: Path) -> None:
    folder = write_order(tmp_path / "run", **{**TINY, "iterations": 100_000})
    process = start(folder)
    assert process.stdout
    seen = []
    for line in process.stdout:
        seen.append(json.loads(line))
        if seen[-1]["type"] == "progress":
            process.send_signal(signal.SIGTERM)
            break
    code, rest, _ = finish(process)
    assert code == 0 and rest[-1] == {"type": "state", "phase": "stopped"}
    snapshot = of(rest, "ckpt")[-1]
    assert open_policy(folder / snapshot["path"]).card.iteration == snapshot["iter"] > 0
    assert json.loads((folder / "out" / "report.json").read_text())["iterations"] == snapshot["iter"]


def test_bad_orders_end_with_one_sentence(tmp_path: Path) -> None:
    tampered = write_order(tmp_path / "a", **TINY)
    spec = json.loads((tampered / "spec.json").read_text())
    (tampered / "spec.json").write_text(json.dumps({**spec, "table_sha256": "0" * 64}))
    code, events, err = finish(start(tampered))
    assert code == 1 and "not the one that was ordered" in events[-1]["text"] and "Traceback" not in err
    damaged = write_order(tmp_path / "b", **TINY)
    (damaged / "spec.json").write_text(json.dumps({**spec, "table_sha256": ""}))
    (damaged / "table.npz").write_bytes(b"PK\x03\x04 no")
    code, events, err = finish(start(damaged))
    assert code == 1 and "table.npz cannot be read" in events[-1]["text"] and "Traceback" not in err
    done = subprocess.run(
        [sys.executable, "-m", "remote_agent.train.teacher"], capture_output=True, cwd=ROOT, check=False
    )
    assert done.returncode == 2


def test_a_stance_is_taught_and_judged_in_the_air_alone(tmp_path: Path) -> None:
    folder = write_order(tmp_path / "run", table=stance_table(), **{**TINY, "iterations": 1, "slot": 2})
    code, events, err = finish(start(folder))
    assert code == 0, err[-800:]
    judged = [e["values"] for e in of(events, "metric") if "eval_reward_sum" in e["values"]]
    assert judged and all("eval_nearest_cm" not in v and "eval_impulse_ns" not in v for v in judged)
    assert json.loads((folder / "out" / "report.json").read_text())["evaluations"][-1]["impulse_ns"] is None
    with np.load(folder / of(events, "clip")[-1]["path"], allow_pickle=False) as arrays:
        assert unpack(Clip, dict(arrays), "clip").condition == "air"
    run = read_run(folder)
    table = run_gate(folder / of(events, "ckpt")[-1]["path"], run.table, run.body, (100,))
    assert set(table.trajectory_sha256) == {"air"} and {"fall", "stance", "lean"} <= {row.name for row in table.rows}
    assert next(row for row in table.rows if row.name == "fall").values == {"air": (0.0,)}
