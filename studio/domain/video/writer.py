"""Writing a film that every player opens: H.264, yuv420p, and AAC where there is sound, MP4."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from studio.domain.video.audio import Sound
from studio.schema.errors import StudioError

QUALITY = {"crf": "20", "preset": "veryfast", "threads": "1"}
"""One thread: with several, x264 now and then makes other bytes of the same pictures."""

SOUND_BIT_RATE = 192_000
SOUND_QUALITY = {"aac_coder": "fast"}
"""The other coder puts noise for noise (PNS) in frames of 21 ms and so spreads a clap up to 3 ms ahead of itself, at
half its loudness; this one leaves its first moment where it was (measured at 96 to 320 kbit/s)."""
PIECE = 1024
"""Samples handed to the AAC coder at once, its own frame."""
CONTAINER = {"movflags": "faststart", "movie_timescale": "48000"}
"""The movie's clock ticks as finely as the sound's: a track that starts later is placed to the sample, not to the
millisecond."""


def write_mp4(path: Path | str, frames: Iterable[np.ndarray], fps: float, sound: Sound | None = None) -> int:
    """Write pictures (H, W, 3) uint8 RGB at ``fps`` and return how many. The file appears whole or not at all.

    An odd height or width is made even by repeating the last row or column, which the format asks for. ``sound`` is
    placed by its ``start_s``; what sounded before the first picture is left out.
    Raises :class:`StudioError` when there is no picture, ``ValueError`` when one has another shape than the first.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        count = _encode(part, frames, fps, sound)
        if not count:
            raise StudioError(f"{path.name} was not written", "there is no picture to write", "Choose a longer stretch")
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return count


def _encode(part: Path, frames: Iterable[np.ndarray], fps: float, sound: Sound | None) -> int:
    import av

    count, shape, stream, track = 0, None, None, None
    with av.open(str(part), "w", format="mp4", options=CONTAINER) as container:
        for picture in frames:
            if stream is None:
                shape = picture.shape
                stream = _stream(container, shape, fps)
                track = _SoundTrack(container, sound) if sound is not None else None
            elif picture.shape != shape:
                raise ValueError(f"picture {count} has shape {picture.shape}, the first had {shape}")
            container.mux(stream.encode(av.VideoFrame.from_ndarray(_even(picture), format="rgb24")))
            count += 1
            if track is not None:
                track.write_until(count / fps)
        if stream is not None:
            container.mux(stream.encode())
        if track is not None:
            track.finish()
    return count


class _SoundTrack:
    """The AAC track of a film, written along with its pictures so that a player finds both in one place."""

    def __init__(self, container: Any, sound: Sound) -> None:
        self._container = container
        self._stream = container.add_stream("aac", rate=sound.rate, options=SOUND_QUALITY)
        self._stream.layout = "mono"
        self._stream.bit_rate = SOUND_BIT_RATE
        self._rate = sound.rate
        first = max(round(-sound.start_s * sound.rate), 0)
        self._late = max(round(sound.start_s * sound.rate), 0)
        self._samples = np.clip(sound.samples[first:], -1.0, 1.0).astype(np.float32)
        self._pieces = self._frames()
        self._next_s = 0.0

    def write_until(self, time_s: float) -> None:
        """Everything that begins before ``time_s`` (s since the first picture)."""
        while self._next_s < time_s and (frame := next(self._pieces, None)) is not None:
            self._next_s = (frame.pts + PIECE) / self._rate
            self._container.mux(self._stream.encode(frame))

    def finish(self) -> None:
        """The rest, and what the coder held back."""
        self.write_until(float("inf"))
        self._container.mux(self._stream.encode())

    def _frames(self) -> Iterator[Any]:
        import av

        for at in range(0, len(self._samples), PIECE):
            piece = np.ascontiguousarray(self._samples[None, at : at + PIECE])
            frame = av.AudioFrame.from_ndarray(piece, format="fltp", layout="mono")
            frame.sample_rate, frame.time_base = self._rate, Fraction(1, self._rate)
            frame.pts = self._late + at
            yield frame


def _stream(container: Any, shape: tuple[int, ...], fps: float) -> Any:
    stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(60_000), options=QUALITY)
    stream.height, stream.width = (side + side % 2 for side in shape[:2])
    stream.pix_fmt = "yuv420p"
    return stream


def _even(picture: np.ndarray) -> np.ndarray:
    height, width = picture.shape[:2]
    if height % 2 or width % 2:
        picture = np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    return np.ascontiguousarray(picture)
