"""The one thread that draws: it owns the OpenGL context, answers the newest wish and forgets the ones before."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
from PySide6.QtCore import QMutex, QObject, QThread, QWaitCondition, Signal

from studio.domain.cameras.mujoco_camera import FreeCamera
from studio.domain.picture.renderer import FighterRenderer
from studio.domain.picture.video_source import Shot, VideoSource
from studio.schema.camera import Camera
from studio.schema.errors import StudioError
from studio.ui.panes.frame_set import FIGHTER, VIDEO, FrameSet, Pane, Wish, image

log = logging.getLogger(__name__)

AHEAD = 12
"""Frames read ahead of the shown one while nothing is wanted."""
SWITCH_S = 0.0005
"""How soon a thread gives the interpreter up to one that waits for it. Python's own 5 ms would hold a handler on the
window's thread for that long each time it comes back from Qt."""
BEHIND = 5
"""Steps of niceness by which drawing and decoding stand behind the window's thread where there are few cores. Threads
that a software OpenGL or a video reader starts inherit it."""


class RenderThread(QThread):
    """Videos are decoded by helpers while the fighter is drawn; a set is handed over when all of it is there.

    ``make_model`` is called on this thread (a dressed model takes half a second to build). ``drawn`` carries a
    :class:`FrameSet`; ``failed`` a :class:`StudioError`, once per fault.
    """

    drawn = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        make_model: Callable[[], Any],
        sources: Mapping[str, VideoSource],
        step_s: float,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._make_model, self._sources, self._step = make_model, dict(sources), step_s
        self._mutex, self._wake = QMutex(), QWaitCondition()
        self._wish: Wish | None = None
        self._stopping = False
        self._faults: set[str] = set()
        self._renderers: dict[tuple[int, int], FighterRenderer] = {}
        self._model: Any = None
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_S))

    def ask(self, wish: Wish) -> None:
        """Draw this as soon as possible instead of whatever was asked and not begun. Returns at once."""
        self._mutex.lock()
        self._wish = wish
        self._wake.wakeOne()
        self._mutex.unlock()

    def stop(self) -> None:
        """End after what is being drawn; blocks until the context is given back."""
        self._mutex.lock()
        self._stopping = True
        self._wake.wakeOne()
        self._mutex.unlock()
        self.wait()

    def run(self) -> None:
        """The thread's own loop; started by ``start()``."""
        _stand_behind()
        with ThreadPoolExecutor(max(1, len(self._sources)), "video") as readers:
            while (wish := self._next()) is not None:
                try:
                    self._answer(wish, readers)
                except StudioError as error:
                    self._report(error)
                except Exception as error:  # a fault of the program must reach the person, not end the thread
                    log.exception("drawing failed")
                    self._report(StudioError("A picture could not be drawn", repr(error), "Open the page again"))
        for source in self._sources.values():
            source.close()
        for renderer in self._renderers.values():
            renderer.close()
        self._renderers.clear()

    def _next(self) -> Wish | None:
        self._mutex.lock()
        while self._wish is None and not self._stopping:
            self._wake.wait(self._mutex)
        wish, self._wish = self._wish, None
        stopping = self._stopping
        self._mutex.unlock()
        return None if stopping else wish

    def _answer(self, wish: Wish, readers: ThreadPoolExecutor) -> None:
        cameras = self._cameras(wish)
        shots: dict[Pane, Future[Shot]] = {
            pane: readers.submit(self._sources[pane.phone].shot, wish.time_s)
            for pane in wish.panes
            if pane.kind == VIDEO
        }
        pictures: dict[Pane, np.ndarray] = {
            pane: self._fighter(wish, pane, cameras) for pane in wish.panes if pane.kind == FIGHTER
        }
        numbers = {phone: source.number(wish.time_s) for phone, source in self._sources.items()}
        for pane, shot in shots.items():
            pictures[pane] = shot.result().picture
        self.drawn.emit(FrameSet(wish, {pane: image(picture) for pane, picture in pictures.items()}, numbers))
        self._read_ahead(wish, readers, {pane.phone for pane in shots})

    def _cameras(self, wish: Wish) -> dict[str, Camera]:
        """The pinhole camera of each phone's pane; the fighter beside a video has the video's size."""
        sizes = {pane.phone: (pane.width, pane.height) for pane in wish.panes if pane.phone in self._sources}
        return {phone: self._sources[phone].set_pane(*size, wish.back) for phone, size in sizes.items()}

    def _fighter(self, wish: Wish, pane: Pane, cameras: Mapping[str, Camera]) -> np.ndarray:
        view: Camera | FreeCamera = cameras.get(pane.phone, wish.free)
        return self._renderer(pane.width, pane.height, wish.light).draw(wish.qpos, view, wish.ghost)

    def _renderer(self, width: int, height: int, light: bool) -> FighterRenderer:
        if self._model is None:
            self._model = self._make_model()
        size = (width, height)
        if size not in self._renderers:
            while len(self._renderers) >= 2:
                self._renderers.pop(next(iter(self._renderers))).close()
            self._renderers[size] = FighterRenderer(self._model, width, height, light)
        renderer = self._renderers[size]
        if renderer.light != light:
            renderer.set_light(light)
        return renderer

    def _read_ahead(self, wish: Wish, readers: ThreadPoolExecutor, phones: set[str]) -> None:
        """Fill the sources while no new wish has come; stops between two frames."""
        for k in range(1, AHEAD + 1):
            times = [
                wish.time_s + step * k * self._step for step in (wish.direction, -wish.direction)[: 1 if k > 3 else 2]
            ]
            for time in times:
                if self._wish is not None or self._stopping:
                    return
                waiting = [
                    readers.submit(self._sources[p].shot, time) for p in phones if not self._sources[p].has(time)
                ]
                for future in waiting:
                    with suppress(StudioError):
                        future.result()

    def _report(self, error: StudioError) -> None:
        if str(error) not in self._faults:
            self._faults.add(str(error))
            self.failed.emit(error)


def _stand_behind() -> None:
    """Let the window's thread go first. Elsewhere than on Linux niceness is that of the whole program: left alone."""
    if sys.platform == "linux":
        with suppress(OSError):
            mine = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, mine, os.getpriority(os.PRIO_PROCESS, mine) + BEHIND)
