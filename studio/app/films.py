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

FOV_DEG, ELEVATION_DEG = 36.0, -8.0
ROOM = 0.22
"""Metres left free round joints and the middle of each part: of a glove the far end lies so far from the wrist."""
STRIP_PICTURES, STRIP_HEIGHT = 36, 60
VIEWS = ("side", "front", "behind")
BAG_JOINTS = 8

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Scene:
    """The fighter's world. ``target`` (3,) m, ``direction`` (2,) outwards on the floor: where the bag hangs.
    ``skeleton``: the fighter alone, to know where his parts are."""

    body: Body
    target: np.ndarray
    direction: np.ndarray
    skeleton: mujoco.MjModel


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
    from studio.domain.body.build import build
    from studio.domain.policy.reference import make_reference

    reference = make_reference(table, body)
    index, weight = reference.weights(np.zeros((1, 2)))
    skeleton = build(body, floor=False, markers=False, welded=True).compile()
    return Scene(body, np.asarray(reference.target(index, weight)[0]), np.asarray(reference.direction), skeleton)


def places_in(scene: Scene, tracks: tuple[np.ndarray, ...]) -> np.ndarray:
    """(N, 3) m the outermost places of the fighter's parts over all ``tracks`` (T, 7 + ...), and where he is to hit.
    Slow: some 20 ms."""
    import mujoco
    from scipy.spatial import ConvexHull

    model, found = scene.skeleton, [scene.target[None]]
    data = mujoco.MjData(model)
    for qpos in np.concatenate([np.append(track[::2], track[-1:], axis=0)[:, : model.nq] for track in tracks]):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        found += [data.xpos[1:].copy(), data.geom_xpos.copy()]
    places = np.concatenate(found)
    return places[ConvexHull(places).vertices]


def camera_for(view: str, scene: Scene, places: np.ndarray, width: int, height: int) -> FreeCamera:
    """A camera that stands still and has all ``places`` (N, 3) with room round them in its picture, whether he walks
    or falls. "side" looks across the strike."""
    strike = float(np.degrees(np.arctan2(scene.direction[1], scene.direction[0])))
    azimuth = {"side": strike + 90, "front": 180.0, "behind": 0.0}[view]
    turn = FreeCamera((0.0, 0.0, 0.0), 1.0, azimuth, ELEVATION_DEG, FOV_DEG).camera(width, height).rotation
    seen = places @ turn.T
    across, depth = seen[:, :2], seen[:, 2:] - seen[:, 2].mean()
    slope = np.tan(np.radians(FOV_DEG / 2)) * np.array([width / height, 1.0])
    # How far away the camera must be for the one edge and for the other; it stands where both want the same.
    one, other = (across / slope - depth).max(axis=0), (-across / slope - depth).max(axis=0)
    middle = np.append(slope * (one - other) / 2, seen[:, 2].mean())
    # A ball round a place touches the edge ROOM / sin of the edge's angle nearer than the place itself.
    needed = (one + other) / 2 + ROOM / np.sin(np.arctan(slope))
    x, y, z = (float(value) for value in middle @ turn)
    return FreeCamera((x, y, z), float(needed.max()), azimuth, ELEVATION_DEG, FOV_DEG)


def make_strip(scene: Scene, track: np.ndarray, places: np.ndarray, air: bool, light: bool) -> tuple[np.ndarray, ...]:
    """Small square pictures (H, H, 3), evenly over a track (T, nq). Slow. Raises ``StudioError`` without OpenGL."""
    darkroom, size = _Darkroom(), STRIP_HEIGHT
    camera = camera_for("side", scene, places, size, size)
    frames = np.linspace(0, len(track) - 1, 2 * STRIP_PICTURES + 1)[1::2].round().astype(int)
    try:
        return tuple(darkroom.draw(Shot(scene, track[k], air, camera, size, size, light)) for k in frames)
    finally:
        darkroom.close()


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
        from studio.domain.gates.world import HOOK, hang_bag
        from studio.domain.picture.dress import dressed_world
        from studio.domain.picture.renderer import FighterRenderer

        kind = (id(shot.scene), shot.width, shot.height, shot.light)
        if kind != self._kind or self._renderer is None or self._model is None:
            self.close()
            self._model = dressed_world(shot.scene.body, HOOK, shot.light)
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
