"""The fit against truth with known faults, and on a real take."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from motions import COACH, Truth, angle_error, as_points, joint_errors, keypoints_of, read_bvh_points, read_trc

from studio.domain.body.build import build
from studio.domain.body.load import body_hash
from studio.domain.fit.kinematics import Kinematics
from studio.domain.fit.skeleton import fit_skeleton
from studio.schema.errors import StudioError
from studio.schema.keypoints import INDEX
from studio.schema.project import Coach

HIM = Coach("coach", COACH.stature, COACH.mass)


@pytest.mark.parametrize(("seed", "faults"), [(0, False), (0, True), (1, True)])
def test_a_kick_is_found_through_noise_bursts_gaps_and_a_thrown_pelvis(kick: Truth, seed: int, faults: bool) -> None:
    fit, body = fit_skeleton(keypoints_of(kick, seed, faults), HIM)
    kinematics = Kinematics(build(body, floor=False).compile())
    assert joint_errors(kick, kinematics, fit.qpos).mean() < 0.020
    assert angle_error(kick, fit.qpos, "knee") < 3.5
    shank = kinematics.body_ids(["shank_r"])[0]
    speeds = [
        np.linalg.norm(np.diff(k.forward(q).body[:, shank], axis=0), axis=1).max()
        for k, q in ((kinematics, fit.qpos), (kick.kinematics, kick.qpos))
    ]
    assert speeds[0] / speeds[1] == pytest.approx(1.0, abs=0.05)
    assert np.all(fit.qpos[:, 7:] >= kinematics.low) and np.all(fit.qpos[:, 7:] <= kinematics.high)
    assert fit.body_hash == body_hash(body)


def test_faults_are_reported_where_they_are(kick: Truth) -> None:
    points = keypoints_of(kick, 0, True)
    fit, _ = fit_skeleton(points, HIM)
    count = len(points.times)
    knee, wrist = (fit.markers.index(n) for n in ("RKnee", "LWrist"))
    assert fit.rejected[int(count * 0.5) : int(count * 0.5) + 7, knee].all()
    assert fit.rejected[int(count * 0.2) : int(count * 0.2) + 8, wrist].all()
    assert fit.rejected.mean() < 0.1
    heel = fit.markers.index("RHeel")
    gap = slice(int(count * 0.6), int(count * 0.6) + 10)
    assert np.isnan(fit.residual[gap, heel]).all() and not fit.rejected[gap, heel].any()


def test_a_clip_nobody_tuned_on(shared: Path) -> None:
    """A kick of 10 m/s from another data set: its points are joint centres of another skeleton, so they can be met."""
    points = read_bvh_points(shared / "mocap" / "bandai_kick_normal_001.bvh", 285, 358)
    assert np.nanmax(points.xyz[:, INDEX["RBigToe"], 2]) > 1.0
    fit, body = fit_skeleton(points, Coach("other", 1.60, 60.0))
    limbs = [k for k, name in enumerate(fit.markers) if name[0] in "LR"]
    assert np.nanmedian(fit.residual[:, limbs]) < 0.008
    assert np.nanpercentile(fit.residual[:, limbs], 95) < 0.035
    kinematics = Kinematics(build(body, floor=False).compile())
    assert np.all(fit.qpos[:, 7:] >= kinematics.low) and np.all(fit.qpos[:, 7:] <= kinematics.high)
    assert np.abs(np.diff(fit.qpos[:, 7:], axis=0)).max() < 0.6, "no joint changes its branch"


def test_a_real_take_is_explained_to_two_centimetres(shared: Path) -> None:
    points = read_trc(shared / "mocap" / "pose2sim_balancing_0-100_filt_butterworth.trc")
    fit, body = fit_skeleton(points, HIM)
    rmse = np.sqrt(np.nanmean(fit.residual**2))
    assert rmse < 0.022
    assert np.nanmedian(fit.residual) < 0.014
    kinematics = Kinematics(build(body, floor=False).compile())
    assert np.all(fit.qpos[:, 7:] >= kinematics.low) and np.all(fit.qpos[:, 7:] <= kinematics.high)
    assert len(fit.markers) == 21 and fit.qpos.shape == (len(points.times), 48)


def test_left_and_right_are_averaged_and_typed_in_measures_win(kick: Truth) -> None:
    points = keypoints_of(kick, 3, False)
    _, body = fit_skeleton(points, replace(HIM, measures={"foot": 0.26}))
    assert body.measures["foot"] == 0.26
    from studio.domain.body.proportions import lengths

    true = lengths(COACH)
    for name in ("thigh", "shank", "upper_arm", "forearm"):
        assert body.measures[name] == pytest.approx(true[name], abs=0.015)


def test_head_and_small_toes_may_be_missing(kick: Truth) -> None:
    points = keypoints_of(kick, 1, False)
    gone = [INDEX[n] for n in ("Head", "LSmallToe", "RSmallToe", "LEye", "REye")]
    xyz, confidence = points.xyz.copy(), points.confidence.copy()
    xyz[:, gone], confidence[:, gone] = np.nan, 0.0
    fit, body = fit_skeleton(replace(points, xyz=xyz, confidence=confidence), HIM)
    assert "Head" not in fit.markers
    assert joint_errors(kick, Kinematics(build(body, floor=False).compile()), fit.qpos).mean() < 0.022


def test_a_point_along_a_bad_ray_pulls_less(kick: Truth) -> None:
    points = keypoints_of(kick, 1, False)
    xyz, covariance = points.xyz.copy(), points.covariance.copy()
    wrist = INDEX["RWrist"]
    xyz[:, wrist, 0] += 0.04
    trusted, _ = fit_skeleton(replace(points, xyz=xyz), HIM)
    covariance[:, wrist, 0, 0] = 0.2**2
    doubted, _ = fit_skeleton(replace(points, xyz=xyz, covariance=covariance), HIM)
    column = trusted.markers.index("RWrist")
    assert np.nanmedian(doubted.residual[:, column]) > np.nanmedian(trusted.residual[:, column]) + 0.005


def test_progress_goes_up_to_one(kick: Truth) -> None:
    seen: list[float] = []
    fit_skeleton(keypoints_of(kick, 0, False), HIM, seen.append)
    assert seen == sorted(seen) and seen[-1] == pytest.approx(1.0)


def test_too_little_is_refused_with_the_reason(kick: Truth) -> None:
    points = keypoints_of(kick, 0, False)
    with pytest.raises(StudioError, match="5 frames"):
        fit_skeleton(as_points(points.xyz[:5]), HIM)
    xyz = points.xyz.copy()
    xyz[:, INDEX["LKnee"]] = np.nan
    with pytest.raises(StudioError, match="LKnee"):
        fit_skeleton(as_points(xyz), HIM)
    xyz, half = points.xyz.copy(), len(points.xyz) // 2
    xyz[:half, INDEX["LHip"]], xyz[half:, INDEX["RShoulder"]] = np.nan, np.nan
    with pytest.raises(StudioError, match="same frame"):
        fit_skeleton(as_points(xyz), HIM)
