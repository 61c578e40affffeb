"""Time on a page: one moment for all its pictures, playing, stepping, looping. It always stands on a frame."""

from __future__ import annotations

import math
from typing import Final

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from studio.domain.time import TakeClock

SPEEDS: Final = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0)
SHUTTLE: Final = (1.0, 2.0, 4.0)
TICK_MS: Final = 8
_REAL: Final = SPEEDS.index(1.0)


class Transport(QObject):
    """Where the page stands. While playing, the frame follows a monotonic clock: a late tick skips frames, it never
    shows a time between two of them."""

    frame_changed = Signal(int)
    playing_changed = Signal(bool)
    speed_changed = Signal(float)
    loop_changed = Signal()
    clock_changed = Signal()

    def __init__(self, clock: TakeClock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.clock = clock
        self._frame = 0
        self._speed = _REAL
        self._shuttle = 0
        self._range = (0, clock.frames - 1)
        self._looping = False
        self._position = 0.0
        self._elapsed = QElapsedTimer()
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def frame(self) -> int:
        return self._frame

    @property
    def time(self) -> float:
        """Seconds on the common clock, always exactly a frame's time."""
        return self.clock.time(self._frame)

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    @property
    def speed(self) -> float:
        return SPEEDS[self._speed]

    @property
    def rate(self) -> float:
        """Seconds of the take per second while playing, negative backward."""
        if not self._shuttle:
            return self.speed
        return self.speed * math.copysign(SHUTTLE[abs(self._shuttle) - 1], self._shuttle)

    @property
    def looping(self) -> bool:
        return self._looping

    @property
    def loop_range(self) -> tuple[int, int]:
        """First and last frame of the loop, whether or not it is on."""
        return self._range

    def use(self, clock: TakeClock) -> None:
        """Another take: stand at its first frame, loop off."""
        self.pause()
        self.clock = clock
        self._range, self._looping, self._frame = (0, clock.frames - 1), False, 0
        self.clock_changed.emit()
        self.loop_changed.emit()
        self.frame_changed.emit(0)

    def seek(self, frame: int) -> None:
        """Go to a frame, kept within the take; playing goes on from there."""
        frame = min(max(frame, 0), self.clock.frames - 1)
        self._position = float(frame)
        self._show(frame)

    def seek_time(self, time_s: float) -> None:
        """Go to the frame nearest to a time (s)."""
        self.seek(self.clock.frame(time_s))

    def step(self, frames: int) -> None:
        """Stand still and go some frames on or back."""
        self.pause()
        self.seek(self._frame + frames)

    def home(self) -> None:
        self.step(-self.clock.frames)

    def end(self) -> None:
        self.step(self.clock.frames)

    def toggle(self) -> None:
        """Play forward at the chosen speed, or pause."""
        self.pause() if self.playing else self._play(0)

    def pause(self) -> None:
        self._shuttle = 0
        if self.playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def shuttle(self, direction: int) -> None:
        """J (-1) and L (+1): play that way, again for twice as fast; the other way starts anew."""
        same = self.playing and self._shuttle * direction > 0
        self._play(min(max(self._shuttle + direction, -len(SHUTTLE)), len(SHUTTLE)) if same else direction)

    def set_speed(self, speed: float) -> None:
        """The nearest of the speeds that there are."""
        place = min(range(len(SPEEDS)), key=lambda k: abs(math.log(SPEEDS[k] / max(speed, 1e-6))))
        if place != self._speed:
            self._tick()
            self._speed = place
            self.speed_changed.emit(self.speed)

    def slower(self) -> None:
        self.set_speed(SPEEDS[max(self._speed - 1, 0)])

    def faster(self) -> None:
        self.set_speed(SPEEDS[min(self._speed + 1, len(SPEEDS) - 1)])

    def loop_in(self) -> None:
        """The loop starts at this frame; it is on from now on."""
        last = self._range[1]
        self.set_loop(self._frame, last if last > self._frame else self.clock.frames - 1)

    def loop_out(self) -> None:
        """The loop ends at this frame; it is on from now on."""
        first = self._range[0]
        self.set_loop(first if first < self._frame else 0, self._frame)

    def set_loop(self, first: int, last: int) -> None:
        """Loop over two frames and all between. One frame alone is no loop and is ignored."""
        first, last = sorted(min(max(f, 0), self.clock.frames - 1) for f in (first, last))
        if first < last:
            self._range, self._looping = (first, last), True
            self.loop_changed.emit()

    def toggle_loop(self) -> None:
        """Loop on or off, over the last range, or the whole take."""
        if self.clock.frames > 1:
            self._looping = not self._looping
            self.loop_changed.emit()

    def _play(self, shuttle: int) -> None:
        self._shuttle = shuttle
        first, last = self._bounds()
        if not first <= self._frame <= last or (self.rate > 0 and self._frame == last):
            self.seek(first)
        elif self.rate < 0 and self._frame == first:
            self.seek(last)
        self._position = float(self._frame)
        self._elapsed.start()
        if not self.playing:
            self._timer.start()
            self.playing_changed.emit(True)

    def _bounds(self) -> tuple[int, int]:
        return self._range if self._looping else (0, self.clock.frames - 1)

    def _tick(self) -> None:
        if self.playing:
            self.advance(self._elapsed.nsecsElapsed() / 1e9)
            if self.playing:
                self._elapsed.start()

    def advance(self, seconds: float) -> None:
        """Let real time pass by; what the timer does while playing. At the take's end it pauses, a loop begins anew."""
        first, last = self._bounds()
        self._position += seconds * self.rate * self.clock.fps
        if self._looping:
            span = last - first + 1
            self._position = first + (self._position - first) % span
            self._show(min(math.floor(self._position), last))
            return
        ended = self._position >= last if self.rate > 0 else self._position <= first
        self._show(min(max(math.floor(self._position), first), last))
        if ended:
            self.pause()

    def _show(self, frame: int) -> None:
        if frame != self._frame:
            self._frame = frame
            self.frame_changed.emit(frame)
