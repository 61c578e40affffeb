from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
import tomli_w

from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.lineage import Record
from studio.schema.project import Coach, ProjectInfo
from studio.store import lock, samples
from studio.store.layout import Layout, checked_file, checked_name
from studio.store.project import Project
from studio.store.verify import verify
from tests.house import TAKE, make_project, run_through, use_tiny_stages

LATER = """
import sys
from studio.store.project import Project
project = Project.open(sys.argv[1])
with project.lock():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    use_tiny_stages(monkeypatch)
    return make_project(tmp_path / "gym")


def snapshot_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_what_was_created_is_read_back(tmp_path: Path) -> None:
    Project.create(tmp_path / "new", ProjectInfo("new", "anna", language="ja"), Coach("anna", 1.7, 60.0))
    project = Project.open(tmp_path / "new")
    assert (project.info.language, project.coach.stature, project.takes()) == ("ja", 1.7, ())


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"x")
    with pytest.raises(StudioError, match="not empty"):
        Project.create(tmp_path, ProjectInfo("n", "c"), Coach("c", 1.7, 60.0))
    assert [p.name for p in tmp_path.iterdir()] == ["photo.jpg"]


def test_a_folder_without_a_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match=r"no project\.toml"):
        Project.open(tmp_path)


def test_a_newer_schema_is_refused_and_nothing_changes(project: Project) -> None:
    page = project.layout.project_toml
    page.write_text(page.read_text().replace("schema_version = 1", "schema_version = 99"))
    before = snapshot_of(project.layout.root)
    with pytest.raises(StudioError, match="Update Padwork; nothing was changed"):
        Project.open(project.layout.root)
    assert snapshot_of(project.layout.root) == before


def test_a_second_process_is_refused_with_a_sentence(project: Project) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", LATER, str(project.layout.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        with pytest.raises(StudioError, match=f"process {other.pid}"):
            project.lock().acquire()
    finally:
        other.communicate("")
    with project.lock():
        assert lock.read_holder(project.layout.lock) == lock.me()
    assert lock.read_holder(project.layout.lock) is None


def test_the_lock_of_a_killed_process_is_taken_over(project: Project) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", LATER, str(project.layout.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None and other.stdout.readline() == "held\n"
    other.kill()
    other.communicate()
    assert project.layout.lock.exists()
    with project.lock():
        pass


def test_the_lock_of_another_computer_is_respected(project: Project) -> None:
    lock.write_holder(project.layout.lock, lock.Holder("another-host", 1, "1"))
    with pytest.raises(StudioError, match="another-host"):
        project.lock().acquire()
    assert socket.gethostname() not in project.layout.lock.read_text()


def test_two_windows_of_one_process_are_two(project: Project) -> None:
    with project.lock(), pytest.raises(StudioError, match="open already"):
        project.lock().acquire()
    project.lock().acquire()


@pytest.mark.parametrize("name", ["..", "a/b", "", ".hidden", "a\\b", "x" * 65, "nul\0", "end."])
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(StudioError):
        checked_name(name)


@pytest.mark.parametrize("name", ["../a.mp4", "/etc/passwd", "a/b.mp4", "", ".x", "c\\d"])
def test_files_that_lie_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(StudioError):
        checked_file(name)


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", "a\\..\\x"])
def test_paths_of_records_stay_in_the_project(tmp_path: Path, path: str) -> None:
    with pytest.raises(StudioError):
        Layout(tmp_path).absolute(path)


def test_a_video_outside_the_take_is_refused(project: Project) -> None:
    page = project.layout.session_toml("s")
    page.write_text(page.read_text().replace('"a.mp4"', '"../../../../secret.mp4"'))
    with pytest.raises(StudioError, match="plain file name"):
        project.session("s")
    assert project.state(1, "s").state == "locked"


def test_a_clean_project_has_nothing_wrong(project: Project) -> None:
    run_through(project, 8)
    report = verify(project)
    assert report.problems == ()
    assert (report.records, report.approvals) == (8, 4)


def test_the_scratch_folder_may_be_deleted(project: Project) -> None:
    import shutil

    run_through(project, 6)
    before = project.states()
    shutil.rmtree(project.layout.scratch)
    assert Project.open(project.layout.root).states() == before


def test_a_flipped_byte_is_found(project: Project) -> None:
    run_through(project, 3)
    revision = project.revision(2, TAKE)
    assert revision is not None
    data = bytearray(revision.data().read_bytes())
    data[len(data) // 2] ^= 1
    stat = revision.data().stat()
    revision.data().write_bytes(data)
    import os

    os.utime(revision.data(), ns=(stat.st_atime_ns, stat.st_mtime_ns))
    problems = verify(project).problems
    assert len(problems) == 1 and "keypoints/r1.npz is not what was written" in problems[0]


def test_edited_records_lost_files_conflict_copies_and_foreign_verdicts_are_found(project: Project) -> None:
    run_through(project, 6)
    points, body = project.revision(3, TAKE), project.revision(4, TAKE)
    assert points is not None and body is not None
    points.path.write_text(points.path.read_text().replace('"stage": 3', '"stage": 2'))
    body.data().unlink()
    project.layout.technique_toml("kick").with_name("technique (conflicted copy 2026-10-23).toml").write_text("x")
    (project.layout.root / ".tmp-0123").write_bytes(b"half")
    with project.layout.approvals.open("a") as file:
        file.write('{"schema_version": 1, "stage": 5, "subject": "kick", "fingerprint": "0", "verdict": "approved",')
        file.write(' "words": "", "when": "2026"}\n{"torn\n')
    told = "\n".join(verify(project).problems)
    for sentence in (
        "points/r1.json was changed",
        "body/r1.npz is missing",
        "second copy made by a synced folder",
        ".tmp-0123 was left",
        "about a result that is not here",
        "approvals.jsonl line 4 is damaged",
    ):
        assert sentence in told


def test_a_damaged_record_counts_as_none_and_is_named(project: Project) -> None:
    run_through(project, 2)
    revision = project.revision(2, TAKE)
    assert revision is not None
    revision.path.write_bytes(revision.path.read_bytes()[:40])
    assert project.state(2, TAKE).state == "ready"
    assert "r1.json is damaged" in verify(project).problems[0]
    run_through(project, 2)
    good = project.revision(2, TAKE)
    assert good is not None and good.number == 2, "the damaged revision keeps its number"


def test_a_rerun_of_capture_keeps_what_it_replaces(project: Project) -> None:
    run_through(project, 1)
    page = project.layout.rig_toml("s")
    page.write_text(page.read_text() + "# a note\n")
    assert "rig.toml is not what was written" in verify(project).problems[0]
    from studio.stages.execute import run_stage

    run_stage(project, 1, "s", lambda fraction, text: None)
    kept = list((project.layout.session("s") / "capture").glob("r2-before-*-rig.toml"))
    assert len(kept) == 1 and "# a note" in kept[0].read_text()
    assert verify(project).problems == ()


def test_records_say_how_they_were_made(project: Project) -> None:
    run_through(project, 2)
    revision = project.revision(2, TAKE)
    assert revision is not None
    record: Record = revision.record
    assert set(record.inputs) == {f"sessions/s/takes/t/{n}" for n in ("a.mp4", "b.mp4", "take.toml")}
    assert record.seconds >= 0 and record.when.endswith("+00:00")
    assert record.versions["stage"] == "1" and "numpy" in record.versions
    assert json.loads(revision.path.read_text())["schema_version"] == 1


def test_the_sample_has_its_videos_and_its_own_name(tmp_path: Path) -> None:
    project = samples.copy_sample("leg-raise", tmp_path / "mine")
    assert (project.info.name, project.info.sample) == ("mine", "leg-raise")
    assert project.takes() == ("demo/leg-raise",)
    assert {p.name for p in project.layout.take("demo/leg-raise").iterdir()} == {"a.mp4", "b.mp4"}
    assert not (tmp_path / "mine" / "sample.toml").exists()
    assert project.state(1, "demo").state == "ready"


def test_an_unknown_sample_is_told_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="there is leg-raise"):
        samples.copy_sample("left-hook", tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


def test_a_sample_without_its_library_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "find_spec", lambda name: None)
    with pytest.raises(StudioError, match=r"padwork\[capture\]"):
        samples.copy_sample("leg-raise", tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


def test_a_sample_from_another_version_of_the_library_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = ModuleSpec("Pose2Sim", None, is_package=True)
    assert spec.submodule_search_locations is not None
    spec.submodule_search_locations.append(str(tmp_path))
    monkeypatch.setattr(samples, "find_spec", lambda name: spec)
    with pytest.raises(StudioError, match="another file than expected"):
        samples.copy_sample("leg-raise", tmp_path / "mine")


def test_a_result_that_was_changed_is_not_loaded(project: Project) -> None:
    from studio.schema.keypoints import Keypoints

    run_through(project, 2)
    revision = project.revision(2, TAKE)
    assert revision is not None
    with np.load(revision.data()) as arrays:
        changed = {name: arrays[name] for name in arrays.files}
    np.savez(revision.data(), **{**changed, "xy": changed["xy"][:1]})
    with pytest.raises(StudioError, match=r"keypoints/r1\.npz cannot be used: stage 2 wrote something else"):
        project.load(2, TAKE, Keypoints)


def test_a_take_named_twice_is_refused(project: Project) -> None:
    page = project.layout.session_toml("s")
    twice = replace(project.session("s"), takes=project.session("s").takes * 2)
    page.write_text(tomli_w.dumps(document(twice)))
    with pytest.raises(StudioError, match="names take t twice"):
        project.session("s")


def test_a_lost_video_is_found(project: Project) -> None:
    run_through(project, 1)
    (project.layout.take(TAKE) / "b.mp4").unlink()
    assert verify(project).problems == ("sessions/s/takes/t/b.mp4 is missing (a video of s/t).",)


def test_a_folder_that_cannot_be_read_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(path: Path) -> list[Path]:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "iterdir", forbidden)
    with pytest.raises(StudioError, match="techniques cannot be read: permission denied"):
        project.techniques()


def test_hashes_are_kept_of_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/gym-\xe9"))
    project = make_project(folder)
    project.states()
    assert "gym-" in project.layout.hashes.read_text(encoding="utf-8")


def test_a_device_in_the_place_of_a_file_is_not_read(project: Project) -> None:
    video = project.layout.take(TAKE) / "b.mp4"
    video.unlink()
    video.symlink_to("/dev/zero")
    assert "b.mp4 cannot be read: it is not a file" in project.state(1, "s").why
    project.layout.practice_toml("kick").symlink_to("/dev/zero")
    run_through(project, 0)
    assert "practice.toml cannot be read" in project.state(7, "kick").why


@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_leaves_no_half_of_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    from studio.store import atomic

    def full(path: Path, data: bytes, new: bool = False) -> None:
        if path.suffix == ".toml":
            raise StudioError(path.name, "the disk is full", "x")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    monkeypatch.setattr(atomic, "write_bytes", full)
    if there:
        (tmp_path / "mine").mkdir()
    with pytest.raises(StudioError, match="the disk is full"):
        samples.copy_sample("leg-raise", tmp_path / "mine")
    assert [path.name for path in tmp_path.rglob("*")] == (["mine"] if there else [])
