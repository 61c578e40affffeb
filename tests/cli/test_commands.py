from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from studio.__main__ import main
from studio.cli.status import describe
from studio.stages import execute
from studio.stages.stage import Result, Stage
from studio.store import processes
from studio.store.catalog import declaration
from studio.store.project import Project
from studio.store.states import StageState
from tests.house import TAKE, make_project, run_through, tiny_run, use_tiny_stages

ROOT = Path(__file__).resolve().parents[2]
ODD_WORKER = ROOT / "tests" / "jobs" / "odd_worker.py"

SLOW_RUN = """
import os, sys
from studio.jobs import run
from studio.__main__ import main
run.worker_command = lambda project, stage, subject: [
    sys.executable, sys.argv[2], str(project), str(stage), subject, str(os.getpid())]
sys.exit(main(["run", sys.argv[1], "--through", "2"]))
"""

LIGHT = """
import sys
from studio.__main__ import main
main(["status", sys.argv[1]])
heavy = {"cv2", "av", "torch", "mujoco", "PySide6", "openvino", "onnxruntime", "scipy", "paramiko"} & set(sys.modules)
sys.exit(f"loaded {heavy}" if heavy else 0)
"""


@pytest.fixture
def gym(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    use_tiny_stages(monkeypatch)
    return make_project(tmp_path / "gym")


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    assert main(["new", str(tmp_path / "mine"), "--sample", "leg-raise"]) == 0
    return tmp_path / "mine"


def one_sentence(capsys: pytest.CaptureFixture[str]) -> str:
    told = capsys.readouterr().err
    assert "Traceback" not in told and told.count("\n") == 1, told
    return told


@pytest.mark.parametrize(
    "arguments",
    [["dance"], ["run"], ["run", "p", "--from", "0"], ["run", "p", "--take", "a", "--technique", "b"], ["gate", "p"]],
)
def test_wrong_usage_is_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "usage: padwork" in capsys.readouterr().err


def test_help_is_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "needs the coach's eyes" in capsys.readouterr().out


def test_a_new_empty_project_can_be_asked_for_its_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", str(tmp_path / "gym")]) == 0
    assert main(["status", str(tmp_path / "gym"), "--json"]) == 0
    rail = json.loads(capsys.readouterr().out.partition("\n")[2])
    assert rail["project"] == "gym" and [s["key"] for s in rail["stages"]] == ["student"]


def test_a_folder_in_use_and_an_unknown_sample_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_text("x")
    assert main(["new", str(tmp_path)]) == 1
    assert "not empty" in one_sentence(capsys)
    assert main(["new", str(tmp_path / "gym"), "--sample", "left-hook"]) == 1
    assert "there is leg-raise" in one_sentence(capsys)


def test_a_folder_that_is_no_project_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "status", "verify"):
        assert main([command, str(tmp_path)]) == 1
        assert "no project.toml" in one_sentence(capsys)


def test_run_does_a_stage_once_and_tells_its_seconds(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(sample), "--through", "1"]) == 0
    told = capsys.readouterr().out
    assert "1 Capture  demo: 1 take, 2 phones, 1080 x 1920 px" in told and "s  in all" in told
    assert main(["run", str(sample), "--through", "1", "--technique", "leg-raise"]) == 0
    assert "up to date" in capsys.readouterr().out
    assert main(["verify", str(sample)]) == 0


