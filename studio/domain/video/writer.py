"""Writing a film that every player opens: H.264, yuv420p, MP4."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from studio.schema.errors import StudioError

QUALITY = {"crf": "20", "preset": "veryfast"}


def write_mp4(path: Path | str, frames: Iterable[np.ndarray], fps: float) -> int:
    """Write pictures (H, W, 3) uint8 RGB at ``fps`` and return how many. The file appears whole or not at all.

    An odd height or width is made even by repeating the last row or column, which the format asks for.
    Raises :class:`StudioError` when there is no picture, ``ValueError`` when one has another shape than the first.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        count = _encode(part, frames, fps)
        if not count:
            raise StudioError(f"{path.name} was not written", "there is no picture to write", "Choose a longer stretch")
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return count


def _encode(part: Path, frames: Iterable[np.ndarray], fps: float) -> int:
    import av

    count, shape, stream = 0, None, None
    with av.open(str(part), "w", format="mp4", options={"movflags": "faststart"}) as container:
        for picture in frames:
            if stream is None:
                shape = picture.shape
                stream = _stream(container, shape, fps)
            elif picture.shape != shape:
                raise ValueError(f"picture {count} has shape {picture.shape}, the first had {shape}")
            container.mux(stream.encode(av.VideoFrame.from_ndarray(_even(picture), format="rgb24")))
            count += 1
        if stream is not None:
            container.mux(stream.encode())
    return count


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
