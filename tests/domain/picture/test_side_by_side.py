"""The film and the pictures it is made of: the same instant, exact frames, the original rate."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.domain.picture.side_by_side import GAP, Film, write_side_by_side
from studio.domain.picture.video_source import VideoSource
from studio.domain.video.reader import FrameReader
from studio.schema.errors import StudioError

SIZE = (160, 120)


def test_the_film_shows_both_phones_at_the_same_instant(filmed, tmp_path: Path):
    path, told = tmp_path / "film.mp4", []
    film = Film(filmed.take, filmed.files, filmed.rig, filmed.body, filmed.motion)
    count = write_side_by_side(path, film, SIZE, told.append, best=False)
    assert count == filmed.motion.frames == len(told) and told[-1] == 1.0
    with FrameReader(path) as reader:
        assert reader.index.fps == pytest.approx(filmed.motion.fps)
        assert (reader.index.width, reader.index.height) == (2 * SIZE[0] + GAP, 2 * SIZE[1] + GAP)
        first, last = reader.frame(0), reader.frame(count - 1)
    left, right = first[: SIZE[1], : SIZE[0]], first[: SIZE[1], SIZE[0] + GAP :]
    warm = right[..., 0].astype(int) - right[..., 2] > 15
    assert warm[30:].sum() > 60, "the fighter stands at the right"
    assert (first.astype(int) - last)[: SIZE[1], : SIZE[0]].any(), "and the video runs at the left"
    assert np.ptp(left) > 200


def test_sources_are_exact_and_in_sync(filmed):
    late = round(filmed.take.sync.offset("b") * filmed.motion.fps)
    a, b = (VideoSource(filmed.files[p], filmed.rig.camera(p), filmed.take.sync) for p in "ab")
    for source in (a, b):
        source.set_pane(96, 160, (0, 0, 0))
    for k in (0, 17, 3, 35, 34, 9):
        time = k / filmed.motion.fps
        one, two = a.shot(time), b.shot(time)
        assert (one.number, filmed.number_in(one.picture)) == (k, k)
        assert (two.number, filmed.number_in(two.picture)) == (k + late, k + late)
    assert a.has(17 / filmed.motion.fps) and not a.has(20 / filmed.motion.fps)
    with pytest.raises(ValueError, match="read-only"):
        a.shot(0.0).picture[:] = 0
    a.close()
    assert a.shot(0.0).number == 0, "it opens again"
    for source in (a, b):
        source.close()


def test_another_pane_size_makes_new_pictures(filmed):
    source = VideoSource(filmed.files["a"], filmed.rig.camera("a"), filmed.take.sync)
    with pytest.raises(ValueError, match="set_pane"):
        source.shot(0.0)
    source.set_pane(48, 80, (0, 0, 0))
    assert source.shot(0.1).picture.shape == (80, 48, 3)
    camera = source.set_pane(200, 160, (0, 0, 0))
    assert source.shot(0.1).picture.shape == (160, 200, 3) and (camera.width, camera.height) == (200, 160)
    source.close()


def test_a_video_of_another_size_than_its_lens_is_refused(filmed):
    camera = replace(filmed.rig.camera("a"), width=90)
    source = VideoSource(filmed.files["a"], camera, filmed.take.sync)
    source.set_pane(48, 80, (0, 0, 0))
    with pytest.raises(StudioError, match="calibrated"):
        source.shot(0.0)


def test_a_missing_video_is_named(filmed, tmp_path: Path):
    film = Film(filmed.take, {"a": filmed.files["a"]}, filmed.rig, filmed.body, filmed.motion)
    with pytest.raises(StudioError, match="phone B is missing"):
        write_side_by_side(tmp_path / "film.mp4", film, SIZE)
    assert not list(tmp_path.iterdir())
