"""One phone's pictures at the size they are shown in, by moments of the common clock, kept once they were made."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np

from studio.domain.picture.framing import Crop
from studio.domain.picture.undistorted import UndistortedView
from studio.domain.time import nearest_frame, own_time
from studio.domain.video.reader import FrameReader
from studio.schema.camera import Camera
from studio.schema.errors import StudioError
from studio.schema.take import Sync

KEPT_BYTES = 160 * 2**20


@dataclass(frozen=True, eq=False)
class Shot:
    """``picture`` (H, W, 3) uint8 RGB, read-only; ``number``: which of the phone's own frames it is."""

    picture: np.ndarray
    number: int


class VideoSource:
    """Opens the file on first use. Safe to call from several threads.

    Raises :class:`StudioError` when the video is not of the size its lens was calibrated at, or cannot be read.
    """

    def __init__(self, path: Path, camera: Camera, sync: Sync, crop: Crop | None = None) -> None:
        self._path, self._camera, self._sync, self._crop = path, camera, sync, crop
        self._reader: FrameReader | None = None
        self._view: UndistortedView | None = None
        self._setting: tuple[int, int, tuple[int, int, int]] = (0, 0, (0, 0, 0))
        self._kept: OrderedDict[int, np.ndarray] = OrderedDict()
        self._lock = Lock()

    @property
    def phone(self) -> str:
        return self._camera.phone

    def set_pane(self, width: int, height: int, back: tuple[int, int, int]) -> Camera:
        """Show at this size from now on; the pinhole camera of the pane, for the fighter beside it."""
        with self._lock:
            if self._view is None or self._setting != (width, height, back):
                self._view = UndistortedView(self._camera, width, height, back, self._crop)
                self._setting = (width, height, back)
                self._kept.clear()
            return self._view.camera

    def number(self, time_s: float) -> int:
        """Which of the phone's frames is nearest to a moment of the common clock (s)."""
        with self._lock:
            return self._number(time_s)

    def shot(self, time_s: float) -> Shot:
        """The picture of that moment. ``set_pane`` comes first."""
        with self._lock:
            number = self._number(time_s)
            if number not in self._kept:
                self._keep(number, self._make(number))
            self._kept.move_to_end(number)
            return Shot(self._kept[number], number)

    def has(self, time_s: float) -> bool:
        """Whether the picture of that moment is there at once."""
        with self._lock:
            return self._number(time_s) in self._kept

    def close(self) -> None:
        """Let go of the file and of what was kept; a later call opens it again."""
        with self._lock:
            if self._reader is not None:
                self._reader.close()
            self._reader = None
            self._kept.clear()

    def _number(self, time_s: float) -> int:
        return nearest_frame(self._opened().index.pts, own_time(self._sync, self.phone, time_s))

    def _opened(self) -> FrameReader:
        if self._reader is None:
            reader = FrameReader(self._path, cache_frames=16)
            index = reader.index
            if (index.width, index.height) != (self._camera.width, self._camera.height):
                raise StudioError(
                    f"Phone {self.phone.upper()} cannot be shown",
                    f"{self._path.name} is {index.width} x {index.height}, its lens was calibrated at "
                    f"{self._camera.width} x {self._camera.height}",
                    "Run stage 1 again with this video",
                )
            self._reader = reader
        return self._reader

    def _make(self, number: int) -> np.ndarray:
        if self._view is None:
            raise ValueError("set_pane comes before a picture")
        picture = self._view.show(self._opened().frame(number))
        picture.flags.writeable = False
        return picture

    def _keep(self, number: int, picture: np.ndarray) -> None:
        self._kept[number] = picture
        while len(self._kept) > max(8, KEPT_BYTES // picture.nbytes):
            self._kept.popitem(last=False)
