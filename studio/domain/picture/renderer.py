"""The fighter as a picture: figure by MuJoCo, floor and shadow exact, put together in one array."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from types import TracebackType

import mujoco
import numpy as np

from studio.domain.cameras.mujoco_camera import FreeCamera, aim, scaled
from studio.domain.picture import palette
from studio.domain.picture.context import offscreen_context
from studio.domain.picture.dress import HIDDEN
from studio.domain.picture.floor import FloorView, floor_view
from studio.domain.picture.light import Exposure, exposures, key_direction, set_lamps
from studio.domain.picture.shadow import ShadowCaster
from studio.schema.camera import Camera

GHOST_ALPHA = 0.5
_SAMPLES = 2
_SHOWN_GROUPS = (0, 1, 2)
_PLAIN = (
    mujoco.mjtRndFlag.mjRND_REFLECTION, mujoco.mjtRndFlag.mjRND_SKYBOX, mujoco.mjtRndFlag.mjRND_HAZE,
    mujoco.mjtRndFlag.mjRND_FOG,
)  # fmt: skip
"""What a figure on its own does without."""


class FighterRenderer:
    """Draws a model's states. It owns an OpenGL context: make, use and close it on one thread.

    ``light`` picks the floor of the light theme, or is read from the dressed model when None. ``film`` lays
    shadows on the body too (some six times slower); otherwise there is a soft shadow on the floor alone.
    Raises :class:`studio.schema.errors.StudioError` when no OpenGL is to be had.
    """

    def __init__(
        self, model: mujoco.MjModel, width: int, height: int, light: bool | None = None, film: bool = False
    ) -> None:
        self.width, self.height, self.film = width, height, film
        self.light, self.palette = False, palette.DARK
        self._context = offscreen_context(width * _SAMPLES, height * _SAMPLES)
        self._drawing: mujoco.MjrContext | None = None
        self.use_model(model, light)

    def use_model(self, model: mujoco.MjModel, light: bool | None = None) -> None:
        """Draw this model from now on; the context stays."""
        self._context.make_current()
        if self._drawing is not None:
            self._drawing.free()
        self.model, self._data = model, mujoco.MjData(model)
        model.vis.global_.offwidth = max(model.vis.global_.offwidth, self.width * _SAMPLES)
        model.vis.global_.offheight = max(model.vis.global_.offheight, self.height * _SAMPLES)
        self._scene = mujoco.MjvScene(model, model.ngeom + 200)
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = [int(group in _SHOWN_GROUPS) for group in range(mujoco.mjNGROUP)]
        self._option.sitegroup[:] = 0
        self._nudge, self._eye = mujoco.MjvPerturb(), mujoco.MjvCamera()
        self._drawing = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._drawing)
        self._casting = mujoco.MjvScene(model, model.ngeom + 200)
        self._cast_option = _casting_option(model)
        self._shadow = ShadowCaster(self._casting, self._drawing)
        self.set_light(model.vis.rgba.fog[0] > 0.5 if light is None else light)

    def set_light(self, light: bool) -> None:
        """Take the light or the dark theme's floor."""
        self.light = light
        self.palette = palette.LIGHT if light else palette.DARK
        self._floors: dict[tuple, FloorView] = {}

    def draw(self, qpos: np.ndarray, camera: Camera | FreeCamera, ghost: np.ndarray | None = None) -> np.ndarray:
        """(H, W, 3) uint8 RGB of the state ``qpos`` (nq,). ``ghost`` (nq,) is drawn behind it, half transparent.

        A calibrated camera is scaled to this renderer's size; its distortion is left out. Raises ``ValueError`` for a
        state of another length.
        """
        self._context.make_current()
        view = camera.camera(self.width, self.height) if isinstance(camera, FreeCamera) else camera
        if (view.width, view.height) != (self.width, self.height):
            view = scaled(view, self.width, self.height)
        root = self._pose(qpos)
        azimuth = float(np.arctan2(view.position[1] - root[1], view.position[0] - root[0]))
        shots = exposures(azimuth, self.film)
        figure, cover = self._figure(view, shots)
        floor = self._floor(view, root)
        self._shadow.pose = self.model.body_pos.tobytes() + self._data.qpos.tobytes()
        shadow = self._shadow.cast(floor.image, (self.width, self.height), key_direction(azimuth), root)
        picture = floor.shaded(shadow, self.palette.shade)
        if ghost is not None:
            self._pose(ghost)
            shape, extent = self._figure(view, exposures(azimuth, film=False))
            tint = np.array(self.palette.ghost, np.float32) * (0.35 + 0.75 * shape.mean(axis=2, keepdims=True) / 255)
            extent = extent[..., None] * GHOST_ALPHA
            picture = picture * (1 - extent) + tint * extent
        cover = cover[..., None]
        # Figure pixels at an edge are already weighed by their cover: averaged against black.
        return np.clip(picture * (1 - cover) + figure, 0, 255).astype(np.uint8)

    def close(self) -> None:
        """Give the context back. Safe to call twice."""
        if self._drawing is not None:
            self._context.make_current()
            self._drawing.free()
            self._drawing = None
            self._context.free()

    def __enter__(self) -> FighterRenderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _pose(self, qpos: np.ndarray) -> np.ndarray:
        """Set the state; (3,) m where its root stands. The floor's own geom is never shown."""
        state = np.asarray(qpos, float)
        if state.shape != (self.model.nq,):
            raise ValueError(f"qpos has shape {state.shape}, the model needs ({self.model.nq},)")
        self._data.qpos[:] = state
        mujoco.mj_kinematics(self.model, self._data)
        mujoco.mj_comPos(self.model, self._data)
        mujoco.mj_camlight(self.model, self._data)
        for scene, option in ((self._scene, self._option), (self._casting, self._cast_option)):
            mujoco.mjv_updateScene(
                self.model, self._data, option, self._nudge, self._eye, mujoco.mjtCatBit.mjCAT_ALL, scene
            )
            for geom in scene.geoms[: scene.ngeom]:
                if geom.type == mujoco.mjtGeom.mjGEOM_PLANE:
                    geom.rgba[3] = 0
            for flag in _PLAIN:
                scene.flags[flag] = 0
        return state[:3].copy()

    def _figure(self, view: Camera, shots: tuple[Exposure, ...]) -> tuple[np.ndarray, np.ndarray]:
        """(H, W, 3) float32 colour weighed by cover, and cover (H, W) 0..1."""
        import cv2

        assert self._drawing is not None
        width, height = self.width * _SAMPLES, self.height * _SAMPLES
        rect = mujoco.MjrRect(0, 0, width, height)
        rgb, depth = np.empty((height, width, 3), np.uint8), np.empty((height, width), np.float32)
        aim(self._scene, scaled(view, width, height))
        total: np.ndarray | None = None
        for shot in shots:
            set_lamps(self._scene, shot.lamps, self._data.qpos[:3])
            mujoco.mjr_render(rect, self._scene, self._drawing)
            mujoco.mjr_readPixels(rgb, depth if total is None else None, rect, self._drawing)
            small = cv2.resize(rgb, (self.width, self.height), interpolation=cv2.INTER_AREA).astype(np.float32)
            total = small * shot.weight if total is None else total + small * shot.weight
        assert total is not None
        cover = cv2.resize((depth < 1).astype(np.float32), (self.width, self.height), interpolation=cv2.INTER_AREA)
        return np.minimum(total, 255)[::-1], cover[::-1]

    def _floor(self, view: Camera, root: np.ndarray) -> FloorView:
        """The floor of this camera, kept while the fighter stays within the same half metre."""
        centre = (round(root[0] * 2) / 2, round(root[1] * 2) / 2)
        key = (centre, view.matrix.tobytes(), view.rotation.tobytes(), view.translation.tobytes())
        if key not in self._floors:
            if len(self._floors) >= 8:
                self._floors.pop(next(iter(self._floors)))
            self._floors[key] = floor_view(view, centre, self.palette)
        return self._floors[key]


def _casting_option(model: mujoco.MjModel) -> mujoco.MjvOption:
    """What casts the shadow on the floor: the plain shapes that collide under a dressed body, else what is shown. A
    soft shadow does not tell them apart, and they cost a tenth."""
    plain = bool((model.geom_group == HIDDEN).any())
    option = mujoco.MjvOption()
    option.geomgroup[:] = [
        int(group == HIDDEN if plain else group in _SHOWN_GROUPS) for group in range(mujoco.mjNGROUP)
    ]
    option.sitegroup[:] = 0
    return option
