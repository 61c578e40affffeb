"""The walkthrough of the sample: pictures of every page, films and the gate's table."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from tests.chain import leg_raise_project, padwork

PAGES = ("home", "capture", "keypoints", "space", "skeleton", "review", "variants", "teacher", "gate", "student")
LOOKS = ("dark-en", "light-ja")


@cache
def walked() -> Path:
    """The walkthrough's folder, gone on with from the finished chain; run.txt holds what it printed."""
    project = leg_raise_project()
    out = project.parent / "walkthrough"
    if not (out / "times.json").exists():
        shutil.copytree(project, out / "project", dirs_exist_ok=True, ignore=shutil.ignore_patterns(".studio"))
        done = padwork(project.parent, "walkthrough", "--out", str(out))
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        (out / "run.txt").write_text(done.stdout, encoding="utf-8")
    return out


def film(name: str) -> list[np.ndarray]:
    with av.open(str(walked() / name)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("page", PAGES)
def test_each_page_has_a_picture_in_each_look(page: str, look: str) -> None:
    picture = cv2.imread(str(walked() / "pages" / f"{page}-{look}.png"))
    assert picture is not None and picture.shape == (900, 1440, 3)
    corner = picture[-40:, 300:320].mean()
    assert (corner < 90) if look.startswith("dark") else (corner > 150)
    assert picture[60:840, 230:1100].std() > 4, "there is something on the page"


def test_the_film_shows_both_videos_beside_a_fighter_that_moves() -> None:
    frames = film("side-by-side.mp4")
    assert len(frames) == 100
    half = frames[0].shape[1] // 2
    moved = np.abs(frames[50].astype(int) - frames[0].astype(int)).max(axis=2) > 40
    assert moved[:, :half].mean() > 0.01 and moved[:, half:].mean() > 0.005


def test_the_try_on_the_bag_is_filmed_to_its_end() -> None:
    frames = film("gate.mp4")
    assert len(frames) > 80 and frames[0].std() > 5


def test_the_table_is_there_for_people_and_for_programs() -> None:
    table = json.loads((walked() / "gate.json").read_text())
    assert len(table["seeds"]) == 6 and {"air", "bag"} == set(table["trajectory_sha256"])
    text = (walked() / "gate.txt").read_text()
    assert text.strip().endswith("passed") and all(row["name"] in text for row in table["rows"])


def test_each_step_says_how_long_it_took() -> None:
    seconds = json.loads((walked() / "times.json").read_text())
    printed = (walked() / "run.txt").read_text()
    assert len(seconds) >= 5 and all(name in printed for name in seconds)
