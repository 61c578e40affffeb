"""Exact frames of a video, upright, in any order."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from studio.domain.video.index import VideoIndex, index_video
from studio.schema.errors import StudioError

CACHE_BYTES = 256 * 2**20
TRAIL = 12
"""Frames kept on the way to the wanted one, so that stepping back is answered from the cache."""


def upright(picture: np.ndarray, rotation: int) -> np.ndarray:
    """Turn a stored picture (H, W, 3) counter-clockwise by 0, 90, 180 or 270 degrees; contiguous."""
    return np.ascontiguousarray(np.rot90(picture, rotation // 90)) if rotation else picture


class FrameReader:
    """Decodes one file. Safe to call from several threads: one call is served at a time.

    ``cache_frames`` bounds the pictures kept; ``None`` keeps what fits in 256 MiB.
    """

    def __init__(self, path: Path | str, index: VideoIndex | None = None, cache_frames: int | None = None) -> None:
        self.index = index or index_video(path)
        size = 3 * self.index.width * self.index.height
        self.capacity = max(1, CACHE_BYTES // size if cache_frames is None else cache_frames)
        self._numbers = {int(tick): i for i, tick in enumerate(self.index.ticks)}
        self._cache: OrderedDict[int, np.ndarray] = OrderedDict()
        self._lock = Lock()
        self._container: Any = None
        self._decoded: Iterator[Any] | None = None
        self._next = 0

    def frame(self, i: int) -> np.ndarray:
        """Frame ``i`` as (H, W, 3) uint8 RGB, upright, read-only. Raises ``IndexError``, :class:`StudioError`."""
        if not 0 <= i < self.index.frames:
            raise IndexError(f"frame {i} of {self.index.frames}")
        with self._lock:
            if i in self._cache:
                self._cache.move_to_end(i)
                return self._cache[i]
            return self._fetch(i)

    def frames(self, start: int = 0, stop: int | None = None) -> Iterator[np.ndarray]:
        """Frames ``start`` to ``stop`` (exclusive) in order."""
        for i in range(start, self.index.frames if stop is None else stop):
            yield self.frame(i)

    def close(self) -> None:
        """Let go of the file and of every kept picture. A later call opens the file again."""
        with self._lock:
            self._shut()
            self._cache.clear()

    def __enter__(self) -> FrameReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _fetch(self, i: int) -> np.ndarray:
        import av
        import av.error

        group = int(np.searchsorted(self.index.keyframes, i, side="right")) - 1
        try:
            if self._decoded is None or not self._key(group) <= self._next <= i:
                self._seek(group)
            found = self._decode_to(i)
            while found is None and group > 0:  # the container landed behind the wanted frame
                group -= 1
                self._seek(group)
                found = self._decode_to(i)
        except (av.error.FFmpegError, OSError) as error:
            self._shut()
            raise self._damaged(i) from error
        if found is None:
            self._shut()
            raise self._damaged(i)
        return found

    def _key(self, group: int) -> int:
        return int(self.index.keyframes[max(group, 0)])

    def _seek(self, group: int) -> None:
        """Open where needed and decode from a keyframe on. By its decoding time: MP4 is indexed by that."""
        import av
        import av.error

        if self._container is None:
            self._container = av.open(str(self.index.path))
            self._container.streams.video[0].thread_type = "AUTO"
        stream = self._container.streams.video[0]
        self._container.seek(int(self.index.seek_ticks[max(group, 0)]), stream=stream, backward=True)
        self._decoded = self._container.decode(stream)
        self._next = self._key(group)

    def _decode_to(self, i: int) -> np.ndarray | None:
        assert self._decoded is not None
        keep = i - min(TRAIL, self.capacity - 1)
        for frame in self._decoded:
            number = self._numbers.get(frame.pts)
            if number is None or frame.is_corrupt:
                continue
            self._next = number + 1
            if number > i:
                return None
            if number >= keep:
                self._remember(number, frame)
            if number == i:
                return self._cache[i]
        self._decoded = None
        return None

    def _remember(self, number: int, frame: Any) -> None:
        picture = upright(frame.to_ndarray(format="rgb24"), self.index.rotation)
        picture.flags.writeable = False
        self._cache[number] = picture
        self._cache.move_to_end(number)
        while len(self._cache) > self.capacity:
            self._cache.popitem(last=False)

    def _shut(self) -> None:
        if self._container is not None:
            self._container.close()
        self._container = self._decoded = None

    def _damaged(self, i: int) -> StudioError:
        return StudioError(
            f"Frame {i} of {self.index.path.name} cannot be shown", "the file is damaged there", "Copy it again"
        )
