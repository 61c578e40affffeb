"""The pictures of a virtual phone: the coach in his clothes, seen through the phone's own lens."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import mujoco
import numpy as np

from studio.domain.body.build import build
from studio.domain.cameras.undistort import project, undistort_points
from studio.domain.picture import palette
from studio.domain.picture.dress import dress
from studio.domain.picture.floor import floor_view
from studio.domain.picture.palette import Rgb
from studio.domain.picture.renderer import FighterRenderer
from studio.domain.synthetic.exposure import at_times, exposed
from studio.domain.synthetic.seen import marker_places
from studio.schema.body import Body
from studio.schema.camera import Camera
from studio.schema.motion import Motion

CLOTHES: dict[str, Rgb] = {
    "chest": (0.36, 0.37, 0.36), "belly": (0.36, 0.37, 0.36), "trapeze": (0.36, 0.37, 0.36),
    "hips": (0.08, 0.08, 0.09), "shorts": (0.08, 0.08, 0.09), "hem": (0.62, 0.12, 0.10), "band": (0.62, 0.12, 0.10),
    "glove": (0.58, 0.10, 0.09), "cuff": (0.10, 0.10, 0.10), "anklet": (0.12, 0.12, 0.12), "hair": (0.42, 0.41, 0.40),
}  # fmt: skip
"""First word of a part's name to its colour: a grey shirt, black shorts, red gloves, unlike the fighter."""

STILL_M = 5e-4
"""m: a quarter of a pixel, which no picture shows."""

BESIDE_PX = 70
"""Rows around his markers that are drawn too: hair, gloves, toes and the shadow at his feet."""


def dressed_coach(body: Body) -> mujoco.MjModel:
    """The compiled coach as he is filmed."""
    spec = build(body)
    dress(spec, light=True)
    for geom in spec.geoms:
        colour = CLOTHES.get(geom.name.removeprefix("look_").split("_")[0])
        if geom.name.startswith("look_") and colour is not None:
            geom.rgba = [*colour, 1.0]
    return spec.compile()


def pictures(body: Body, motion: Motion, camera: Camera, duration_s: float) -> Iterator[np.ndarray]:
    """(H, W, 3) uint8 of every frame of a phone, each exposed at its own instant.

    A picture is drawn again as soon as any point of him has moved by :data:`STILL_M`. Raises
    :class:`studio.schema.errors.StudioError` when no OpenGL is to be had.
    """
    import cv2

    lens = _through_lens(camera)
    poses = at_times(motion, exposed(camera.phone, duration_s)[1])
    places = marker_places(body, poses)
    top, bottom = _rows(camera, places)
    part = _between(camera, top, bottom)
    ideal = _empty_room(camera)
    with FighterRenderer(dressed_coach(body), part.width, part.height, light=True) as renderer:
        drawn, picture = np.full_like(places[0], np.inf), ideal
        for pose, place in zip(poses, places, strict=True):
            if np.linalg.norm(place - drawn, axis=-1).max() > STILL_M:
                ideal[top:bottom], drawn = renderer.draw(pose, part), place
                picture = cv2.remap(ideal, *lens, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            yield picture


def _rows(camera: Camera, places: np.ndarray) -> tuple[int, int]:
    """The rows of the picture, first and one after the last, in which he and his shadow ever are."""
    y = project(camera, places)[..., 1]
    top = max(int(y.min()) - BESIDE_PX, 0)
    return top, min(int(y.max()) + BESIDE_PX, camera.height)


def _between(camera: Camera, top: int, bottom: int) -> Camera:
    """The pinhole camera of these rows of the picture."""
    matrix = camera.matrix.copy()
    matrix[1, 2] -= top
    return replace(camera, height=bottom - top, matrix=matrix)


def _empty_room(camera: Camera) -> np.ndarray:
    """(H, W, 3) uint8 of the floor without him, as the renderer draws it round him."""
    view = floor_view(camera, (0.0, 0.0), palette.LIGHT)
    return np.clip(view.shaded(None, palette.LIGHT.shade), 0, 255).astype(np.uint8)


def _through_lens(camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    """Where each pixel of the filmed picture lies in the pinhole's, as OpenCV's fixed-point maps."""
    import cv2

    u, v = np.meshgrid(np.arange(camera.width, dtype=float), np.arange(camera.height, dtype=float))
    ideal = undistort_points(camera, np.stack([u, v], axis=-1)).astype(np.float32)
    return cv2.convertMaps(ideal, None, cv2.CV_16SC2)  # type: ignore[return-value]
