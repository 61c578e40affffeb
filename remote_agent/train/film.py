"""A short film of what a policy does, as it crosses the wire."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np

from remote_agent.train.wire import rounded
from studio.domain.gates.rollout import Scene, play
from studio.domain.gates.strike import body_errors
from studio.domain.policy.reference import CONTROL_HZ, SUBSTEPS
from studio.schema.codec import pack
from studio.schema.training import Clip

LOST_M = 9.0
"""Stands for the distance of a body that is no longer a number."""


def film(scene: Scene, act: Callable[[np.ndarray], np.ndarray], technique: str, iteration: int, seed: int) -> bytes:
    """The npz of a :class:`~studio.schema.training.Clip`: one try from the start that ``seed`` gives, with the bag
    where something strikes; ``mean_error_m`` of its figures is the mean distance of the bodies from the reference's."""
    condition = "bag" if scene.reference.strikes else "air"
    played = play(scene, act, condition, seed)
    ends = played.sensors[SUBSTEPS - 1 :: SUBSTEPS]
    errors = body_errors(played.sensor_map, ends, played.reference_sensors)
    clip = Clip(
        technique=technique, iteration=iteration, fps=float(CONTROL_HZ), condition=condition, seed=seed,
        joints=scene.reference.joints, qpos=played.qpos, reference=played.reference,
        figures=rounded({"mean_error_m": float(np.nan_to_num(errors, nan=LOST_M).mean())}),
    )  # fmt: skip
    stream = io.BytesIO()
    np.savez(stream, **pack(clip))  # type: ignore[arg-type]
    return stream.getvalue()
