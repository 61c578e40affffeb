from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest

from studio.domain.video.audio import RATE, Sound, read_sound
from studio.domain.video.index import index_video
from studio.domain.video.writer import write_mp4
from studio.schema.errors import StudioError

CLAPS = (0.512, 1.204, 2.0)
FPS = 30


def clapped(start_s: float = 0.0, seconds: float = 2.6, rate: int = RATE, seed: int = 1) -> Sound:
    """Claps at ``CLAPS`` on the pictures' clock: 12 ms of decaying noise on a quiet room."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(0, 0.002, round((seconds - start_s) * rate))
    burst = round(0.012 * rate)
    for time in CLAPS:
        at = round((time - start_s) * rate)
        samples[at : at + burst] += 0.3 * rng.normal(0, 1, burst) * np.exp(-np.arange(burst) / (0.002 * rate))
    return Sound(rate, samples.astype(np.float32), start_s)


def onsets(sound: Sound) -> list[float]:
    """First moment of each clap (s, pictures' clock) at a quarter of its peak."""
    found = []
    for time in CLAPS:
        first = round((time - 0.03 - sound.start_s) * sound.rate)
        piece = np.abs(sound.samples[first : first + round(0.05 * sound.rate)])
        found.append(sound.start_s + (first + int(np.argmax(piece > 0.25 * piece.max()))) / sound.rate)
    return found


def film(path: Path, sound: Sound | None, clips: SimpleNamespace, frames: int = 78) -> Path:
    write_mp4(path, (clips.numbered(i) for i in range(frames)), FPS, sound)
    return path


@pytest.mark.parametrize("start_s", [0.0, 0.328, 0.0103, -0.2])
def test_claps_stay_where_they_were_through_a_file(tmp_path: Path, clips: SimpleNamespace, start_s: float) -> None:
    given = clapped(start_s)
    path = film(tmp_path / "clap.mp4", given, clips)
    found = read_sound(path)
    assert found.rate == RATE and found.samples.dtype == np.float32 and found.samples.ndim == 1
    assert found.end_s == pytest.approx(given.end_s, abs=0.05)
    assert onsets(found) == pytest.approx(onsets(given), abs=0.0005)
    index = index_video(path)
    assert index.frames == 78 and index.pts[0] == 0 and index.fps == pytest.approx(FPS)


def test_a_film_without_sound_stays_without(tmp_path: Path, clips: SimpleNamespace) -> None:
    with pytest.raises(StudioError, match=r"silent.mp4 has no sound.*by hand in session.toml"):
        read_sound(film(tmp_path / "silent.mp4", None, clips))


def test_sound_and_pictures_lie_side_by_side(tmp_path: Path, clips: SimpleNamespace) -> None:
    """A player that streams needs both at the same place of the file."""
    path = film(tmp_path / "long.mp4", clapped(seconds=6.0), clips, 180)
    with av.open(str(path)) as container:
        seen = {"video": 0.0, "audio": 0.0}
        for packet in container.demux():
            if packet.size and packet.dts is not None:
                seen[packet.stream.type] = float(packet.dts * packet.time_base)
                if min(seen.values()) > 0.5:
                    assert abs(seen["video"] - seen["audio"]) < 2.0


@pytest.mark.parametrize(
    ("rate", "kind"),
    [
        (44_100, ("pcm_s16le", "stereo", "mov")),
        (44_100, ("aac", "stereo", "mp4")),
        (44_100, ("flac", "mono", "matroska")),
        (32_000, ("pcm_s24le", "mono", "matroska")),
    ],
)
def test_other_rates_channels_and_codecs(tmp_path: Path, rate: int, kind: tuple[str, str, str]) -> None:
    given = clapped(0.25, rate=rate)
    write_other(tmp_path / "clip", given, kind)
    found = read_sound(tmp_path / "clip")
    assert found.rate == RATE
    assert onsets(found) == pytest.approx(onsets(given), abs=0.0005)


def write_other(path: Path, sound: Sound, kind: tuple[str, str, str], gap: int = 0) -> None:
    """A film by another program (codec, layout, container): its pictures start at 0.2 s of the container; the sound
    has a gap of so many samples after a second."""
    codec, layout, container = kind
    options = {"movie_timescale": "48000"} if container in ("mov", "mp4") else {}
    with av.open(str(path), "w", format=container, options=options) as out:
        video: Any = out.add_stream("libx264", rate=FPS, options={"bf": "0"})
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        audio: Any = out.add_stream(codec, rate=sound.rate, layout=layout, options={"aac_pns": "0"})
        video.codec_context.time_base = Fraction(1, FPS)
        channels = audio.codec_context.layout.nb_channels
        wanted = audio.codec_context.format.name
        resampler = av.AudioResampler(format=wanted, layout=layout, rate=sound.rate)
        for k in range(78):
            picture = av.VideoFrame.from_ndarray(np.full((48, 64, 3), 2 * k, np.uint8), format="rgb24")
            picture.pts, picture.time_base = k + 6, Fraction(1, FPS)
            out.mux(video.encode(picture))
        for at in range(0, len(sound.samples), 1024):
            samples = np.repeat(sound.samples[None, at : at + 1024], channels, axis=0)
            frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples), format="fltp", layout=layout)
            frame.sample_rate, frame.time_base = sound.rate, Fraction(1, sound.rate)
            frame.pts = round((0.2 + sound.start_s) * sound.rate) + at + (gap if at > sound.rate else 0)
            for part in resampler.resample(frame):
                out.mux(audio.encode(part))
        out.mux(video.encode())
        out.mux(audio.encode())


def test_sound_after_a_gap_is_where_its_time_stamp_says(tmp_path: Path) -> None:
    whole = clapped()
    first, cut = 1024 * 47, round(1.15 * RATE)
    missing = Sound(RATE, np.delete(whole.samples, slice(first, cut)), 0.0)
    write_other(tmp_path / "gap", missing, ("pcm_s16le", "mono", "matroska"), gap=cut - first)
    assert onsets(read_sound(tmp_path / "gap")) == pytest.approx(onsets(whole), abs=0.0005)


def test_what_cannot_be_heard_is_refused(tmp_path: Path, clips: SimpleNamespace) -> None:
    with pytest.raises(StudioError, match="no such file"):
        read_sound(tmp_path / "none.mp4")
    (tmp_path / "text.mp4").write_bytes(b"not a film" * 100)
    with pytest.raises(StudioError, match=r"The sound of text.mp4 is damaged"):
        read_sound(tmp_path / "text.mp4")
    path = film(tmp_path / "clap.mp4", clapped(), clips)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StudioError, match=r"The sound of clap.mp4 is damaged"):
        read_sound(path)


def test_slow_motion_is_told(tmp_path: Path) -> None:
    path = tmp_path / "slow.mp4"
    with av.open(str(path), "w", format="mp4", options={"movflags": "use_metadata_tags"}) as out:
        out.metadata["com.android.capture.fps"] = "240.0"
        video: Any = out.add_stream("libx264", rate=FPS)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        audio: Any = out.add_stream("aac", rate=RATE, layout="mono")
        for _ in range(30):
            out.mux(video.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")))
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = RATE
        out.mux(audio.encode(frame))
        out.mux(video.encode())
        out.mux(audio.encode())
    with pytest.raises(StudioError, match="240 pictures a second are played at 30"):
        read_sound(path)
