"""What the page of the retarget reads from a project."""

from pathlib import Path

import numpy as np
import pytest

from studio.app.review_data import load_review, make_strip
from studio.schema.errors import StudioError
from studio.store.project import Project


def test_the_newest_retarget_is_read_with_all_it_needs(gym: Path):
    data = load_review(Project.open(gym), "right-knee")
    assert data.revision == 1 and data.phones == ("a", "b")
    assert all(path.is_file() and path.parent.name == "two" for path in data.files.values())
    assert data.clock.frames == len(data.retarget.qpos) and data.clock.fps == data.retarget.fps
    assert data.fighter.name == data.retarget.body
    assert {"slide_peak_mm", "penetration_mm", "root_moved_mm", "self_penetration_mm"} <= data.figures.keys()
    assert all(np.isfinite(value) for value in data.figures.values())
    for phone, crop in data.crops.items():
        camera = data.rig.camera(phone)
        assert crop.left >= 0 and crop.left + crop.width <= camera.width
        assert crop.top >= 0 and crop.top + crop.height <= camera.height


def test_before_stage_5_there_is_nothing(made, tmp_path: Path):
    project = made.empty_project(tmp_path / "new")
    with pytest.raises(StudioError):
        load_review(project, "right-knee")


def test_a_file_that_is_no_video_is_told_when_it_is_shown(gym: Path):
    data = load_review(Project.open(gym), "right-knee")
    with pytest.raises(StudioError, match=r"a\.mp4"):
        make_strip(data)
