"""What was filmed: the videos of one performance and how their clocks relate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Video:
    """One phone's file. ``file`` is relative to the take's folder; sizes are of the upright picture (px)."""

    phone: str
    file: str
    sha256: str
    width: int
    height: int
    fps: float
    frames: int
    duration_s: float
    rotation: int = 0


@dataclass(frozen=True)
class Sync:
    """Common time of a phone = (its own time - offset_s) / (1 + drift); phone "a" is the clock (0, 0).

    ``method``: "declared" (recorded by synchronised cameras), "sound", "hand".
    """

    method: str = "declared"
    offset_s: dict[str, float] | None = None
    drift: dict[str, float] | None = None

    def offset(self, phone: str) -> float:
        """Seconds to subtract from the phone's own time."""
        return (self.offset_s or {}).get(phone, 0.0)

    def rate(self, phone: str) -> float:
        """Seconds that pass on the phone's own clock in one of the common clock."""
        return 1.0 + (self.drift or {}).get(phone, 0.0)


@dataclass(frozen=True)
class Take:
    """One performance in a session, with its in and out on the common clock (s)."""

    name: str
    session: str
    videos: tuple[Video, ...]
    sync: Sync
    start_s: float
    end_s: float

    def video(self, phone: str) -> Video:
        """The file of one phone. Raises ``KeyError``."""
        for video in self.videos:
            if video.phone == phone:
                return video
        raise KeyError(phone)
