"""Exchanged sides are found and put back; clean clips stay as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from studio.domain.pose.side_evidence import GROUPS
from studio.domain.pose.sides import SidesRepair, exchange, repair_sides
from studio.domain.space.triangulate import triangulate
from studio.schema.errors import StudioError
from studio.schema.keypoints import INDEX, MIRROR
from studio.schema.take import Sync

FPS = 60.0
LEGS = [INDEX[side + name] for name in ("Hip", "Knee", "Ankle", "Heel", "BigToe") for side in "LR"]


def inject(keypoints, seed: int, views: tuple[int, ...]):
    """Three random exchanges of 1 to 12 frames: legs, arms or both."""
    rng = np.random.default_rng(1000 + seed)
    frames = len(keypoints[0].times)
    truth = {k.phone: {g: np.zeros(frames, bool) for g in GROUPS} for k in keypoints}
    for _ in range(3):
        start, length = int(rng.integers(0, frames - 1)), int(rng.integers(1, 13))
        for group in (("legs",), ("arms",), ("legs", "arms"))[rng.integers(3)]:
            for view in views:
                truth[keypoints[view].phone][group][start : start + length] = True
    return tuple(exchange(k, truth[k.phone]) for k in keypoints), truth


def wrong_frames(repair: SidesRepair, truth) -> int:
    return sum(int((repair.swaps[p][g] != truth[p][g]).sum()) for p in truth for g in truth[p])


def bad_frames(rig, keypoints, reference: np.ndarray) -> int:
    """Frames in which the legs are more than 200 mm from the four-camera result on average."""
    error = np.linalg.norm(triangulate(rig, keypoints, Sync(), FPS).xyz - reference, axis=-1)
    return int((error[:, LEGS].mean(axis=1) > 0.2).sum())


@pytest.mark.parametrize("calibration", ["refined", "original"])
def test_a_detectors_own_mirrorings_are_repaired(demo_rig, demo_keypoints, calibration):
    rig = demo_rig(calibration)
    reference = triangulate(rig, demo_keypoints("heavy", "cam01", "cam02", "cam03", "cam04"), Sync(), FPS).xyz
    mirrored = demo_keypoints("full", "cam01", "cam02")
    repair = repair_sides(rig, mirrored, Sync(), FPS)
    assert bad_frames(rig, mirrored, reference) >= 25
    assert bad_frames(rig, repair.keypoints, reference) <= 6
    assert repair.swaps["cam02"]["legs"][41:60].all() and repair.swaps["cam02"]["arms"][41:60].all()
    assert not np.any(list(repair.swaps["cam02"].values()), axis=0)[:41].any()


@pytest.mark.parametrize("calibration", ["refined", "original"])
@pytest.mark.parametrize(
    ("model", "pair"),
    [
        ("full", ("cam03", "cam04")),
        ("full", ("cam01", "cam04")),
        ("heavy", ("cam01", "cam02")),
        ("heavy", ("cam03", "cam04")),
        ("heavy", ("cam01", "cam04")),
    ],
)
def test_clean_recordings_stay_as_they_are(demo_rig, demo_keypoints, calibration, model, pair):
    given = demo_keypoints(model, *pair)
    repair = repair_sides(demo_rig(calibration), given, Sync(), FPS)
    assert repair.findings == ()
    for before, after in zip(given, repair.keypoints, strict=True):
        assert np.array_equal(before.xy, after.xy, equal_nan=True)
        assert np.array_equal(before.confidence, after.confidence)


@pytest.mark.parametrize("azimuths", [(-32, 33), (20, 100), (150, 225)])
def test_injected_exchanges_in_one_view_are_undone_exactly(film, phones, azimuths):
    rig = phones(*azimuths)
    for seed in range(10):
        clean = film(rig, seed)
        assert repair_sides(rig, clean, Sync(), FPS).findings == (), f"false repair, seed {seed}"
        given, truth = inject(clean, seed, (seed % 2,))
        repair = repair_sides(rig, given, Sync(), FPS)
        assert wrong_frames(repair, truth) == 0, f"seed {seed}"
        for k, original in zip(repair.keypoints, clean, strict=True):
            assert np.array_equal(k.xy, original.xy, equal_nan=True)


def test_the_same_exchange_in_both_views_is_seen_by_where_toes_and_nose_point(film, phones):
    rig = phones(-32, 33)
    for seed in range(5):
        given, truth = inject(film(rig, seed), seed, (0, 1))
        assert wrong_frames(repair_sides(rig, given, Sync(), FPS), truth) == 0, f"seed {seed}"


@pytest.mark.parametrize("views", [(0,), (1,), (0, 1)])
def test_a_clip_mirrored_from_end_to_end(film, phones, views):
    rig = phones(-32, 33)
    clean = film(rig, 3)
    all_frames = dict.fromkeys(GROUPS, np.ones(120, bool))
    given = tuple(exchange(k, all_frames) if view in views else k for view, k in enumerate(clean))
    for k, original in zip(repair_sides(rig, given, Sync(), FPS).keypoints, clean, strict=True):
        assert np.array_equal(k.xy, original.xy, equal_nan=True)


def test_a_calibration_that_is_off_does_not_confuse_it(film, phones):
    """A degree and 4 cm per phone: 30 to 40 px of disagreement everywhere."""
    rig = phones(-32, 33)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        cameras = []
        for c in rig.cameras:
            turn, shift = rng.normal(size=3), rng.normal(size=3)
            rotation = Rotation.from_rotvec(np.radians(1.2) * turn / np.linalg.norm(turn)).as_matrix() @ c.rotation
            position = c.position + 0.04 * shift / np.linalg.norm(shift)
            cameras.append(replace(c, rotation=rotation, translation=-rotation @ position))
        off = replace(rig, cameras=tuple(cameras))
        clean = film(rig, seed)
        assert repair_sides(off, clean, Sync(), FPS).findings == ()
        given, truth = inject(clean, seed, (0,))
        assert wrong_frames(repair_sides(off, given, Sync(), FPS), truth) == 0


def test_missing_points_cost_nothing(film, phones):
    rig = phones(-32, 33)
    injected = missed = false = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        given, truth = inject(film(rig, seed), seed, (1,))
        lost = [rng.random(k.confidence.shape) < 0.2 for k in given]
        holed = tuple(
            replace(k, xy=np.where(gone[..., None], np.nan, k.xy), confidence=np.where(gone, 0.0, k.confidence))
            for k, gone in zip(given, lost, strict=True)
        )
        repair = repair_sides(rig, holed, Sync(), FPS)
        for phone, groups in truth.items():
            for group, on in groups.items():
                injected += int(on.sum())
                missed += int((on & ~repair.swaps[phone][group]).sum())
                false += int((~on & repair.swaps[phone][group]).sum())
    assert missed <= 0.03 * injected
    assert false <= 0.03 * injected


def test_phones_half_a_frame_apart_do_not_confuse_it(film, phones):
    rig = phones(-32, 33)
    for seed in range(3):
        given, truth = inject(film(rig, seed, late_frames=(0.0, 0.5)), seed, (1,))
        assert wrong_frames(repair_sides(rig, given, Sync(), FPS), truth) <= 2, f"seed {seed}"


def test_a_phone_that_films_at_half_the_rate_is_repaired_too(film, phones):
    rig = phones(-32, 33)
    given, truth = inject(film(rig, 4), 4, (1,))
    slow = replace(given[1], times=given[1].times[::2], xy=given[1].xy[::2], confidence=given[1].confidence[::2])
    repair = repair_sides(rig, (given[0], slow), Sync(), FPS)
    for group in GROUPS:
        assert (repair.swaps["b"][group] != truth["b"][group][::2]).sum() <= 1
        assert not repair.swaps["a"][group].any()


def test_findings_say_phone_time_and_number_of_frames(film, phones):
    rig = phones(-32, 33)
    clean = film(rig, 0)
    on = np.zeros(120, bool)
    on[[30, 31, 32, 34, 90]] = True
    given = (clean[0], exchange(clean[1], {"legs": on}))
    findings = repair_sides(rig, given, Sync(), FPS).findings
    assert [(f.kind, f.subject, f.value, f.unit, f.repaired) for f in findings] == [
        ("sides", "b", 4.0, "frames", True),
        ("sides", "b", 1.0, "frames", True),
    ]
    assert findings[0].start_s == pytest.approx(29.5 / FPS)
    assert findings[0].end_s == pytest.approx(34.5 / FPS)


def test_a_clip_without_a_single_point_is_left_alone(film, phones):
    rig = phones(-32, 33)
    empty = tuple(
        replace(k, xy=np.full_like(k.xy, np.nan), confidence=np.zeros_like(k.confidence)) for k in film(rig, 0)
    )
    assert repair_sides(rig, empty, Sync(), FPS).findings == ()


def test_exchanging_twice_gives_the_same_and_moves_confidence_along(film, phones):
    k = film(phones(-32, 33), 0)[0]
    k = replace(k, confidence=np.random.default_rng(0).random(k.confidence.shape))
    on = {"legs": np.arange(120) % 3 == 0, "arms": np.arange(120) % 2 == 0}
    once = exchange(k, on)
    knee, mirrored = INDEX["LKnee"], MIRROR[INDEX["LKnee"]]
    assert np.array_equal(once.confidence[0, knee], k.confidence[0, mirrored])
    assert np.array_equal(once.xy[1, knee], k.xy[1, knee])
    assert np.array_equal(exchange(once, on).xy, k.xy, equal_nan=True)


def test_other_than_two_known_phones_are_refused(film, phones):
    rig = phones(-32, 33, 120)
    three = film(rig, 0)
    for given in (three, three[:1], (three[0], three[0])):
        with pytest.raises(StudioError):
            repair_sides(rig, given, Sync(), FPS)
    with pytest.raises(StudioError, match="Phone z"):
        repair_sides(rig, (three[0], replace(three[1], phone="z")), Sync(), FPS)
    with pytest.raises(StudioError, match="one clock"):
        repair_sides(rig, three[:2], Sync(offset_s={"b": 100.0}), FPS)
