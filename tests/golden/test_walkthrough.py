"""The walkthrough of both samples: pictures of every page, films and the gates' tables."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from studio.store.project import Project
from studio.ui.gallery import LOOKS, PAGES
from tests.chain import leg_raise_project, padwork, right_knee_project

pytestmark = pytest.mark.timeout(1800)

CHAINS: dict[str, Callable[[], Path]] = {"leg-raise": leg_raise_project, "right-knee": right_knee_project}
TECHNIQUES = {"leg-raise": ("leg-raise",), "right-knee": ("right-knee", "stance")}
EACH = [(sample, technique) for sample, names in TECHNIQUES.items() for technique in names]


@cache
def walked(sample: str) -> Path:
    """The walkthrough's folder, gone on with from the finished chain; run.txt holds what it printed."""
    project = CHAINS[sample]()
    out = project.parent / "walkthrough" / sample
    if not (out / "times.json").exists():
        shutil.copytree(project, out / "project", dirs_exist_ok=True, ignore=shutil.ignore_patterns(".studio"))
        done = padwork(project.parent, "walkthrough", "--out", str(out.parent), "--sample", sample)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        (out / "run.txt").write_text(done.stdout, encoding="utf-8")
    return out


def film(sample: str, name: str) -> list[np.ndarray]:
    with av.open(str(walked(sample) / name)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.mark.parametrize("look", [f"{theme}-{language}" for theme, language in LOOKS])
@pytest.mark.parametrize("page", (*PAGES, "correct"))
@pytest.mark.parametrize("sample", CHAINS)
def test_each_page_has_a_picture_in_each_look(sample: str, page: str, look: str) -> None:
    picture = cv2.imread(str(walked(sample) / "pages" / f"{page}-{look}.png"))
    assert picture is not None and picture.shape == (900, 1440, 3)
    corner = picture[-40:, 300:320].mean()
    assert (corner < 90) if look.startswith("dark") else (corner > 150)
    assert picture[60:840, 230:1100].std() > 4, "there is something on the page"


@pytest.mark.parametrize("sample", CHAINS)
def test_the_film_shows_both_videos_beside_a_fighter_that_moves(sample: str) -> None:
    frames = film(sample, "side-by-side.mp4")
    project = Project.open(walked(sample) / "project")
    assert len(frames) == len(project.reference(TECHNIQUES[sample][0]).qpos)
    half = frames[0].shape[1] // 2
    moved = np.abs(frames[len(frames) // 2].astype(int) - frames[0].astype(int)).max(axis=2) > 40
    assert moved[:, :half].mean() > 0.01 and moved[:, half:].mean() > 0.005


@pytest.mark.parametrize("sample", CHAINS)
def test_a_correction_bends_the_fighter_in_its_window_and_is_taken_back(sample: str) -> None:
    frames = film(sample, "correct.mp4")
    half = frames[0].shape[1] // 2
    apart = [float((np.abs(f[:, half:].astype(int) - frames[0][:, half:]).max(axis=2) > 40).mean()) for f in frames]
    assert len(frames) > 40 and max(apart) > 0.002
    project = Project.open(walked(sample) / "project")
    name = TECHNIQUES[sample][0]
    assert not project.layers(name).layers
    first, *_, last = (revision.data("reference") for revision in project.revisions(5, name))
    assert first != last and first.read_bytes() == last.read_bytes()


@pytest.mark.parametrize(("sample", "technique"), EACH)
def test_a_try_of_each_teacher_is_filmed_to_its_end(sample: str, technique: str) -> None:
    frames = film(sample, f"gate-{technique}.mp4")
    assert len(frames) > 80 and frames[0].std() > 5


@pytest.mark.parametrize("technique", TECHNIQUES["right-knee"])
def test_the_student_is_filmed_beside_his_teacher(technique: str) -> None:
    frames = film("right-knee", f"student-{technique}.mp4")
    assert len(frames) > 80 and frames[0].std() > 5


@pytest.mark.parametrize(("sample", "technique"), EACH)
def test_the_tables_are_there_for_people_and_for_programs(sample: str, technique: str) -> None:
    table = json.loads((walked(sample) / f"gate-{technique}.json").read_text())
    assert len(table["seeds"]) == 6 and table["technique"] == technique
    text = (walked(sample) / f"gate-{technique}.txt").read_text()
    assert text.strip().endswith("passed") and all(row["name"] in text for row in table["rows"])


@pytest.mark.parametrize("sample", CHAINS)
def test_each_step_says_how_long_it_took(sample: str) -> None:
    seconds = json.loads((walked(sample) / "times.json").read_text())
    printed = (walked(sample) / "run.txt").read_text()
    assert len(seconds) >= 6 and all(name in printed for name in seconds)
