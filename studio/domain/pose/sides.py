"""Left and right put back where a detector exchanged them in one or both views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from studio.domain.cameras.undistort import undistort_points
from studio.domain.pose.instants import at_instants, frames_at, to_frames
from studio.domain.pose.side_evidence import (
    GROUPS,
    JUMP_M,
    Readings,
    bone_lengths,
    group_costs,
    read_all,
    travel_costs,
    trunk_costs,
)
from studio.domain.pose.viterbi import cheapest_path
from studio.domain.space.quality import metres_per_pixel
from studio.domain.space.rays import finite
from studio.domain.space.resample import common_clock, common_times, frame_period
from studio.domain.space.triangulate import rig_cameras
from studio.schema.camera import Camera, Rig
from studio.schema.errors import StudioError
from studio.schema.findings import Finding
from studio.schema.keypoints import MIRROR, Keypoints
from studio.schema.take import Sync

CHANGE = 6.0
"""Cost of a view's labels changing between two frames, once for legs and arms together, since a detector that mirrors
a person mirrors all of him; before the first and after the last frame they count as right."""
EXCHANGED = 0.5
"""Cost per frame, view and group of not believing the detector; without it a clip that contradicts itself a little
in one direction would be exchanged in both views, which the views alone cannot tell apart."""
ROUNDS = 3
"""The first round knows no bone lengths; each further one takes them from the labels found so far."""
SAME_EVENT_S = 0.1
"""Exchanged frames this near to each other are told as one finding."""


@dataclass(frozen=True, eq=False)
class SidesRepair:
    """``keypoints`` as given but with left and right put back; ``swaps`` phone -> "legs", "arms" -> (T,) bool, frames
    of that phone where they were exchanged; ``findings`` of kind "sides" with the number of frames as value."""

    keypoints: tuple[Keypoints, ...]
    swaps: dict[str, dict[str, np.ndarray]]
    findings: tuple[Finding, ...]


def repair_sides(rig: Rig, keypoints: Sequence[Keypoints], sync: Sync, fps: float) -> SidesRepair:
    """Find frames in which the legs, the arms or both are exchanged in either of two views, and put them back.

    Works on raw keypoints: any smoothing would mix the two sides. Sixteen states per instant (none, legs, arms, both,
    in each view) are searched for the cheapest path (Viterbi) over the two views' disagreement, the clip's own bone
    lengths, the direction of toes, nose and shoulders, and the travel from frame to frame. Points that were not seen
    cost nothing. Raises :class:`StudioError` unless there are exactly two calibrated phones that filmed together.
    """
    if len(keypoints) != 2:
        raise StudioError(
            "Left and right can be checked only between two phones",
            f"{len(keypoints)} sets of keypoints were given",
            "Choose the two phones of the take",
        )
    cameras = rig_cameras(rig, keypoints)
    times = common_clock(keypoints, sync, fps)
    frames = [frames_at(k, sync, times) for k in keypoints]
    xy = [undistort_points(c, k.xy) for c, k in zip(cameras, keypoints, strict=True)]
    instant = np.stack(
        [at_instants(p, common_times(k, sync), f, times) for p, k, f in zip(xy, keypoints, frames, strict=True)]
    )
    labelled = [p[f] for p, f in zip(xy, frames, strict=True)]
    states = _search(cameras, read_all(cameras, instant), labelled)
    found = {
        k.phone: {group: to_frames(states[group][view], frames[view], len(k.times)) for group in GROUPS}
        for view, k in enumerate(keypoints)
    }
    findings = [f for k in keypoints for f in _findings(k, found[k.phone], sync)]
    return SidesRepair(tuple(exchange(k, found[k.phone]) for k in keypoints), found, tuple(findings))


def exchange(keypoints: Keypoints, swaps: dict[str, np.ndarray]) -> Keypoints:
    """The keypoints with left and right of each group exchanged in the frames where its (T,) bool is set."""
    xy, confidence = keypoints.xy.copy(), keypoints.confidence.copy()
    for name, on in swaps.items():
        group = GROUPS[name]
        rows = np.flatnonzero(on)[:, None]
        xy[rows, group] = keypoints.xy[rows, MIRROR[group]]
        confidence[rows, group] = keypoints.confidence[rows, MIRROR[group]]
    return replace(keypoints, xy=xy, confidence=confidence)


def _search(cameras: Sequence[Camera], readings: Readings, labelled: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Per group (2, T) bool per view. A state is ``4 * legs' reading + arms' reading``."""
    if not np.isfinite(readings.xyz).any():
        return {name: np.zeros((2, len(labelled[0])), bool) for name in GROUPS}
    centre = readings.xyz[0].reshape(-1, 3)
    scale = metres_per_pixel(cameras, centre[finite(centre)])
    move = _move_costs([travel_costs(p, JUMP_M / s) for p, s in zip(labelled, scale, strict=True)])
    lengths: dict[tuple[int, int], float] = {}
    path = np.zeros(len(labelled[0]), int)
    for _ in range(ROUNDS):
        legs, arms = group_costs(readings, lengths)
        cost = legs[:, :, None] + arms[:, None, :] + trunk_costs(readings, lengths) + _disbelief()
        cost = cost.reshape(-1, 16)
        cost[[0, -1]] += _change_costs()[0]
        path = cheapest_path(cost, move)
        lengths = bone_lengths(_read(readings, path))
    return {
        name: np.stack([reading & 2, reading & 1]) > 0 for name, reading in zip(GROUPS, divmod(path, 4), strict=True)
    }


def _disbelief() -> np.ndarray:
    count = np.array([0, 1, 1, 2])
    return EXCHANGED * (count[:, None] + count[None, :])


def _change_costs() -> np.ndarray:
    """(16, 16) cost of the labels changing, without regard to where the points are."""
    state = np.arange(16)
    changed = state[:, None] ^ state[None, :]
    views = [changed & (bit * 5) > 0 for bit in (2, 1)]
    return CHANGE * np.sum(views, axis=0)


def _move_costs(travel: Sequence[dict[str, np.ndarray]]) -> np.ndarray:
    """(T - 1, 16, 16) from the two views' travel costs."""
    state = np.arange(16)
    reading = {"legs": state // 4, "arms": state % 4}
    cost = _change_costs()
    for view, bit in enumerate((2, 1)):
        flips = {name: ((r[:, None] ^ r[None, :]) & bit > 0).astype(int) for name, r in reading.items()}
        cost = cost + sum(travel[view][name][:, flips[name]] for name in GROUPS)
    return cost


def _read(readings: Readings, path: np.ndarray) -> np.ndarray:
    """(T, 26, 3) the points under the chosen readings."""
    legs, arms = divmod(path, 4)
    steps = np.arange(len(path))
    xyz = readings.xyz[legs, steps]
    xyz[:, GROUPS["arms"]] = readings.xyz[arms, steps][:, GROUPS["arms"]]
    return xyz


def _findings(keypoints: Keypoints, swaps: dict[str, np.ndarray], sync: Sync) -> list[Finding]:
    """One finding per phone and event: value is the number of its frames."""
    on = np.flatnonzero(np.any(list(swaps.values()), axis=0))
    if not len(on):
        return []
    at = common_times(keypoints, sync)
    half = frame_period(keypoints) / 2
    events = np.split(on, np.flatnonzero(np.diff(at[on]) > SAME_EVENT_S + half) + 1)
    spans = [(float(at[e[0]] - half), float(at[e[-1]] + half), float(len(e))) for e in events]
    return [Finding("sides", keypoints.phone, *span, "frames", 0.0, repaired=True) for span in spans]