def test_run_stops_with_a_sentence_at_a_video_that_is_cut_off(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Project.open(sample).layout.take("demo/leg-raise") / "b.mp4"
    path.write_bytes(path.read_bytes()[:300_000])
    assert main(["run", str(sample), "--through", "1"]) == 1
    assert "b.mp4" in one_sentence(capsys)
    path.unlink()
    assert main(["run", str(sample), "--through", "1"]) == 1
    assert "b.mp4 is missing" in one_sentence(capsys)


def test_run_without_weights_says_what_was_tried(
    sample: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert main(["run", str(sample), "--through", "1"]) == 0
    capsys.readouterr()
    offline = {"PADWORK_CACHE": str(tmp_path / "empty"), "PATH": str(tmp_path), "PIP_NO_INDEX": "1"}
    offline |= dict.fromkeys(("https_proxy", "http_proxy", "HTTPS_PROXY", "HTTP_PROXY"), "http://127.0.0.1:9")
    for name, value in offline.items():
        monkeypatch.setenv(name, value)
    assert main(["run", str(sample), "--through", "2"]) == 1
    told = one_sentence(capsys)
    assert "no weights" in told and "npm" in told
    assert Project.open(sample).state(2, "demo/leg-raise").state == "failed"


def test_a_second_command_on_the_same_project_is_refused(gym: Project, capsys: pytest.CaptureFixture[str]) -> None:
    with gym.lock():
        assert main(["run", str(gym.layout.root)]) == 1
    assert "is open already" in one_sentence(capsys)


def test_unknown_take_or_technique_tells_the_known_ones(gym: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(gym.layout.root), "--technique", "punch"]) == 1
    assert "kick" in one_sentence(capsys)
    assert main(["run", str(gym.layout.root), "--take", "other"]) == 1
    assert TAKE in one_sentence(capsys)


def test_what_needs_eyes_is_three_and_yes_records_it_as_automatic(
    gym: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    run_through(gym, 5, approve=False)
    path = str(gym.layout.root)
    assert main(["run", path, "--through", "5"]) == 3
    assert "needs the coach's eyes" in one_sentence(capsys)
    assert main(["run", path, "--from", "6", "--through", "6"]) == 3
    assert "waits for your eyes" in one_sentence(capsys)
    assert main(["run", path, "--through", "5", "--yes"]) == 0
    state = gym.state(5, "kick")
    assert state.state == "approved" and state.automatic
    assert describe(state).startswith("⊙ 5 Retarget")
    assert describe(replace(state, automatic=False)).startswith("✓ 5 Retarget")


def test_yes_keeps_what_a_gate_says_against_it(
    gym: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged(context) -> Result:
        return replace(tiny_run(context), summary={"passed": False, "failed": ["hit", "fall"]})

    run_through(gym, 7)
    monkeypatch.setattr(execute, "find_stage", lambda n: Stage(declaration(n), judged))
    run_through(gym, 8, approve=False)
    assert main(["run", str(gym.layout.root)]) == 3
    assert "does not pass (hit, fall)" in one_sentence(capsys)
    assert main(["run", str(gym.layout.root), "--yes"]) == 0
    assert gym.state(8, "kick").why == "does not pass (hit, fall)"


def test_verify_is_one_where_a_byte_flipped(gym: Project, capsys: pytest.CaptureFixture[str]) -> None:
    run_through(gym, 2)
    revision = gym.revision(2, TAKE)
    assert revision is not None
    data = bytearray(revision.data().read_bytes())
    data[-30] ^= 4
    revision.data().write_bytes(data)
    assert main(["verify", str(gym.layout.root)]) == 1
    assert "keypoints/r1.npz is not what was written" in one_sentence(capsys)


def test_gate_tells_which_technique_and_snapshot_there_are(gym: Project, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(gym.layout.root)
    assert main(["gate", path, "--technique", "punch"]) == 1
    assert "kick" in one_sentence(capsys)
    assert main(["gate", path, "--technique", "kick"]) == 1
    assert "No snapshot of kick is adopted" in one_sentence(capsys)
    assert main(["gate", path, "--technique", "kick", "--snapshot", "30"]) == 1
    assert "no snapshot '30'" in one_sentence(capsys)


def test_an_interrupt_ends_the_stage_and_is_told(gym: Project) -> None:
    run_through(gym, 1)
    environment = {**os.environ, "PADWORK_TEST_STAGE": "slow", "PYTHONPATH": str(ROOT)}
    run = subprocess.Popen(
        [sys.executable, "-c", SLOW_RUN, str(gym.layout.root), str(ODD_WORKER)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    marker = gym.layout.job(2, TAKE)
    while not marker.exists():
        time.sleep(0.02)
    worker = json.loads(marker.read_text())["pid"]
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    _, told = run.communicate(timeout=30)
    assert run.returncode == 130 and told.startswith("Cancelled") and "Traceback" not in told
    assert not processes.is_alive(worker, "")
    assert gym.state(2, TAKE).state == "ready"
    with gym.lock():
        pass


def test_status_loads_nothing_heavy(gym: Project) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIGHT, str(gym.layout.root)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr


def test_every_state_has_a_glyph() -> None:
    from studio.store import states

    for name in ("LOCKED", "READY", "RUNNING", "FAILED", "STALE", "DONE", "EYES", "APPROVED"):
        word = getattr(states, name)
        assert word in describe(StageState(1, "s", word))


@pytest.mark.parametrize("arguments", [["--from", "5", "--through", "2"], ["--technique", ""], ["--take", ""]])
def test_a_run_that_means_nothing_is_wrong_usage(
    gym: Project, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(gym.layout.root), *arguments]) == 2
    assert "usage: padwork" in capsys.readouterr().err


def test_a_walkthrough_into_a_file_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text("x")
    for out in ("x", "x/below"):
        assert main(["walkthrough", "--out", str(tmp_path / out)]) == 1
        assert "cannot be a folder for pictures" in one_sentence(capsys)


def test_an_output_that_takes_nothing_is_one_sentence(gym: Project) -> None:
    for more in ([], ["--json"]):
        command = [sys.executable, "-m", "studio", "status", str(gym.layout.root), *more]
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT)
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1 and "no space left" in done.stderr


def test_a_fault_of_the_program_is_one_sentence_and_leaves_a_log(
    gym: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def faulty(self: Project) -> None:
        raise ZeroDivisionError("by nobody")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(Project, "states", faulty)
    assert main(["status", str(gym.layout.root)]) == 1
    told = one_sentence(capsys)
    assert "ZeroDivisionError: by nobody" in told
    (log,) = tmp_path.glob("padwork-*.log")
    assert str(log) in told and "in faulty" in log.read_text()


def test_without_a_screen_the_window_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.cli import window

    for name in window.SCREENS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert main([]) == 1
    assert "no screen" in one_sentence(capsys)


def test_a_window_without_its_libraries_says_which_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setitem(sys.modules, "studio.ui.window", None)
    assert main([]) == 1
    assert "The window cannot be opened: import of studio.ui.window halted" in one_sentence(capsys)


@pytest.mark.parametrize("more", [[], ["--sample", "leg-raise"]])
def test_a_folder_whose_name_is_no_text_works(
    tmp_path: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/gym-\xe9")
    assert main(["new", folder, *more]) == 0
    assert main(["status", folder]) == 0
    assert "gym-?" in capsys.readouterr().out
