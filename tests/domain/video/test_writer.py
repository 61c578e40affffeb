from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from studio.domain.video.index import index_video
from studio.domain.video.reader import FrameReader
from studio.domain.video.writer import write_mp4
from studio.schema.errors import StudioError


def test_what_was_written_is_read(tmp_path: Path, clips: SimpleNamespace) -> None:
    path = tmp_path / "film.mp4"
    assert write_mp4(path, (clips.numbered(i) for i in range(75)), 50.0) == 75
    index = index_video(path)
    assert (index.frames, index.codec) == (75, "h264")
    assert index.fps == pytest.approx(50)
    with FrameReader(path, index) as reader:
        assert [clips.number_in(reader.frame(i)) for i in (0, 74, 30)] == [0, 74, 30]
        assert np.abs(reader.frame(10).astype(int) - clips.numbered(10)).mean() < 12
    assert [entry.name for entry in tmp_path.iterdir()] == ["film.mp4"]


def test_every_player_can_show_it(tmp_path: Path, clips: SimpleNamespace) -> None:
    import av

    write_mp4(tmp_path / "film.mp4", (clips.numbered(i) for i in range(60)), 59.94)
    with av.open(str(tmp_path / "film.mp4")) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert float(stream.average_rate) == pytest.approx(59.94, abs=1e-3)
    assert (tmp_path / "film.mp4").read_bytes().index(b"moov") < 100


def test_odd_sizes_are_made_even(tmp_path: Path, clips: SimpleNamespace) -> None:
    write_mp4(tmp_path / "film.mp4", (clips.numbered(i, 95, 127) for i in range(60)), 50)
    index = index_video(tmp_path / "film.mp4")
    assert (index.width, index.height) == (128, 96)


def test_nothing_to_write(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="no picture"):
        write_mp4(tmp_path / "film.mp4", [], 50)
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_old_film(tmp_path: Path, clips: SimpleNamespace) -> None:
    path = tmp_path / "film.mp4"
    path.write_bytes(b"the old one")

    def broken():
        yield clips.numbered(0)
        yield clips.numbered(1, 64, 64)

    with pytest.raises(ValueError, match="picture 1 has shape"):
        write_mp4(path, broken(), 50)
    assert path.read_bytes() == b"the old one"
    assert len(list(tmp_path.iterdir())) == 1
