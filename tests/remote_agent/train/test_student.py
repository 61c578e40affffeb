"""The student program: what it learns, its lines, its files, its ends, and what it refuses."""

import hashlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from students import HIDDEN, made_teacher, write_student_order

from remote_agent.train.distil import Distillation
from remote_agent.train.distil_class import LEAST_SPREAD, shares, spread_of
from remote_agent.train.distil_network import Teacher
from remote_agent.train.distil_order import read_distil_order
from studio.domain.policy.network import open_policy, open_weights
from studio.domain.policy.observation import Skill, make_layout
from studio.schema.codec import unpack
from studio.schema.errors import StudioError
from studio.schema.training import Clip

ROOT = Path(__file__).resolve().parents[3]


def start(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "remote_agent.train.student", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def finish(process: subprocess.Popen[str]) -> tuple[int, list[dict], str]:
    out, err = process.communicate(timeout=300)
    return process.returncode, [json.loads(line) for line in out.splitlines()], err


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict]]:
    folder = write_student_order(tmp_path_factory.mktemp("run"))
    code, events, err = finish(start(folder))
    assert code == 0, err[-800:]
    return folder, events


def of(events: list[dict], kind: str) -> list[dict]:
    return [e for e in events if e["type"] == kind]


def exams(events: list[dict], technique: str) -> list[float]:
    return [e["values"][f"error/{technique}"] for e in of(events, "metric") if f"error/{technique}" in e["values"]]


def test_the_error_of_every_skill_falls_to_a_tenth(finished: tuple[Path, list[dict]]) -> None:
    _, events = finished
    for technique in ("raise-l", "knee-r"):
        errors = exams(events, technique)
        assert len(errors) == 3 and errors[-1] <= errors[0] / 10, technique


def test_it_tells_how_it_goes(finished: tuple[Path, list[dict]]) -> None:
    _, events = finished
    phases = [e["phase"] for e in of(events, "state")]
    assert phases == ["setup", "eval", "train", "eval", "eval", "done"]
    last = of(events, "progress")[-1]
    assert (last["iter"], last["iters"], last["steps"]) == (12, 12, 2 * 12 * 16 * 12)
    assert [(c["iter"], c["technique"]) for c in of(events, "clip")] == [
        (0, "raise-l"), (0, "knee-r"), (12, "raise-l"), (12, "knee-r"),
    ]  # fmt: skip


def test_its_clips_play_and_its_report_holds_every_exam(finished: tuple[Path, list[dict]]) -> None:
    folder, events = finished
    for told in of(events, "clip"):
        with np.load(folder / told["path"], allow_pickle=False) as arrays:
            clip = unpack(Clip, dict(arrays), told["path"])
        assert clip.technique == told["technique"] and clip.qpos.shape[1] == 41
    report = json.loads((folder / "out" / "report.json").read_text())
    assert [exam["iteration"] for exam in report["exams"]] == [0, 6, 12]
    assert report["exams"][-1]["knee-r"]["error"] == pytest.approx(exams(events, "knee-r")[-1], rel=1e-5)


def test_its_policy_knows_both_skills_and_does_nearly_what_their_teachers_do(finished: tuple[Path, list[dict]]) -> None:
    folder, events = finished
    policy = open_policy(folder / of(events, "ckpt")[-1]["path"])
    assert policy.card.skills == (Skill("raise-l", 1, "foot_l"), Skill("knee-r", 2, "knee_r"))
    assert policy.card.iteration == 12 and policy.card.layout.hidden == HIDDEN
    order = read_distil_order(folder)
    lesson = order.lessons[0]
    at = np.arange(10)
    index, weight = lesson.scene.reference.weights(np.zeros((10, 2)))
    rows = lesson.scene.reference.rows(index, weight, at)
    from studio.domain.policy.observation import Moment, observe

    moment = Moment(rows.q, rows.qd, rows, lesson.scene.reference.target(index, weight), np.zeros((10, 2)),
                    np.zeros((10, 26)), at)  # fmt: skip
    seen = observe(order.layout, lesson.scene.reference, 1, moment)
    wanted = Teacher(lesson.weights).act(seen)
    assert np.square(policy.act(seen) - wanted).mean() < 0.1 * np.square(wanted).mean()


