"""Stage 3 finds the clock of two films in their sound, and everything after it uses what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tomli_w
from scipy.spatial.transform import Rotation

from studio.domain.cameras.undistort import project as project_points
from studio.domain.video.audio import RATE, Sound
from studio.domain.video.writer import write_mp4
from studio.schema.camera import Camera
from studio.schema.codec import document, pack
from studio.schema.errors import StudioError
from studio.schema.keypoints import INDEX, Keypoints, Points
from studio.schema.project import Coach, ProjectInfo
from studio.schema.session import DeclaredTake, Session
from studio.schema.take import Sync
from studio.stages.execute import run_stage
from studio.store import atomic
from studio.store.project import Project

TAKE, FPS, SECONDS = "gym/t", 30.0, 4.0
LATE_S = {"a": 0.0, "b": -0.4}
"""Phone b began to film 0.4 s after phone a, so its clock is behind."""
BY_SOUND = Sync("sound")
CLAPS = (0.9, 1.3, 3.4)
STANDING = {
    "Nose": (0.1, 0.0, 1.6), "Head": (0.0, 0.0, 1.75), "Neck": (0.0, 0.0, 1.45), "Hip": (0.0, 0.0, 0.95),
    "Shoulder": (0.0, 0.18, 1.42), "Elbow": (0.1, 0.24, 1.15), "Wrist": (0.3, 0.2, 1.3), "Knee": (0.03, 0.1, 0.5),
    "Ankle": (0.0, 0.1, 0.08), "Heel": (-0.05, 0.1, 0.02), "BigToe": (0.17, 0.09, 0.02), "SmallToe": (0.14, 0.14, 0.02),
}  # fmt: skip


def person(times: np.ndarray) -> np.ndarray:
    """(T, 26, 3) m: he stands and swings his whole body from side to side and up and down."""
    xyz = np.full((len(times), 26, 3), np.nan)
    for name, (x, y, z) in {**STANDING, "RHip": (0.0, -0.1, 0.93), "LHip": (0.0, 0.1, 0.93)}.items():
        for side, sign in (("L", 1.0), ("R", -1.0)):
            for known in {name, side + name} & set(INDEX):
                xyz[:, INDEX[known]] = (x, y if known == name else sign * y, z)
    swing = np.stack([0.1 * np.sin(4 * times), 0.15 * np.sin(5 * times), 0.08 * np.sin(7 * times)], axis=1)
    return xyz + swing[:, None]


def camera(phone: str, azimuth_deg: float) -> Camera:
    angle = np.radians(azimuth_deg)
    position = np.array([3.5 * np.cos(angle), 3.5 * np.sin(angle), 1.3])
    z = np.array([0.0, 0.0, 0.95]) - position
    z /= np.linalg.norm(z)
    x = np.cross(z, [0.0, 0.0, 1.0])
    x /= np.linalg.norm(x)
    rotation = np.stack([x, np.cross(z, x), z])
    matrix = np.array([[150.0, 0.0, 64.0], [0.0, 150.0, 96.0], [0.0, 0.0, 1.0]])
    return Camera(phone, 128, 192, matrix, np.zeros(4), rotation, -rotation @ position)


CAMERAS = {"a": camera("a", -35.0), "b": camera("b", 35.0)}


def sound(phone: str, claps: tuple[float, ...] = CLAPS) -> Sound:
    rng = np.random.default_rng(ord(phone))
    samples = rng.normal(0, 0.002, round(SECONDS * RATE))
    for number, time in enumerate(claps):
        at = round((time + LATE_S[phone]) * RATE)
        burst = np.random.default_rng(number).normal(0, 0.3, 576) * np.exp(-np.arange(576) / 96)
        samples[at : at + 576] += burst
    return Sound(RATE, samples.astype(np.float32))


def film(project: Project, phone: str, heard: Sound) -> None:
    frames = (np.full((192, 128, 3), k, np.uint8) for k in range(round(SECONDS * FPS)))
    write_mp4(project.layout.take(TAKE) / f"{phone}.mp4", frames, FPS, heard)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Project]:
    def made(declared: Sync = BY_SOUND, start_s: float | None = None) -> Project:
        project = Project.create(tmp_path / "mine", ProjectInfo("gym", "coach"), Coach("coach", 1.75, 72.0))
        folder = project.layout.take(TAKE)
        folder.mkdir(parents=True)
        tables = {
            phone: {
                "name": phone,
                "size": [c.width, c.height],
                "matrix": c.matrix.tolist(),
                "distortions": [0.0] * 4,
                "rotation": Rotation.from_matrix(c.rotation).as_rotvec().tolist(),
                "translation": c.translation.tolist(),
                "fisheye": False,
            }
            for phone, c in CAMERAS.items()
        }
        atomic.write_bytes(project.layout.session("gym") / "cal.toml", tomli_w.dumps(tables).encode())
        times = np.arange(round(SECONDS * FPS)) / FPS
        for phone, c in CAMERAS.items():
            film(project, phone, sound(phone))
            xy = project_points(c, person(times - LATE_S[phone]), distorted=False)
            xy += np.random.default_rng(7).normal(0, 0.2, xy.shape)
            seen = np.isfinite(xy).all(axis=-1)
            atomic.write_arrays(
                folder / f"{phone}.npz", pack(Keypoints(phone, "made", times, xy, np.where(seen, 0.9, 0.0)))
            )
        declare(project, declared, start_s)
        return project

    return made


def declare(project: Project, sync: Sync, start_s: float | None = None) -> None:
    files = {"a": "a.mp4", "b": "b.mp4"}
    take = DeclaredTake("t", files, sync, start_s, None, {"a": "a.npz", "b": "b.npz"})
    atomic.write_toml(
        project.layout.session_toml("gym"), document(Session("gym", "cal.toml", {"a": "a", "b": "b"}, (take,)))
    )


def run(project: Project, *stages: int) -> list[str]:
    told: list[str] = []
    for stage in stages:
        run_stage(project, stage, "gym" if stage == 1 else TAKE, lambda fraction, text: told.append(text))
    return told


def summary(project: Project) -> dict:
    revision = project.revision(3, TAKE)
    assert revision is not None
    return revision.record.summary


def test_the_clock_is_heard_and_used(make: Callable[..., Project]) -> None:
    project = make()
    told = run(project, 1, 2)
    assert project.take(TAKE).sync == Sync("sound"), "not before stage 3 has heard it"
    told = run(project, 3)
    assert "Listening to phone b" in told and "Comparing what the phones heard" in told
    take = project.take(TAKE)
    assert take.sync.method == "sound" and take.sync.offset("b") == pytest.approx(-0.4, abs=0.001)
    assert project.load(3, TAKE, Sync, "sync") == take.sync
    last = SECONDS - 1 / FPS
    assert (take.start_s, take.end_s) == (pytest.approx(0.4, abs=0.001), pytest.approx(last))
    points = project.load(3, TAKE, Points)
    assert points.times[[0, -1]] == pytest.approx([0.4, last], abs=1 / FPS)
    assert np.nanmax(np.linalg.norm(points.xyz - person(points.times), axis=-1)) < 0.05
    figures = summary(project)
    assert (figures["sync"], figures["sync_claps"]) == ("sound", 3)
    assert not {"sync_unmatched", "drift_ppm"} & set(figures), "nothing to tell"
    assert figures["offset_ms"] == pytest.approx(-400, abs=1) and figures["sync_residual_ms"] < 0.5
    assert figures["views_ms"] == pytest.approx(-400, abs=5)


def test_nothing_becomes_stale_by_what_was_found(make: Callable[..., Project]) -> None:
    project = make()
    run(project, 1, 2, 3)
    assert project.filmed_take(TAKE).sync == Sync("sound"), "stage 1's page stays as it was"
    assert [project.state(stage, subject).state for stage, subject in ((1, "gym"), (2, TAKE), (3, TAKE))] == [
        "done"
    ] * 3
    run(project, 3)
    assert project.state(3, TAKE).state == "done"


def test_the_declared_in_is_kept_and_belongs_to_the_inputs(make: Callable[..., Project]) -> None:
    project = make(start_s=1.0)
    run(project, 1, 2, 3)
    assert project.take(TAKE).start_s == 1.0
    assert project.load(3, TAKE, Points).times[0] == pytest.approx(1.0, abs=0.5 / FPS)
    declare(project, Sync("sound"), 2.0)
    run(project, 1)
    assert project.state(3, TAKE).state == "stale"


def test_an_in_before_phone_a_was_overlapped_is_no_error_of_stage_1(make: Callable[..., Project]) -> None:
    """Before the clock is known nobody can tell when phone b was filming."""
    project = make(start_s=3.9)
    film(project, "b", replace(sound("b"), start_s=0.0))
    run(project, 1)
    assert project.filmed_take(TAKE).start_s == 3.9


def test_a_hand_set_offset_wins_over_what_was_heard(make: Callable[..., Project]) -> None:
    project = make()
    run(project, 1, 2, 3)
    declare(project, Sync("hand", {"b": -0.433}))
    run(project, 1, 2, 3)
    take = project.take(TAKE)
    assert take.sync == Sync("hand", {"b": -0.433}) and take.start_s == pytest.approx(0.433)
    revision = project.revision(3, TAKE)
    assert revision is not None
    (finding,) = [f for f in revision.record.findings if f.kind == "sync"]
    assert finding.subject == "b" and finding.value == pytest.approx(33, abs=4)


def test_films_that_do_not_fit_fail_and_say_what_to_do(make: Callable[..., Project]) -> None:
    project = make()
    film(project, "b", sound("b", (1.1, 1.9, 2.9)))
    run(project, 1, 2)
    with pytest.raises(StudioError, match=r"by their sound: .*session\.toml"):
        run(project, 3)
    assert project.state(3, TAKE).state == "failed"
    write_mp4(project.layout.take(TAKE) / "b.mp4", (np.full((192, 128, 3), k, np.uint8) for k in range(120)), FPS)
    run(project, 1, 2)
    with pytest.raises(StudioError, match=r"b\.mp4 has no sound"):
        run(project, 3)


def test_cameras_that_ran_together_are_taken_at_their_word(make: Callable[..., Project]) -> None:
    project = make(Sync("declared", {"b": -0.4}))
    run(project, 1, 2, 3)
    assert project.take(TAKE).sync == Sync("declared", {"b": -0.4})
    assert not {"offset_ms", "views_ms", "sync_claps"} & set(summary(project))
