import wave
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from studio.domain.video.index import index_video
from studio.schema.errors import StudioError

VFR = [tick for tick in range(105) if tick % 7 != 6]


def test_constant_rate(tmp_path: Path, clips: SimpleNamespace) -> None:
    index = index_video(clips.write(tmp_path / "a.mp4", list(range(90)), gop=30))
    assert index.frames == 90
    assert np.allclose(index.pts, np.arange(90) / 60, atol=1e-4)
    assert index.fps == pytest.approx(60)
    assert index.duration_s == pytest.approx(1.5)
    assert (index.width, index.height, index.rotation) == (clips.width, clips.height, 0)
    assert index.keyframes.tolist() == [0, 30, 60]
    assert index.codec == "h264"


def test_variable_rate_keeps_true_times(tmp_path: Path, clips: SimpleNamespace) -> None:
    index = index_video(clips.write(tmp_path / "a.mp4", VFR))
    assert index.frames == 90
    assert np.allclose(index.pts, np.array(VFR) / 60, atol=1e-4)


def test_first_frame_is_zero_whatever_the_container_says(tmp_path: Path, clips: SimpleNamespace) -> None:
    index = index_video(clips.write(tmp_path / "a.mkv", [tick + 45 for tick in range(80)]))
    assert index.pts[0] == 0
    assert index.start_s == pytest.approx(0.75, abs=2e-3)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_upright_size(tmp_path: Path, rotation: int, clips: SimpleNamespace) -> None:
    index = index_video(clips.write(tmp_path / "a.mp4", list(range(70)), rotation))
    assert (index.width, index.height, index.rotation) == (clips.width, clips.height, rotation)
    turned = rotation in (90, 270)
    assert (index.coded_width, index.coded_height) == (
        (clips.height, clips.width) if turned else (clips.width, clips.height)
    )


def refusal(path: Path) -> StudioError:
    with pytest.raises(StudioError) as caught:
        index_video(path)
    assert path.name in caught.value.what
    return caught.value


def test_missing(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "gone.mp4").why


def test_a_folder_is_no_video(tmp_path: Path) -> None:
    refusal(tmp_path)


def test_text_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "notes.mp4"
    path.write_text("a letter, not a film. " * 400)
    assert "not a video" in refusal(path).what


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.mov"
    path.write_bytes(b"")
    refusal(path)


def test_sound_alone_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(32000))
    assert "no picture" in refusal(path).why


def test_too_short(tmp_path: Path, clips: SimpleNamespace) -> None:
    error = refusal(clips.write(tmp_path / "a.mp4", list(range(48))))
    assert "0.80 s" in error.why


def test_mirrored(tmp_path: Path, clips: SimpleNamespace) -> None:
    assert "mirrored" in refusal(clips.write(tmp_path / "a.mp4", list(range(70)), hflip=True)).what


def test_cut_off_before_the_table_of_contents(tmp_path: Path, clips: SimpleNamespace) -> None:
    path = clips.write(tmp_path / "a.mp4", list(range(90)))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    error = refusal(path)
    assert "cut off" in error.what
    assert "table of contents" in error.why


def _table_first(path: Path) -> bytes:
    """The clip with its table of contents in front, as a phone's share sheet makes it."""
    import av

    copy = path.with_name("front.mp4")
    with av.open(str(path)) as source, av.open(str(copy), "w", options={"movflags": "faststart"}) as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    return copy.read_bytes()


@pytest.mark.parametrize("kept", [0.6, 0.9, 0.999])
def test_cut_off_in_the_pictures(tmp_path: Path, kept: float, clips: SimpleNamespace) -> None:
    whole = _table_first(clips.write(tmp_path / "a.mp4", list(range(90))))
    assert whole.index(b"moov") < whole.index(b"mdat")
    path = tmp_path / "cut.mp4"
    path.write_bytes(whole[: int(len(whole) * kept)])
    assert "cut off" in refusal(path).what


def test_damaged_end(tmp_path: Path, clips: SimpleNamespace) -> None:
    """The table promises frames whose bytes are gone."""
    whole = bytearray(_table_first(clips.write(tmp_path / "a.mp4", list(range(90)), gop=90)))
    path = tmp_path / "zeros.mp4"
    whole[-len(whole) // 3 :] = bytes(len(whole) // 3 + (len(whole) % 3 > 0))
    path.write_bytes(whole)
    assert "cut off" in refusal(path).what