def test_a_teacher_in_torch_is_the_snapshot(tmp_path: Path) -> None:
    joints = tuple(f"joint_{i}" for i in range(5))
    path = tmp_path / "t.onnx"
    path.write_bytes(made_teacher(Skill("jab", 3, "fist_l"), joints, 5.0))
    seen = np.random.default_rng(1).normal(size=(6, make_layout(joints, HIDDEN).size)).astype(np.float32)
    answer = Teacher(open_weights(path)[1]).act(seen)
    assert np.allclose(answer, np.clip(open_policy(path).act(seen), -4, 4), atol=1e-5) and np.abs(answer).max() == 4.0


def test_the_same_order_gives_the_same_network(finished: tuple[Path, list[dict]], tmp_path: Path) -> None:
    folder, _ = finished
    again = write_student_order(tmp_path / "again")
    Distillation(read_distil_order(again), lambda: False).train()
    first, second = (f / "out" / "snapshots" / "iter-000012.onnx" for f in (folder, again))
    assert first.read_bytes() == second.read_bytes()


def test_without_teachers_leading_it_learns_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order = read_distil_order(write_student_order(tmp_path / "run", led_until=0.0))
    Distillation(order, lambda: False).train()
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for technique in ("raise-l", "knee-r"):
        errors = exams(events, technique)
        assert errors[-1] <= errors[0] / 5, technique


def test_a_request_to_stop_keeps_the_last_snapshot(tmp_path: Path) -> None:
    folder = write_student_order(tmp_path / "run", iterations=100_000, updates=2)
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


def test_a_skill_with_the_larger_error_gets_more_and_none_gets_nothing() -> None:
    assert shares([1.0, 1.0]) == pytest.approx([0.5, 0.5])
    large, small = shares([0.9, 0.0])
    assert large == pytest.approx(0.75) and small == pytest.approx(0.25)
    assert shares([float("nan"), 1.0]) == pytest.approx([0.5, 0.5])


def test_a_joint_that_is_left_alone_does_not_count_for_more_than_it_is_worth() -> None:
    chance = np.random.default_rng(2)
    actions = np.column_stack([chance.normal(0, 0.5, 400), chance.normal(0, 1e-5, 400)])
    large, small = spread_of(actions)
    assert large == pytest.approx(0.5, rel=0.2) and small == pytest.approx(0.1 * (large / 2), rel=0.01)
    assert spread_of(np.zeros((10, 3))) == pytest.approx(LEAST_SPREAD)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"slots": (3, 3)}, "raise-l and knee-r have the same number 3 in the observation"),
        ({"hidden": (HIDDEN, (32, 32))}, "its observation layout differs in hidden"),
        ({"what": ("raise", "raise")}, "raise-l is named twice"),
        ({"what": ("knee",)}, "it needs 2 skills, there are 1"),
    ],
)
def test_teachers_that_do_not_go_together_are_refused(tmp_path: Path, changes: dict, why: str) -> None:
    with pytest.raises(StudioError, match=why):
        read_distil_order(write_student_order(tmp_path, changes))


def test_bad_orders_end_with_one_sentence(tmp_path: Path) -> None:
    folder = write_student_order(tmp_path)
    (folder / "teacher-1.onnx").write_bytes((folder / "teacher-2.onnx").read_bytes())
    code, events, err = finish(start(folder))
    assert code == 1 and "teacher-1.onnx is not the one that was ordered" in events[-1]["text"]
    assert "Traceback" not in err
    done = subprocess.run(
        [sys.executable, "-m", "remote_agent.train.student"], capture_output=True, cwd=ROOT, check=False
    )
    assert done.returncode == 2


def test_a_policy_of_another_technique_is_no_teacher(tmp_path: Path) -> None:
    folder = write_student_order(tmp_path)
    foreign = (folder / "teacher-2.onnx").read_bytes()
    (folder / "teacher-1.onnx").write_bytes(foreign)
    spec = json.loads((folder / "spec.json").read_text())
    spec["skills"][0]["teacher_sha256"] = hashlib.sha256(foreign).hexdigest()
    (folder / "spec.json").write_text(json.dumps(spec))
    with pytest.raises(StudioError, match="was not taught raise-l"):
        read_distil_order(folder)
