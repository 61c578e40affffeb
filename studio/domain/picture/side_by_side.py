"""A film to be shown to anybody: each phone's video beside the fighter seen from that phone, time burnt in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.domain.picture import palette
from studio.domain.picture.dress import dressed_fighter
from studio.domain.picture.framing import action_points, frame_action
from studio.domain.picture.renderer import FighterRenderer
from studio.domain.picture.video_source import VideoSource
from studio.domain.video.writer import write_mp4
from studio.schema.body import Body
from studio.schema.camera import Rig
from studio.schema.errors import StudioError
from studio.schema.motion import Motion
from studio.schema.take import Take

PANE = (640, 540)
GAP = 4
_INK = (232, 233, 235)
_PHONE_INK = {"a": (53, 191, 176), "b": (240, 140, 74)}
"""The teal of phone A and the orange of phone B, as everywhere."""


@dataclass(frozen=True)
class Film:
    """What is filmed: the take and its files by phone, the calibrated phones, the fighter and its motion.

    ``copied``: (T, nq) a second motion drawn as a ghost, or None.
    """

    take: Take
    files: Mapping[str, Path]
    rig: Rig
    body: Body
    motion: Motion
    copied: np.ndarray | None = None


def write_side_by_side(
    path: Path,
    film: Film,
    size: tuple[int, int] = PANE,
    on_progress: Callable[[float], None] | None = None,
    best: bool = True,
) -> int:
    """Write the MP4: a row per phone, video left, fighter right, every frame of the motion at its own rate.

    ``size`` is one pane's (px). ``best``: shadows on the body too. Returns the number of frames. Raises
    :class:`StudioError` when a video is missing or OpenGL cannot be had, ``ValueError`` when the motion is another
    body's.
    """
    missing = [video.phone for video in film.take.videos if video.phone not in film.files]
    if missing:
        raise StudioError(
            "The film cannot be made",
            f"the video of phone {missing[0].upper()} is missing",
            "Copy it back into the take",
        )
    return write_mp4(path, _pictures(film, size, best, on_progress or (lambda _: None)), film.motion.fps)


def _pictures(
    film: Film, size: tuple[int, int], best: bool, on_progress: Callable[[float], None]
) -> Iterator[np.ndarray]:
    model = dressed_fighter(film.body)
    points = action_points(model, film.motion.qpos)
    rows = [_Row(film, video.phone, points, size) for video in film.take.videos]
    try:
        with FighterRenderer(model, *size, film=best) as renderer:
            for k, qpos in enumerate(film.motion.qpos):
                ghost = None if film.copied is None else film.copied[k]
                time = film.motion.start_s + k / film.motion.fps
                yield _stacked([row.picture(renderer, qpos, ghost, time) for row in rows], time)
                on_progress((k + 1) / film.motion.frames)
    finally:
        for row in rows:
            row.source.close()


class _Row:
    """One phone: its video, and the fighter through its lens."""

    def __init__(self, film: Film, phone: str, points: np.ndarray, size: tuple[int, int]) -> None:
        camera = film.rig.camera(phone)
        self.source = VideoSource(film.files[phone], camera, film.take.sync, frame_action(camera, points))
        self._camera = self.source.set_pane(*size, palette.DARK.back)

    def picture(self, renderer: FighterRenderer, qpos: np.ndarray, ghost: np.ndarray | None, time: float) -> np.ndarray:
        phone = self._camera.phone
        video = self.source.shot(time).picture.copy()
        fighter = renderer.draw(qpos, self._camera, ghost)
        for pane, name in ((video, f"Phone {phone.upper()}"), (fighter, f"Fighter from {phone.upper()}")):
            write_words(pane, name, (14, 30), _PHONE_INK.get(phone, _INK))
        gap = np.zeros((video.shape[0], GAP, 3), np.uint8)
        return np.hstack([video, gap, fighter])


def _stacked(rows: list[np.ndarray], time: float) -> np.ndarray:
    gap = np.zeros((GAP, rows[0].shape[1], 3), np.uint8)
    picture = np.vstack([part for row in rows for part in (row, gap)][:-1])
    words = f"{time:.3f} s"
    write_words(picture, words, (picture.shape[1] - 104, 30), _INK)
    return picture


def write_words(picture: np.ndarray, words: str, at: tuple[int, int], ink: tuple[int, int, int]) -> None:
    """Write on a picture (H, W, 3) in place, on a dark plate; ``at`` is the left end of the base line (px)."""
    import cv2

    face, size, weight = cv2.FontFace("sans"), 18, 600
    left, top, width, height = cv2.getTextSize((picture.shape[1], picture.shape[0]), words, at, face, size, weight)
    plate = picture[max(top - 6, 0) : top + height + 6, max(left - 8, 0) : left + width + 8]
    plate[:] = (plate * 0.25 + np.array(palette.DARK.back) * 0.75).astype(np.uint8)
    cv2.putText(picture, words, at, ink, face, size, weight)
