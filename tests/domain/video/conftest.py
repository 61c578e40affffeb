"""Clips with known content: each frame carries its number as eight black or white bars, most significant first."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import av
import numpy as np
import pytest

WIDTH, HEIGHT, BITS, FPS = 128, 96, 8, 60


def numbered(number: int, height: int = HEIGHT, width: int = WIDTH) -> np.ndarray:
    """(height, width, 3) uint8: the number in bars on the left three quarters, a red patch in the top right corner."""
    picture = np.full((height, width, 3), 90, dtype=np.uint8)
    span = width * 3 // 4 // BITS
    for bit in range(BITS):
        picture[:, bit * span : (bit + 1) * span] = 235 if number >> (BITS - 1 - bit) & 1 else 16
    picture[: height // 4, -width // 5 :] = (220, 20, 20)
    return picture


def number_in(picture: np.ndarray) -> int:
    """The number that an upright picture carries."""
    height, width = picture.shape[:2]
    span = width * 3 // 4 // BITS
    row = picture[height // 3 : height * 2 // 3].mean((0, 2))
    bits = [row[bit * span + span // 4 : bit * span + 3 * span // 4].mean() > 120 for bit in range(BITS)]
    return sum(bit << (BITS - 1 - i) for i, bit in enumerate(bits))


def write_clip(
    path: Path, pts: list[int], rotation: int = 0, *, gop: int = 12, hflip: bool = False, codec: str = "libx264"
) -> Path:
    """One frame for each of ``pts`` (in 1/60 s), numbered from 0; stored turned so that ``rotation`` undoes it."""
    with av.open(str(path), "w") as container:
        quality = {"x265-params": "log-level=none"} if codec == "libx265" else {"bf": "2"}
        stream = container.add_stream(codec, rate=FPS, options={"crf": "12", **quality})
        stream.gop_size = gop
        stream.pix_fmt = "yuv420p"
        upright = numbered(0)
        stored = np.rot90(upright, -rotation // 90)
        stream.height, stream.width = stored.shape[:2]
        stream.time_base = Fraction(1, FPS)
        if rotation or hflip:
            stream.set_display_rotation(rotation, hflip=hflip)
        for number, tick in enumerate(pts):
            picture = np.ascontiguousarray(np.rot90(numbered(number), -rotation // 90))
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = tick, Fraction(1, FPS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


@pytest.fixture(scope="session")
def clips() -> SimpleNamespace:
    """The functions of this file, and the size of its clips."""
    return SimpleNamespace(
        write=write_clip, numbered=numbered, number_in=number_in, width=WIDTH, height=HEIGHT, size=(WIDTH, HEIGHT)
    )
