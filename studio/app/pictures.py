"""Still pictures of a technique, drawn from its results. Slow: to be called beside the window's thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.domain.rotations import normalise
from studio.schema.body import Body
from studio.schema.variants import Table
from studio.store.project import Project

BESIDE_DEG = 52.0
"""How far from straight in front the fighter is looked at."""


@dataclass(frozen=True, eq=False)
class Pose:
    """A body and one state of it, ``qpos`` (7 + n,) with its joints in the order of the body's model."""

    body: Body
    qpos: np.ndarray


def telling_pose(project: Project, technique: str) -> Pose | None:
    """The moment a technique is known by: the hit where there is a table, before that the pose farthest from the
    first. None before stage 5 has a result."""
    if project.revision(6, technique) is not None:
        table = project.load(6, technique, Table)
        centre = int(np.argmin(np.linalg.norm(table.uv, axis=1)))
        return Pose(project.load(6, technique, Body, "body"), table.qpos[centre, table.impact_frame])
    if project.revision(5, technique) is not None:
        qpos = project.reference(technique).qpos
        return Pose(project.load(5, technique, Body, "body"), qpos[telling_frame(qpos)])
    return None


def telling_frame(qpos: np.ndarray) -> int:
    """Of a motion (T, 7 + n) the frame whose pose is farthest from the first."""
    return int(np.argmax(np.linalg.norm(qpos[:, 7:] - qpos[0, 7:], axis=1)))


def draw_pose(pose: Pose, width: int, height: int, light: bool) -> np.ndarray:
    """(H, W, 3) uint8 RGB of a pose, seen from beside its front. Raises ``StudioError`` without OpenGL."""
    from studio.domain.body.build import build
    from studio.domain.cameras.mujoco_camera import FreeCamera
    from studio.domain.picture.dress import dress
    from studio.domain.picture.renderer import FighterRenderer

    spec = build(pose.body)
    dress(spec, light)
    camera = FreeCamera(
        lookat=(float(pose.qpos[0]), float(pose.qpos[1]), 0.90 * pose.body.stature / 1.7),
        distance=3.35 * pose.body.stature / 1.7,
        azimuth=yaw_deg(pose.qpos) + 180 - BESIDE_DEG,
        elevation=-9.0,
        fov=33.0,
    )
    with FighterRenderer(spec.compile(), width, height, light) as renderer:
        return renderer.draw(pose.qpos, camera)


def yaw_deg(qpos: np.ndarray) -> float:
    """Where the root faces on the floor, degrees from +x."""
    w, x, y, z = normalise(np.asarray(qpos[3:7], float))
    return float(np.degrees(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))))
