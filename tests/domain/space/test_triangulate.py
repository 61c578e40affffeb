"""From keypoints to points: right on synthetic truth, within the known bounds on real phones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from studio.domain.filters import low_pass
from studio.domain.space.quality import calibration_findings, residual_vectors, summary
from studio.domain.space.triangulate import triangulate
from studio.schema.errors import StudioError
from studio.schema.keypoints import INDEX
from studio.schema.take import Sync

FPS = 60.0
DEMO = ("cam01", "cam02", "cam03", "cam04")


def error_m(points, kicker) -> np.ndarray:
    return np.linalg.norm(points.xyz - kicker(points.times), axis=-1)


def test_noise_free_film_gives_the_person_back(film, phones, kicker):
    rig = phones(-32, 33)
    points = triangulate(rig, film(rig, noise_px=0.0, opinion_px=0.0), Sync(), FPS)
    truth = kicker(points.times)
    assert np.array_equal(np.isfinite(points.xyz), np.isfinite(truth))
    assert np.nanmax(error_m(points, kicker)) < 1e-6
    assert np.nanmax(points.residual_px) < 1e-3
    measured = np.isfinite(truth).all(axis=-1)
    assert (points.confidence[measured] == 0.9).all() and (points.confidence[~measured] == 0).all()
    assert points.times == pytest.approx(np.arange(120) / FPS)


def test_points_carry_an_uncertainty_that_covers_the_error(film, phones, kicker):
    rig = phones(-32, 33)
    points = triangulate(rig, film(rig, 1, noise_px=5.0, opinion_px=0.0), Sync(), FPS)
    miss = points.xyz - kicker(points.times)
    seen = np.isfinite(miss).all(axis=-1)
    distance = np.einsum("ni,nij,nj->n", miss[seen], np.linalg.inv(points.covariance[seen]), miss[seen])
    assert distance.mean() == pytest.approx(3 * 0.9, rel=0.1)
    assert np.isnan(points.covariance[~seen]).all()


def test_a_phone_half_a_frame_late_is_read_at_the_right_instant(film, phones, kicker):
    rig = phones(-32, 33)
    quiet = {"noise_px": 0.0, "opinion_px": 0.0}
    a, b = film(rig, **quiet, late_frames=(0.0, 12.5))
    b = replace(b, times=b.times + 3.0)
    right = triangulate(rig, (a, b), Sync(offset_s={"b": 3.0}), FPS)
    late = triangulate(rig, (a, b), Sync(offset_s={"b": 3.0 + 0.5 / FPS}), FPS)
    foot = INDEX["RBigToe"]
    fast = (right.times > 1.0) & (right.times < 1.4)
    assert np.nanmax(error_m(right, kicker)[fast, foot]) < 0.012
    assert np.nanmax(error_m(late, kicker)[: len(fast)][:, foot]) > 0.04


def test_a_gap_in_one_view_is_a_gap_in_space(film, phones):
    rig = phones(-32, 33)
    a, b = film(rig)
    xy = b.xy.copy()
    xy[40:50, INDEX["LKnee"]] = np.nan
    points = triangulate(rig, (a, replace(b, xy=xy)), Sync(), FPS)
    gone = np.flatnonzero(np.isnan(points.xyz[:, INDEX["LKnee"], 0]))
    assert gone.tolist() == list(range(40, 50))
    assert (points.confidence[40:50, INDEX["LKnee"]] == 0).all()
    assert np.isnan(points.residual_px[40:50, INDEX["LKnee"]]).all()


def test_phones_must_be_two_and_known(film, phones):
    rig = phones(-32, 33)
    a, b = film(rig)
    for given in ((), (a,), (a, a)):
        with pytest.raises(StudioError, match="two different phones"):
            triangulate(rig, given, Sync(), FPS)
    with pytest.raises(StudioError, match="no calibration"):
        triangulate(rig, (a, replace(b, phone="z")), Sync(), FPS)


def test_two_real_phones_against_four(demo_rig, demo_keypoints):
    for calibration, limit in (("original", 0.050), ("refined", 0.020)):
        rig, keypoints = demo_rig(calibration), demo_keypoints("heavy", *DEMO)
        two, four = (low_pass(triangulate(rig, k, Sync(), FPS).xyz, FPS, 12.0) for k in (keypoints[:2], keypoints))
        assert np.nanmedian(np.linalg.norm(two - four, axis=-1)) < limit


def test_a_biased_calibration_is_told_per_phone(demo_rig, demo_keypoints):
    keypoints = demo_keypoints("heavy", *DEMO)
    biased, refined = demo_rig("original"), demo_rig("refined")
    points = triangulate(biased, keypoints, Sync(), FPS)
    found = {f.subject: f for f in calibration_findings(biased, keypoints, points, Sync())}
    assert {"cam01", "cam03"} <= set(found)
    assert found["cam01"].value == pytest.approx(12.4, abs=0.5)
    assert found["cam01"].kind == "calibration" and not found["cam01"].repaired
    assert calibration_findings(refined, keypoints, triangulate(refined, keypoints, Sync(), FPS), Sync()) == ()


def test_a_phone_that_was_moved_is_told(film, phones):
    rig = phones(-32, 33)
    keypoints = film(rig)
    c = rig.cameras[1]
    moved = replace(rig, cameras=(rig.cameras[0], replace(c, translation=c.translation + np.array([0.0, 0.06, 0.0]))))
    vectors = residual_vectors(moved, keypoints, triangulate(moved, keypoints, Sync(), FPS), Sync())
    assert abs(vectors["a"][1]) > 5 and abs(vectors["b"][1]) > 5
    assert calibration_findings(rig, keypoints, triangulate(rig, keypoints, Sync(), FPS), Sync()) == ()


def test_the_summary_in_plain_numbers(film, phones):
    rig = phones(-32, 33)
    keypoints = film(rig)
    figures = summary(rig, keypoints, triangulate(rig, keypoints, Sync(), FPS), Sync())
    assert figures["frames"] == 120
    assert figures["measured_share"] == 1.0
    assert figures["ray_angle_deg"] == pytest.approx(65, abs=6)
    assert figures["residual_mm"] == pytest.approx(figures["residual_px"] * 3600 / 1480, rel=0.1)
    assert 0.5 < figures["residual_px"] < 4
    assert 10 < figures["uncertainty_mm"] < 40
    assert figures["systematic_px_a"] < 2


def test_a_take_in_which_nobody_was_seen_has_a_summary(film, phones):
    rig = phones(-32, 33)
    empty = tuple(replace(k, xy=np.full_like(k.xy, np.nan), confidence=0 * k.confidence) for k in film(rig))
    points = triangulate(rig, empty, Sync(), FPS)
    assert np.isnan(points.xyz).all()
    assert summary(rig, empty, points, Sync()) == {"frames": 120, "measured_share": 0.0}
    assert calibration_findings(rig, empty, points, Sync()) == ()
