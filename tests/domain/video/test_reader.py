from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from studio.domain.video.index import index_video
from studio.domain.video.reader import FrameReader, upright
from studio.schema.errors import StudioError

VFR = [tick for tick in range(140) if tick % 7 != 6]


@pytest.fixture(scope="module")
def constant(tmp_path_factory: pytest.TempPathFactory, clips: SimpleNamespace) -> Path:
    return clips.write(tmp_path_factory.mktemp("cfr") / "a.mp4", list(range(120)), gop=25)


@pytest.fixture(scope="module")
def variable(tmp_path_factory: pytest.TempPathFactory, clips: SimpleNamespace) -> Path:
    return clips.write(tmp_path_factory.mktemp("vfr") / "a.mp4", VFR, gop=25)


@pytest.mark.parametrize("clip", ["constant", "variable"])
def test_any_frame_in_any_order(clip: str, request: pytest.FixtureRequest, clips: SimpleNamespace) -> None:
    with FrameReader(request.getfixturevalue(clip), cache_frames=3) as reader:
        order = np.random.default_rng(5).integers(0, 120, 80)
        assert [clips.number_in(reader.frame(int(i))) for i in order] == order.tolist()


def test_stepping_both_ways(constant: Path, clips: SimpleNamespace) -> None:
    with FrameReader(constant, cache_frames=4) as reader:
        order = [*range(40, 70), *range(70, 20, -1)]
        assert [clips.number_in(reader.frame(i)) for i in order] == order


def test_frames_in_order(variable: Path, clips: SimpleNamespace) -> None:
    with FrameReader(variable) as reader:
        assert [clips.number_in(picture) for picture in reader.frames(23, 31)] == list(range(23, 31))
        assert sum(1 for _ in reader.frames()) == 120


def test_every_keyframe_distance(tmp_path: Path, clips: SimpleNamespace) -> None:
    """One keyframe only, and every frame one."""
    for gop in (1, 200):
        with FrameReader(clips.write(tmp_path / f"{gop}.mp4", list(range(80)), gop=gop), cache_frames=2) as reader:
            assert [clips.number_in(reader.frame(i)) for i in (79, 0, 40, 41, 39)] == [79, 0, 40, 41, 39]


def test_other_containers(tmp_path: Path, clips: SimpleNamespace) -> None:
    for name in ("a.mov", "a.mkv"):
        with FrameReader(clips.write(tmp_path / name, VFR, gop=30), cache_frames=2) as reader:
            assert [clips.number_in(reader.frame(i)) for i in (100, 3, 59, 60, 61)] == [100, 3, 59, 60, 61]


def test_hevc_with_open_groups(tmp_path: Path, clips: SimpleNamespace) -> None:
    """As iPhones film: frames shown before a keyframe may come after it and need the group before."""
    path = clips.write(tmp_path / "a.mov", VFR, rotation=270, gop=20, codec="libx265")
    with FrameReader(path, cache_frames=2) as reader:
        assert reader.index.codec == "hevc"
        assert len(reader.index.keyframes) >= 4
        order = np.random.default_rng(8).integers(0, 120, 60).tolist()
        assert [clips.number_in(reader.frame(i)) for i in order] == order


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_pictures_are_upright(tmp_path: Path, rotation: int, clips: SimpleNamespace) -> None:
    path = clips.write(tmp_path / "a.mp4", list(range(70)), rotation)
    with FrameReader(path) as reader:
        picture = reader.frame(37)
    assert picture.shape == (clips.height, clips.width, 3)
    assert clips.number_in(picture) == 37
    assert np.abs(picture.astype(int) - clips.numbered(37)).mean() < 12


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_as_a_player_turns_it(tmp_path: Path, rotation: int, clips: SimpleNamespace) -> None:
    import cv2

    path = clips.write(tmp_path / "a.mp4", list(range(70)), rotation)
    capture = cv2.VideoCapture(str(path))
    _, shown = capture.read()
    capture.release()
    with FrameReader(path) as reader:
        assert np.abs(reader.frame(0).astype(int) - shown[..., ::-1]).mean() < 3


def test_turning_a_picture() -> None:
    picture = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    assert upright(picture, 0) is picture
    assert upright(picture, 90)[0, 0].tolist() == picture[0, 3].tolist()
    assert upright(picture, 180)[0, 0].tolist() == picture[1, 3].tolist()
    assert upright(picture, 270)[0, 0].tolist() == picture[1, 0].tolist()
    assert all(upright(picture, turn).flags.c_contiguous for turn in (90, 180, 270))


def test_cache_is_bounded_and_hit(constant: Path, clips: SimpleNamespace) -> None:
    reader = FrameReader(constant, cache_frames=5)
    for i in range(60):
        reader.frame(i)
    assert len(reader._cache) == 5
    assert reader.frame(58) is reader.frame(58)
    assert FrameReader(constant, reader.index).capacity == 256 * 2**20 // (clips.width * clips.height * 3)
    reader.close()


def test_pictures_cannot_be_changed_in_the_cache(constant: Path) -> None:
    with FrameReader(constant) as reader, pytest.raises(ValueError, match="read-only"):
        reader.frame(3)[:] = 0


def test_outside(constant: Path) -> None:
    with FrameReader(constant) as reader:
        for i in (-1, 120):
            with pytest.raises(IndexError, match="of 120"):
                reader.frame(i)


def test_many_threads(constant: Path, clips: SimpleNamespace) -> None:
    wanted = np.random.default_rng(3).integers(0, 120, 64).tolist()
    with FrameReader(constant, cache_frames=4) as reader, ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda i: clips.number_in(reader.frame(i)), wanted)) == wanted


def test_usable_after_close(constant: Path, clips: SimpleNamespace) -> None:
    reader = FrameReader(constant)
    reader.frame(7)
    reader.close()
    assert clips.number_in(reader.frame(9)) == 9
    reader.close()


def test_file_that_vanished(tmp_path: Path, constant: Path) -> None:
    path = tmp_path / "a.mp4"
    path.write_bytes(constant.read_bytes())
    index = index_video(path)
    path.unlink()
    with pytest.raises(StudioError, match=r"Frame 5 of a\.mp4"):
        FrameReader(path, index).frame(5)
