"""Moving pictures of the fighter in the world of training and gate, drawn by one thread; the newest wish wins."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, QThread, Signal

from studio.domain.cameras.mujoco_camera import FreeCamera
from studio.schema.body import Body
from studio.schema.errors import StudioError
from studio.schema.variants import Table

if TYPE_CHECKING:
    import mujoco

    from studio.domain.picture.renderer import FighterRenderer

FOV_DEG = 36.0
SEEN_WIDE, SEEN_HIGH, MOST_SPREAD = 2.0, 2.15, 1.0
"""Metres of the world that fit into a picture's width and height, and how much wider it becomes for one who walks."""
VIEWS = ("side", "front", "behind")
BAG_JOINTS = 8

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Scene:
    """The fighter's world. ``target`` (3,) m, ``direction`` (2,) outwards on the floor: where the bag hangs."""

    body: Body
    target: np.ndarray
    direction: np.ndarray


@dataclass(frozen=True, eq=False)
class Shot:
    """One picture: state ``qpos`` (nq,) of the scene's world, or (7 + n,) of the fighter alone, by a bag at rest."""

    scene: Scene
    qpos: np.ndarray
    air: bool
    camera: FreeCamera
    width: int
    height: int
    light: bool


def make_scene(table: Table, body: Body) -> Scene:
    """Where the bag hangs for the centre target, as training and gate hang it."""
    from studio.domain.policy.reference import make_reference

    reference = make_reference(table, body)
    index, weight = reference.weights(np.zeros((1, 2)))
    return Scene(body, np.asarray(reference.target(index, weight)[0]), np.asarray(reference.direction))


def camera_for(view: str, scene: Scene, tracks: tuple[np.ndarray, ...], width: int, height: int) -> FreeCamera:
    """A camera that stands still and keeps the fighter of all ``tracks`` (T, 7 + ...) in its picture. "side" looks
    across the strike."""
    strike = float(np.degrees(np.arctan2(scene.direction[1], scene.direction[0])))
    azimuth = {"side": strike + 90, "front": 180.0, "behind": 0.0}[view]
    places = np.concatenate([track[:, :2] for track in tracks])
    low, high = places.min(axis=0), places.max(axis=0)
    across = np.array([np.sin(np.radians(azimuth)), -np.cos(np.radians(azimuth))])
    tall = scene.body.stature / 1.75
    wide = tall * SEEN_WIDE + min(float(np.ptp(places @ across)), MOST_SPREAD)
    distance = max(tall * SEEN_HIGH, wide * height / width) / (2 * np.tan(np.radians(FOV_DEG / 2)))
    middle = (low + high) / 2
    return FreeCamera((float(middle[0]), float(middle[1]), 0.92 * tall), float(distance), azimuth, -8.0, FOV_DEG)


class FilmMaker(QThread):
    """``picture_drawn`` carries the place a picture is for and the picture, (H, W, 3) uint8."""

    picture_drawn = Signal(str, object)
    refused = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wishes: dict[str, Shot] = {}
        self._change = threading.Condition()
        self._over = False
        self._busy = False

    @property
    def idle(self) -> bool:
        """Whether every wish has been drawn."""
        with self._change:
            return not self._wishes and not self._busy

    def ask(self, place: str, shot: Shot) -> None:
        """Draw this for a place, instead of what was asked for it before and is not drawn yet."""
        with self._change:
            self._wishes[place] = shot
            self._change.notify()
        if not self.isRunning():
            self.start()

    def close(self) -> None:
        """End the thread and give its OpenGL context back."""
        with self._change:
            self._over = True
            self._change.notify()
        self.wait(10_000)

    def run(self) -> None:
        studio = _Darkroom()
        try:
            while (wish := self._next()) is not None:
                place, shot = wish
                try:
                    picture = studio.draw(shot)
                except StudioError as error:
                    self._rest()
                    self.refused.emit(error)
                else:
                    self._rest()
                    self.picture_drawn.emit(place, picture)
        finally:
            studio.close()

    def _rest(self) -> None:
        """Before the picture is handed over, so that whoever gets the last one finds nothing more to come."""
        with self._change:
            self._busy = False

    def _next(self) -> tuple[str, Shot] | None:
        with self._change:
            while not self._wishes and not self._over:
                self._change.wait()
            if self._over:
                return None
            self._busy = True
            place = next(iter(self._wishes))
            return place, self._wishes.pop(place)


class _Darkroom:
    """Renderer and model of the last picture, kept for the next one of the same kind."""

    def __init__(self) -> None:
        self._close: Callable[[], None] = lambda: None
        self._renderer: FighterRenderer | None = None
        self._model: mujoco.MjModel | None = None
        self._kind: tuple[object, ...] = ()

    def draw(self, shot: Shot) -> np.ndarray:
        from studio.domain.gates.world import hang_bag
        from studio.domain.picture.renderer import FighterRenderer

        kind = (id(shot.scene), shot.width, shot.height, shot.light)
        if kind != self._kind or self._renderer is None or self._model is None:
            self.close()
            self._model = dressed_world(shot.scene.body, shot.light)
            self._renderer = FighterRenderer(self._model, shot.width, shot.height, shot.light)
            self._close, self._kind = self._renderer.close, kind
        model: Any = self._model
        renderer, qpos = self._renderer, np.asarray(shot.qpos, float)
        hang_bag(model, shot.scene.target, shot.scene.direction, air=shot.air)
        if len(qpos) == model.nq - BAG_JOINTS:
            qpos = np.concatenate([qpos, np.tile([1.0, 0.0, 0.0, 0.0], BAG_JOINTS // 4)])
        return renderer.draw(qpos, shot.camera)

    def close(self) -> None:
        self._close()
        self._renderer, self._close = None, lambda: None


def dressed_world(body: Body, light: bool) -> mujoco.MjModel:
    """The compiled world of training and gate as far as it is seen: fighter, floor and bag, in their looks."""
    from studio.domain.body.bag import add_bag
    from studio.domain.body.build import build
    from studio.domain.gates.world import HOOK
    from studio.domain.picture.dress import dress

    spec = build(body, floor=True, markers=False, welded=True)
    add_bag(spec, HOOK)
    dress(spec, light)
    return spec.compile()
