"""What a pose model might report of a body that is known exactly: its points in each picture, with stated faults."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.domain.body.build import build
from studio.domain.cameras.undistort import project
from studio.domain.fit.kinematics import Kinematics
from studio.domain.pose.side_evidence import GROUPS
from studio.domain.synthetic.exposure import at_times, exposed
from studio.schema.body import Body
from studio.schema.camera import Camera
from studio.schema.keypoints import HALPE_26, INDEX, MIRROR, Keypoints
from studio.schema.motion import Motion

MODEL = "projected truth with stated faults"
FACE = {
    "LEye": (-0.022, 0.032, 0.036), "REye": (-0.022, -0.032, 0.036),
    "LEar": (-0.100, 0.078, 0.012), "REar": (-0.100, -0.078, 0.012),
}  # fmt: skip
"""m from the tip of the nose, in the frame of the head: these points have no place on the generated body."""

NOISE_PX = 3.0
OUTLIER_SHARE, OUTLIER_PX = 0.02, (40.0, 120.0)
SURE, UNSURE = (0.72, 0.97), (0.35, 0.75)
"""Confidence of a point, and of one that is somewhere else."""


@dataclass(frozen=True)
class Swap:
    """Frames ``first`` to ``first + frames - 1`` of a phone in which a group's left and right points are exchanged."""

    phone: str
    group: str
    first: int
    frames: int


@dataclass(frozen=True)
class Gap:
    """The same for ``points`` that are not seen at all."""

    phone: str
    points: tuple[str, ...]
    first: int
    frames: int


@dataclass(frozen=True)
class Faults:
    """What is wrong with the keypoints of a take; ``seed`` for noise, outliers and confidences."""

    seed: int
    swaps: tuple[Swap, ...] = ()
    gaps: tuple[Gap, ...] = ()


def keypoints_of(
    body: Body, motion: Motion, camera: Camera, duration_s: float, faults: Faults
) -> tuple[Keypoints, np.ndarray]:
    """A phone's keypoints, and which of them (T, 26) bool are outliers.

    Every point has normal noise of :data:`NOISE_PX` in x and y; the phone's swaps come last, so they are as sure as
    any other point.
    """
    own, common = exposed(camera.phone, duration_s)
    xy = project(camera, marker_places(body, at_times(motion, common)), distorted=True)
    rng = np.random.default_rng([faults.seed, ord(camera.phone)])
    xy += rng.normal(0.0, NOISE_PX, xy.shape)
    confidence = rng.uniform(*SURE, xy.shape[:2])
    wrong = rng.random(xy.shape[:2]) < OUTLIER_SHARE
    way, far = rng.uniform(0.0, 2 * np.pi, wrong.shape), rng.uniform(*OUTLIER_PX, wrong.shape)
    astray = far[..., None] * np.stack([np.cos(way), np.sin(way)], axis=-1)
    xy = np.where(wrong[..., None], xy + astray, xy)
    confidence = np.where(wrong, rng.uniform(*UNSURE, wrong.shape), confidence)
    for gap in faults.gaps:
        if gap.phone == camera.phone:
            rows, columns = slice(gap.first, gap.first + gap.frames), [INDEX[name] for name in gap.points]
            xy[rows, columns], confidence[rows, columns] = np.nan, 0.0
    for swap in faults.swaps:
        if swap.phone == camera.phone:
            rows, group = slice(swap.first, swap.first + swap.frames), GROUPS[swap.group]
            xy[rows, group], confidence[rows, group] = xy[rows, MIRROR[group]], confidence[rows, MIRROR[group]]
    return Keypoints(camera.phone, MODEL, own, xy, confidence), wrong


def marker_places(body: Body, qpos: np.ndarray) -> np.ndarray:
    """(T, 26, 3) m of the points of HALPE_26 on a body in the poses ``qpos`` (T, nq)."""
    kinematics = Kinematics(build(body).compile())
    frames = kinematics.forward(qpos)
    places = np.empty((len(qpos), len(HALPE_26), 3))
    head = frames.rotation[:, kinematics.body_ids(["head"])[0]]
    nose = frames.site[:, kinematics.site_ids(["Nose"])[0]]
    for name, column in INDEX.items():
        if name in FACE:
            places[:, column] = nose + head @ np.array(FACE[name])
        else:
            places[:, column] = frames.site[:, kinematics.site_ids([name])[0]]
    return places
