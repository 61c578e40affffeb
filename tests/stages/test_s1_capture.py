from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studio.domain.video.writer import write_mp4
from studio.schema.errors import StudioError
from studio.stages.execute import run_stage
from studio.store.project import Project
from studio.store.samples import copy_sample

TAKE = "demo/leg-raise"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_sample("leg-raise", tmp_path / "mine")


def capture(project: Project) -> None:
    run_stage(project, 1, "demo", lambda fraction, text: None)


def test_the_sample_becomes_a_rig_and_a_take(project: Project) -> None:
    capture(project)
    take, rig = project.take(TAKE), project.rig("demo")
    assert [(v.width, v.height, v.frames, v.rotation) for v in take.videos] == [(1080, 1920, 100, 0)] * 2
    assert take.videos[0].fps == pytest.approx(60.0) and take.end_s == pytest.approx(99 / 60)
    assert [c.phone for c in rig.cameras] == ["a", "b"]
    assert all((c.width, c.height) == (1080, 1920) for c in rig.cameras)
    assert len(rig.notes) == 2 and "1088" in rig.notes[0], "what was done to the calibration is said"
    rays = [c.rotation[2] for c in rig.cameras]
    assert np.degrees(np.arccos(rays[0] @ rays[1])) == pytest.approx(48.6, abs=0.5)


def test_a_missing_video_is_named_and_leaves_a_failed_state(project: Project) -> None:
    (project.layout.take(TAKE) / "b.mp4").unlink()
    with pytest.raises(StudioError, match=r"b\.mp4 is missing"):
        capture(project)
    assert not project.layout.rig_toml("demo").exists()


def test_a_truncated_video_is_refused_and_recorded(project: Project) -> None:
    path = project.layout.take(TAKE) / "a.mp4"
    path.write_bytes(path.read_bytes()[:200_000])
    with pytest.raises(StudioError, match=r"a\.mp4"):
        capture(project)
    state = project.state(1, "demo")
    assert state.state == "failed" and "a.mp4" in state.why


def test_a_size_the_calibration_does_not_know_is_refused_with_both_sizes(project: Project) -> None:
    path = project.layout.take(TAKE) / "a.mp4"
    frames = (np.full((320, 240, 3), 40 + n, dtype=np.uint8) for n in range(40))
    write_mp4(path, frames, 30)
    with pytest.raises(StudioError, match=r"1088 x 1920 px, the video is 240 x 320 px"):
        capture(project)


def test_a_phone_without_a_lens_is_refused(project: Project) -> None:
    page = project.layout.session_toml("demo")
    page.write_text(page.read_text().replace("cam02", "cam09"))
    with pytest.raises(StudioError, match="Phone b has no calibration"):
        capture(project)


def test_in_and_out_are_kept_and_an_empty_take_is_refused(project: Project) -> None:
    page = project.layout.session_toml("demo")
    declared = page.read_text()
    page.write_text(declared + "start_s = 0.5\nend_s = 1.0\n")
    capture(project)
    assert (project.take(TAKE).start_s, project.take(TAKE).end_s) == (0.5, 1.0)
    page.write_text(declared + "start_s = 1.0\nend_s = 0.5\n")
    with pytest.raises(StudioError, match="is empty"):
        capture(project)
    assert project.take(TAKE).end_s == 1.0, "what was there stays"


def test_an_offset_moves_the_common_window(project: Project) -> None:
    page = project.layout.session_toml("demo")
    page.write_text(page.read_text().replace('sync = { method = "declared" }', "sync = { offset_s = { b = 0.25 } }"))
    capture(project)
    take = project.take(TAKE)
    assert take.start_s == 0.0 and take.end_s == pytest.approx(99 / 60 - 0.25)


def test_two_phones_are_two_videos_and_two_cameras(project: Project) -> None:
    page = project.layout.session_toml("demo")
    text = page.read_text()
    page.write_text(text.replace('b = "b.mp4"', 'b = "a.mp4"'))
    with pytest.raises(StudioError, match="both phones name the same video"):
        capture(project)
    page.write_text(text.replace('"cam02"', '"cam01"'))
    with pytest.raises(StudioError, match="both phones name the same camera"):
        capture(project)
