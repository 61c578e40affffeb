"""Stage 2 takes keypoints that came with a take once they fit its films, and says in one sentence why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.app.said import is_known
from studio.domain.video.writer import write_mp4
from studio.schema.camera import Camera, Rig
from studio.schema.codec import document, pack
from studio.schema.errors import StudioError
from studio.schema.keypoints import Keypoints
from studio.schema.project import Coach, ProjectInfo
from studio.schema.session import DeclaredTake, Session
from studio.stages.execute import run_stage
from studio.store import atomic
from studio.store.project import Project

TAKE, FRAMES, FPS = "s/t", 36, 30.0
CALIBRATION = """
[{name}]
name = "{name}"
size = [64.0, 64.0]
matrix = [[60.0, 0.0, 31.5], [0.0, 60.0, 31.5], [0.0, 0.0, 1.0]]
distortions = [0.0, 0.0, 0.0, 0.0]
rotation = [{turn}, 0.0, 0.0]
translation = [0.0, 0.0, 3.0]
fisheye = false
"""


def points(phone: str) -> Keypoints:
    xy = np.random.default_rng(ord(phone)).uniform(5, 60, (FRAMES, 26, 2))
    confidence = np.full((FRAMES, 26), 0.9)
    xy[3, 4], confidence[3, 4] = np.nan, 0.0
    return Keypoints(phone, "by hand", np.arange(FRAMES) / FPS, xy, confidence)


def write_points(project: Project, phone: str, keypoints: Keypoints) -> None:
    atomic.write_arrays(project.layout.take(TAKE) / f"{phone}.npz", pack(keypoints))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project.create(tmp_path / "gym", ProjectInfo("gym", "coach"), Coach("coach", 1.75, 72.0))
    take = DeclaredTake("t", {"a": "a.mp4", "b": "b.mp4"}, keypoints={"a": "a.npz", "b": "b.npz"})
    session = Session("s", "cal.toml", {"a": "one", "b": "two"}, (take,))
    atomic.write_toml(project.layout.session_toml("s"), document(session))
    text = CALIBRATION.format(name="one", turn=0.0) + CALIBRATION.format(name="two", turn=0.5)
    atomic.write_bytes(project.layout.session("s") / "cal.toml", text.encode())
    project.layout.take(TAKE).mkdir(parents=True)
    for phone in "ab":
        frames = (np.full((64, 64, 3), 3 * k, np.uint8) for k in range(FRAMES))
        write_mp4(project.layout.take(TAKE) / f"{phone}.mp4", frames, FPS)
        write_points(project, phone, points(phone))
    run_stage(project, 1, "s", lambda fraction, text: None)
    return project


def take_points(project: Project) -> list[str]:
    told: list[str] = []
    run_stage(project, 2, TAKE, lambda fraction, text: told.append(text))
    return told


def test_they_become_the_result_as_they_are(project: Project) -> None:
    told = take_points(project)
    assert "Taking the keypoints of phone a" in told and not any("detector" in text for text in told)
    for phone in "ab":
        found = project.load(2, TAKE, Keypoints, phone)
        assert np.array_equal(found.xy, points(phone).xy, equal_nan=True) and found.model == "by hand"
    revision = project.revision(2, TAKE)
    assert revision is not None
    summary = revision.record.summary
    assert summary["model"] == "by hand" and summary["frames"] == FRAMES
    assert all(is_known(note) for note in summary["notes"]) and summary["notes"]
    assert {f"sessions/s/takes/t/{phone}.npz" for phone in "ab"} <= set(revision.record.inputs)
    assert "by hand" in project.state(2, TAKE).line


def test_other_keypoints_make_the_stage_stale(project: Project) -> None:
    take_points(project)
    assert project.state(2, TAKE).state == "done"
    write_points(project, "b", replace(points("b"), model="again"))
    assert project.state(2, TAKE).state == "stale"


def late(k: Keypoints) -> Keypoints:
    return replace(k, times=k.times + 0.01)


def short(k: Keypoints) -> Keypoints:
    return replace(k, times=k.times[:-1], xy=k.xy[:-1], confidence=k.confidence[:-1])


def unplaced(k: Keypoints) -> Keypoints:
    return replace(k, confidence=np.full_like(k.confidence, 0.5))


def astray(k: Keypoints) -> Keypoints:
    return replace(k, xy=k.xy + 1e6)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda k: replace(k, phone="a"), "it is of phone a, not of phone b"),
        (short, f"it covers {FRAMES - 1} frames, b.mp4 has {FRAMES}"),
        (lambda k: replace(k, xy=k.xy[:, :17]), "its arrays have the shapes"),
        (late, "its times are not those of the frames of b.mp4"),
        (lambda k: replace(k, confidence=k.confidence + 0.5), "a confidence is not between 0 and 1"),
        (lambda k: replace(k, confidence=k.confidence * np.nan), "a confidence is not between 0 and 1"),
        (unplaced, "a point that was seen has no place in the picture"),
        (astray, "a point that was seen has no place in the picture"),
    ],
)
def test_what_does_not_fit_is_refused(project: Project, spoil: Callable[[Keypoints], Keypoints], why: str) -> None:
    write_points(project, "b", spoil(points("b")))
    with pytest.raises(StudioError) as caught:
        take_points(project)
    error = caught.value
    assert error.why.startswith(why)
    assert all(is_known(part) for part in (error.what, error.why, error.next_step))
    assert project.state(2, TAKE).state == "failed"


def test_one_phone_alone_is_not_enough(project: Project) -> None:
    page = project.layout.session_toml("s")
    page.write_text(page.read_text().replace('b = "b.npz"', ""))
    run_stage(project, 1, "s", lambda fraction, text: None)
    with pytest.raises(StudioError, match="names no file for it"):
        take_points(project)


@pytest.mark.parametrize("damage", [b"", b"PK not a zip", b"\x00" * 400])
def test_a_damaged_file_is_one_sentence(project: Project, damage: bytes) -> None:
    (project.layout.take(TAKE) / "a.npz").write_bytes(damage)
    with pytest.raises(StudioError, match=r"a\.npz cannot be read"):
        take_points(project)


def test_a_file_of_something_else_is_refused(project: Project) -> None:
    camera = Camera("a", 2, 2, np.eye(3), np.zeros(4), np.eye(3), np.zeros(3))
    atomic.write_arrays(project.layout.take(TAKE) / "a.npz", pack(Rig((camera,))))
    with pytest.raises(StudioError, match="it holds Rig, not Keypoints"):
        take_points(project)


def test_a_file_elsewhere_is_refused(project: Project) -> None:
    page = project.layout.session_toml("s")
    page.write_text(page.read_text().replace('b = "b.npz"', 'b = "../b.npz"'))
    with pytest.raises(StudioError, match="only a plain file name"):
        project.session("s")
