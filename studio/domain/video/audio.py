"""The sound of a video file, on the clock of its pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from studio.schema.errors import StudioError

RATE = 48_000
"""Samples per second (Hz) at which every sound is read; what phones record."""
LONGEST_S = 1800.0
"""A sound longer than this is refused before it fills the memory (350 MB)."""
SEAM_S = 0.002
"""Sound that continues within this time of where the last piece ended follows it without a seam: time stamps are
rounded to the container's ticks. What begins later leaves silence."""
SLOW_MOTION = 1.5
"""A camera that took so many times more pictures per second than are played was filming in slow motion."""


@dataclass(frozen=True, eq=False)
class Sound:
    """``samples`` (N,) float32 mono, 1.0 full scale, at ``rate`` (Hz); ``start_s``: when the first of them sounded, in
    seconds since the first picture of its file (``pts`` 0 of :class:`studio.domain.video.index.VideoIndex`)."""

    rate: int
    samples: np.ndarray
    start_s: float = 0.0

    @property
    def duration_s(self) -> float:
        """Seconds from the first sample to after the last."""
        return len(self.samples) / self.rate

    @property
    def end_s(self) -> float:
        """When it ends, on the clock of its pictures (s)."""
        return self.start_s + self.duration_s


@dataclass
class _Track:
    """What was decoded so far: pieces of one rate, each with its first sample's time (s, container's clock)."""

    rate: int = 0
    start_s: float = 0.0
    length: int = 0
    pieces: list[tuple[int, np.ndarray]] = field(default_factory=list)

    def add(self, path: Path, frame: Any) -> None:
        samples = _mono(frame)
        if not self.pieces:
            self.rate, self.start_s = frame.sample_rate, float(frame.pts * frame.time_base)
        elif frame.sample_rate != self.rate:
            raise _damaged(path, f"it changes from {self.rate} to {frame.sample_rate} samples per second")
        late = float(frame.pts * frame.time_base) - self.start_s - self.length / self.rate
        at = self.length + (round(late * self.rate) if late > SEAM_S else 0)
        self.length = at + len(samples)
        if self.length > LONGEST_S * self.rate:
            raise StudioError(
                f"The sound of {path.name} cannot be used",
                f"it lasts longer than {LONGEST_S / 60:.0f} minutes",
                "Cut the film into takes",
            )
        self.pieces.append((at, samples))

    def samples(self) -> np.ndarray:
        sound = np.zeros(self.length, np.float32)
        for at, piece in self.pieces:
            sound[at : at + len(piece)] = piece
        return sound


def read_sound(path: Path | str) -> Sound:
    """The first sound track of a video file: all channels together, at 48 kHz, every piece where its own time stamp
    puts it.

    Raises :class:`StudioError` where the file is missing or damaged, has no picture or no sound track, was filmed in
    slow motion (its sound does not run with its pictures), or lasts longer than half an hour.
    """
    import av
    import av.error

    path = Path(path)
    if not path.is_file():
        raise StudioError(f"{path.name} cannot be opened", "there is no such file", "Choose the video again")
    try:
        with av.open(str(path)) as container:
            _require_tracks(path, container)
            track, picture_s = _decode(path, container)
    except av.error.FFmpegError as error:
        raise _damaged(path, (error.strerror or str(error)).lower()) from error
    return Sound(RATE, _at_rate(track.samples(), track.rate), track.start_s - picture_s)


def _require_tracks(path: Path, container: Any) -> None:
    if not container.streams.video:
        raise StudioError(f"{path.name} is not a video", "it has no picture", "Choose the phone's video file")
    if not container.streams.audio:
        raise StudioError(
            f"{path.name} has no sound", "it holds pictures alone", "Set the offset by hand in session.toml"
        )
    video = container.streams.video[0]
    tags = {**container.metadata, **video.metadata}
    try:  # Android says at which rate the camera took what is played slower
        taken = float(tags.get("com.android.capture.fps", 0.0))
    except ValueError:
        taken = 0.0
    played = float(video.average_rate or 0.0)
    if played and taken > SLOW_MOTION * played:
        raise StudioError(
            f"{path.name} was filmed in slow motion",
            f"{taken:.0f} pictures a second are played at {played:.0f}",
            "Film without slow motion",
        )


def _decode(path: Path, container: Any) -> tuple[_Track, float]:
    """The whole track, and when the first shown picture stands (s, container's clock). Pictures are not decoded."""
    video, audio = container.streams.video[0], container.streams.audio[0]
    track, pictures = _Track(), []
    for packet in container.demux(video, audio):
        if packet.stream is video:
            if packet.size and packet.pts is not None and not packet.is_discard:
                pictures.append(packet.pts)
            continue
        for frame in packet.decode():
            if frame.pts is None or not frame.sample_rate:
                raise _damaged(path, "it carries no times")
            track.add(path, frame)
    if not pictures or not track.length:
        raise _damaged(path, "nothing in it can be decoded")
    return track, float(min(pictures) * video.time_base)


def _mono(frame: Any) -> np.ndarray:
    """(N,) float32: the mean of a frame's channels, full scale 1."""
    samples = frame.to_ndarray()
    if not frame.format.is_planar:
        samples = samples.reshape(-1, frame.layout.nb_channels).T
    if samples.dtype == np.uint8:
        samples = (samples.astype(np.float32) - 128) / 128
    elif samples.dtype.kind == "i":
        samples = samples.astype(np.float32) / np.float32(-float(np.iinfo(samples.dtype).min))
    mono = samples.mean(axis=0, dtype=np.float32)
    return np.where(np.isfinite(mono), mono, np.float32(0.0))


def _at_rate(samples: np.ndarray, rate: int) -> np.ndarray:
    """Resampled to ``RATE`` by a filter without delay, so that nothing moves in time."""
    if rate == RATE:
        return samples
    from scipy.signal import resample_poly

    common = int(np.gcd(RATE, rate))
    return resample_poly(samples, RATE // common, rate // common).astype(np.float32)


def _damaged(path: Path, why: str) -> StudioError:
    return StudioError(f"The sound of {path.name} is damaged", why, "Copy it from the phone again")
