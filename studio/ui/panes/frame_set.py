"""All pictures of one moment, which are only ever shown together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtGui import QImage

from studio.domain.cameras.mujoco_camera import FreeCamera

VIDEO, FIGHTER = "video", "fighter"


@dataclass(frozen=True)
class Pane:
    """One picture that is wanted: the video of a phone, or the fighter from a phone ("a", "b") or from "free"."""

    kind: str
    phone: str
    width: int
    height: int


@dataclass(frozen=True, eq=False)
class Wish:
    """What a page wants to show: a frame at ``time_s`` in these panes. ``qpos`` (nq,) and ``ghost`` (nq,) or None are
    the fighter's states; ``back`` the colour beside pictures; ``direction`` where time is heading, to read ahead."""

    frame: int
    time_s: float
    panes: tuple[Pane, ...]
    qpos: np.ndarray
    ghost: np.ndarray | None = None
    free: FreeCamera = field(default_factory=FreeCamera)
    light: bool = False
    back: tuple[int, int, int] = (0, 0, 0)
    direction: int = 1


@dataclass(frozen=True, eq=False)
class FrameSet:
    """The answer: ``images`` by pane, ``numbers`` each phone's own frame number."""

    wish: Wish
    images: Mapping[Pane, QImage]
    numbers: Mapping[str, int]


def image(picture: np.ndarray) -> QImage:
    """A picture (H, W, 3) uint8 RGB as a QImage with its own memory, in the form that is painted fastest."""
    height, width, _ = picture.shape
    solid = np.ascontiguousarray(picture)
    return QImage(solid.data, width, height, 3 * width, QImage.Format.Format_RGB888).convertToFormat(
        QImage.Format.Format_RGB32
    )
