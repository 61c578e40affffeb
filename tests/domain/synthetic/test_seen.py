"""The keypoints have the faults that are stated, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from studio.domain.cameras.undistort import project
from studio.domain.pose.side_evidence import GROUPS
from studio.domain.synthetic import phones, seen
from studio.domain.synthetic import right_knee as written
from studio.domain.synthetic.exposure import at_times, exposed
from studio.domain.synthetic.seen import Faults, Gap, Swap, keypoints_of, marker_places
from studio.schema.keypoints import INDEX, MIRROR, Keypoints
from studio.schema.motion import Motion

SWAP, GAP = Swap("b", "legs", 90, 6), Gap("a", ("RAnkle", "RHeel"), 120, 8)


def made(motion: Motion, phone: str, seed: int = 5, *faults: Swap | Gap) -> tuple[Keypoints, np.ndarray]:
    swaps = tuple(f for f in faults if isinstance(f, Swap))
    gaps = tuple(f for f in faults if isinstance(f, Gap))
    return keypoints_of(written.COACH, motion, phones.rig().camera(phone), 3.6, Faults(seed, swaps, gaps))


def true_pixels(motion: Motion, phone: str) -> np.ndarray:
    places = marker_places(written.COACH, at_times(motion, exposed(phone, 3.6)[1]))
    return project(phones.rig().camera(phone), places, distorted=True)


@pytest.mark.parametrize("phone", ["a", "b"])
def test_noise_and_outliers_are_as_stated(knee: Motion, phone: str) -> None:
    keypoints, wrong = made(knee, phone)
    error = keypoints.xy - true_pixels(knee, phone)
    assert error[~wrong].std() == pytest.approx(seen.NOISE_PX, rel=0.05)
    assert abs(error[~wrong].mean()) < 0.15
    assert wrong.mean() == pytest.approx(seen.OUTLIER_SHARE, abs=0.005)
    assert np.linalg.norm(error[wrong], axis=-1).min() > 25
    assert keypoints.model == "projected truth with stated faults"
    assert (keypoints.confidence > 0.3).all() and (keypoints.confidence < 1).all()


def test_phone_b_exposes_at_its_own_clock(knee: Motion) -> None:
    """Its frame k shows the instant k / 60 s - 37 ms of the common clock, not that of phone a relabelled."""
    own, common = exposed("b", 3.6)
    assert np.allclose(own - common, 0.037) and np.allclose(np.diff(own), 1 / 60)
    late = made(knee, "b")[0].xy
    places = marker_places(written.COACH, at_times(knee, own))
    relabelled = project(phones.rig().camera("b"), places, distorted=True)
    fast = slice(92, 100)
    foot = INDEX["RAnkle"]
    assert np.linalg.norm(late[fast, foot] - relabelled[fast, foot], axis=-1).mean() > 20
    assert np.linalg.norm(late[fast, foot] - true_pixels(knee, "b")[fast, foot], axis=-1).mean() < 12


def test_the_legs_are_exchanged_in_six_frames_of_one_phone_and_nowhere_else(knee: Motion) -> None:
    right, wrong = made(knee, "b")[0], made(knee, "b", 5, SWAP)[0]
    changed = (right.xy != wrong.xy).any(axis=-1)
    assert np.array_equal(np.flatnonzero(changed.any(axis=1)), np.arange(90, 96))
    assert set(np.flatnonzero(changed.any(axis=0))) == set(GROUPS["legs"])
    legs = GROUPS["legs"]
    assert np.array_equal(wrong.xy[90:96, legs], right.xy[90:96, MIRROR[legs]])
    assert np.array_equal(wrong.confidence[90:96, legs], right.confidence[90:96, MIRROR[legs]])
    assert np.array_equal(made(knee, "a", 5, SWAP)[0].xy, made(knee, "a")[0].xy)


def test_a_foot_is_not_seen_in_eight_frames_of_the_other(knee: Motion) -> None:
    keypoints, _ = made(knee, "a", 5, GAP)
    lost = np.isnan(keypoints.xy).any(axis=-1)
    assert np.array_equal(np.flatnonzero(lost.any(axis=1)), np.arange(120, 128))
    assert {n for n, i in INDEX.items() if lost[:, i].any()} == set(GAP.points)
    assert (keypoints.confidence[lost] == 0).all() and (keypoints.confidence[~lost] > 0).all()


def test_one_seed_gives_one_result_and_phones_do_not_share_it(knee: Motion) -> None:
    assert np.array_equal(made(knee, "a")[0].xy, made(knee, "a")[0].xy)
    assert not np.array_equal(made(knee, "a")[0].xy, made(knee, "a", 6)[0].xy)
    noise = [made(knee, phone)[0].xy - true_pixels(knee, phone) for phone in "ab"]
    assert abs(np.corrcoef(noise[0].ravel(), noise[1].ravel())[0, 1]) < 0.05
