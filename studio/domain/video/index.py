"""The index of a video file: when each frame was taken, and where decoding can start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studio.schema.errors import StudioError

SHORTEST_S = 1.0
MIRRORED = -1


@dataclass(frozen=True, eq=False)
class VideoIndex:
    """What a file holds, by presentation order.

    ``pts`` (T,) s since the first frame, strictly increasing; ``ticks`` (T,) int64, the same in the container's
    ``time_base`` (s per tick); ``keyframes`` (K,) numbers of the frames where decoding can start and ``seek_ticks``
    (K,) the decoding time to seek to for each. ``width`` and ``height`` are those of the upright picture,
    ``coded_width`` and ``coded_height`` of the stored one, which must be turned counter-clockwise by ``rotation``
    (0, 90, 180 or 270 degrees) to be upright. ``fps`` is the mean rate, ``start_s`` the first frame's time on the
    container's clock, which its sound shares.
    """

    path: Path
    pts: np.ndarray
    ticks: np.ndarray
    time_base: float
    keyframes: np.ndarray
    seek_ticks: np.ndarray
    width: int
    height: int
    coded_width: int
    coded_height: int
    rotation: int
    fps: float
    codec: str
    duration_s: float
    start_s: float

    @property
    def frames(self) -> int:
        return len(self.pts)


@dataclass(frozen=True)
class _Packet:
    pts: int
    dts: int
    key: bool


def index_video(path: Path | str) -> VideoIndex:
    """Read every frame's time by demuxing, decode the last stretch to see that the file is whole.

    Raises :class:`StudioError` for a file that is missing, is no video, is cut off, has no times, is mirrored or is
    shorter than a second.
    """
    import av
    import av.error

    path = Path(path)
    if not path.is_file():
        raise StudioError(f"{path.name} cannot be opened", "there is no such file", "Choose the video again")
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise StudioError(f"{path.name} is not a video", "it has no picture", "Choose the phone's video file")
            return _index(path, container, container.streams.video[0])
    except av.error.InvalidDataError as error:
        raise _unreadable(path) from error
    except (av.error.FFmpegError, OSError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise StudioError(f"{path.name} cannot be read", why.lower(), "Copy it from the phone again") from error


def _index(path: Path, container: Any, stream: Any) -> VideoIndex:
    packets = _packets(path, container, stream)
    order = np.argsort([packet.pts for packet in packets], kind="stable")
    ticks = np.array([packets[i].pts for i in order], dtype=np.int64)
    base = float(stream.time_base)
    length = (ticks[-1] - ticks[0]) * base
    step = length / max(len(ticks) - 1, 1)
    if length + step < SHORTEST_S:
        raise StudioError(f"{path.name} is too short", f"it lasts {length + step:.2f} s", "Film at least one second")
    keyframes = np.array([n for n, i in enumerate(order) if packets[i].key], dtype=np.int64)
    seeks = np.array([packets[order[n]].dts for n in keyframes], dtype=np.int64)
    if not len(keyframes):
        raise _cut_off(path, "no frame in it can be decoded on its own")
    last = _decode_tail(path, container, stream, int(seeks[-1]), int(ticks[-1]))
    turn = _rotation(path, last)
    upright = (last.height, last.width) if turn in (90, 270) else (last.width, last.height)
    return VideoIndex(
        path=path,
        pts=(ticks - ticks[0]) * base,
        ticks=ticks,
        time_base=base,
        keyframes=keyframes,
        seek_ticks=seeks,
        width=upright[0],
        height=upright[1],
        coded_width=last.width,
        coded_height=last.height,
        rotation=turn,
        fps=1.0 / step,
        codec=stream.codec_context.name,
        duration_s=length + step,
        start_s=float(ticks[0] * base),
    )


def _packets(path: Path, container: Any, stream: Any) -> list[_Packet]:
    """The frames that are meant to be shown, in decoding order, each time once."""
    found: dict[int, _Packet] = {}
    stored = 0
    for packet in container.demux(stream):
        if not packet.size:
            continue
        stored += 1
        if packet.is_corrupt:
            raise _cut_off(path, f"frame {stored} is incomplete")
        if packet.is_discard:
            continue
        if packet.pts is None:
            raise StudioError(
                f"{path.name} cannot be used",
                "its frames carry no times",
                "Send the phone's own file, not a converted one",
            )
        dts = packet.pts if packet.dts is None else packet.dts
        found.setdefault(packet.pts, _Packet(packet.pts, dts, packet.is_keyframe))
    if stored < stream.frames:
        raise _cut_off(path, f"it announces {stream.frames} frames and holds {stored}")
    if len(found) < 2:
        raise StudioError(
            f"{path.name} is not a video", f"it holds {len(found)} frames", "Choose the phone's video file"
        )
    return list(found.values())


def _decode_tail(path: Path, container: Any, stream: Any, seek: int, wanted: int) -> Any:
    """The last frame, decoded from the last keyframe on."""
    import av
    import av.error

    container.seek(seek, stream=stream, backward=True)
    try:
        for frame in container.decode(stream):
            if frame.pts == wanted and not frame.is_corrupt:
                return frame
    except av.error.FFmpegError as error:
        raise _cut_off(path, "its last frames do not decode") from error
    raise _cut_off(path, "its last frames do not decode")


def _rotation(path: Path, frame: Any) -> int:
    """Degrees counter-clockwise that make the stored picture upright."""
    for data in frame.side_data:
        if data.type.name == "DISPLAYMATRIX":
            a, b, _, c, d = np.frombuffer(bytes(data), dtype=np.int32)[:5].astype(float)
            if np.sign(a * d - b * c) == MIRRORED:
                raise StudioError(
                    f"{path.name} is mirrored", "the phone saved a selfie view", "Switch mirroring off and film again"
                )
    turn = int(frame.rotation) % 360
    if turn % 90:
        raise StudioError(
            f"{path.name} cannot be shown upright",
            f"it is stored turned by {turn} degrees",
            "Send the phone's own file",
        )
    return turn


def _cut_off(path: Path, why: str) -> StudioError:
    return StudioError(f"{path.name} is cut off", why, "Copy it from the phone again")


def _unreadable(path: Path) -> StudioError:
    """A file that begins like MP4 or QuickTime but has no table of contents was cut off; anything else is no video."""
    with path.open("rb") as file:
        head = file.read(12)
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide"):
        return _cut_off(path, "its table of contents is missing")
    return StudioError(f"{path.name} is not a video", "its content is of another kind", "Choose the phone's video file")
