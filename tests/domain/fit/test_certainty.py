"""The fit says what its points do not show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from motions import COACH, Truth, keypoints_of

from studio.domain.fit.certainty import UNSURE_DEG, certainty_findings, pelvis_pitch_deviation, subject
from studio.domain.fit.skeleton import fit_skeleton
from studio.schema.body import Body
from studio.schema.keypoints import INDEX, Points
from studio.schema.motion import SkeletonFit
from studio.schema.project import Coach


@pytest.fixture(scope="module")
def points(kick: Truth) -> Points:
    return keypoints_of(kick, 0, False)


@pytest.fixture(scope="module")
def fitted(points: Points) -> tuple[SkeletonFit, Body]:
    return fit_skeleton(points, Coach("coach", COACH.stature, COACH.mass))


def test_the_pitch_of_the_pelvis_is_told_as_uncertain(points: Points, fitted) -> None:
    (found,) = [f for f in certainty_findings(points, *fitted) if f.kind == "uncertain"]
    assert found.subject == "pelvis_pitch" and found.unit == "deg" and found.value > 30 > UNSURE_DEG
    assert (found.start_s, found.end_s) == (points.times[0], points.times[-1])


def test_worse_points_show_it_worse(points: Points, fitted) -> None:
    sure = pelvis_pitch_deviation(points, *fitted)
    blurred = replace(points, covariance=points.covariance + 0.05**2 * np.eye(3))
    assert np.all(pelvis_pitch_deviation(blurred, *fitted) > sure)


def test_a_gap_is_told_with_its_length_and_a_blink_is_not(points: Points, fitted) -> None:
    assert [f for f in certainty_findings(points, *fitted) if f.kind == "unseen"] == []
    xyz = points.xyz.copy()
    xyz[10:22, INDEX["RBigToe"]] = np.nan
    xyz[30:34, INDEX["LKnee"]] = np.nan
    xyz[:, INDEX["Head"]] = np.nan
    gone = replace(points, xyz=xyz)
    fit, body = fit_skeleton(gone, Coach("coach", COACH.stature, COACH.mass))
    (found,) = [f for f in certainty_findings(gone, fit, body) if f.kind == "unseen"]
    assert (found.subject, found.unit) == ("big_toe_r", "s")
    assert found.value == pytest.approx(12 / points.fps)
    assert (found.start_s, found.end_s) == (points.times[10], points.times[21])


def test_a_frame_in_which_nobody_is_seen_is_as_uncertain_as_can_be(points: Points, fitted) -> None:
    xyz = points.xyz.copy()
    xyz[10:12] = np.nan
    told = pelvis_pitch_deviation(replace(points, xyz=xyz), *fitted)
    assert np.isfinite(told).all() and np.all(told[10:12] > 2 * told[20])


@pytest.mark.parametrize(("marker", "name"), [("LKnee", "knee_l"), ("RSmallToe", "small_toe_r"), ("Nose", "nose")])
def test_markers_are_named_as_parts_are(marker: str, name: str) -> None:
    assert subject(marker) == name
