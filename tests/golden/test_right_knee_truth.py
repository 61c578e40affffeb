"""The sample whose truth is known, through stages 1 to 6, against that truth."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from studio.domain.body.build import build
from studio.domain.fit.kinematics import Kinematics
from studio.domain.policy.blend import blend, blend_weights
from studio.domain.retarget.check import limit_margin, sole_errors
from studio.domain.synthetic import right_knee, seen
from studio.domain.synthetic.takes import TakeTruth
from studio.schema.body import Body
from studio.schema.keypoints import Keypoints, Points
from studio.schema.motion import Motion, Retarget, SkeletonFit
from studio.schema.take import Sync
from studio.schema.variants import Table
from studio.store import reading
from studio.store.project import Project
from studio.store.verify import verify
from tests.chain import right_knee_table

pytestmark = pytest.mark.timeout(900)

KNEE, STANCE = "gym/right-knee", "gym/stance"
TECHNIQUES = ("right-knee", "stance")
JOINTS = tuple(f"{p}_{s}" for s in "lr" for p in ("thigh", "shank", "foot", "upper_arm", "forearm", "hand"))


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.open(right_knee_table())


def truth(project: Project, take: str) -> tuple[Motion, TakeTruth]:
    folder = project.layout.take(take)
    motion = reading.read_arrays(Motion, folder / "truth.npz")
    return motion, reading.read_toml(TakeTruth, folder / "truth.toml")


@cache
def fighter(project: Project) -> Kinematics:
    return Kinematics(build(project.load(5, "right-knee", Body, "body")).compile())


def during(motion: Motion, found: SkeletonFit | Points) -> np.ndarray:
    """(T, nq) the truth at the frames of a result."""
    start = found.start_s if isinstance(found, SkeletonFit) else float(found.times[0])
    count = len(found.qpos) if isinstance(found, SkeletonFit) else len(found.times)
    first = round((start - motion.start_s) * motion.fps)
    assert start == pytest.approx(motion.times[first], abs=1e-9) and found.fps == motion.fps
    return motion.qpos[first : first + count]


@pytest.mark.parametrize("take", [KNEE, STANCE])
def test_the_clocks_are_found_within_two_milliseconds(project: Project, take: str) -> None:
    declared, found = project.declared_take(take).sync, project.load(3, take, Sync, "sync")
    assert declared.method == "sound" and declared.offset_s is None, "nobody told"
    assert found.method == "sound"
    true = truth(project, take)[1].sync
    assert true.offset("b") == pytest.approx(0.037)
    for time in (0.0, 3.0):
        assert time * found.rate("b") + found.offset("b") == pytest.approx(time + true.offset("b"), abs=0.002)


def test_the_exchanged_legs_are_put_back_and_nothing_else(project: Project) -> None:
    true = truth(project, KNEE)[1]
    assert [(s.phone, s.group, s.frames) for s in true.swaps] == [("b", "legs", 6)]
    for take in (KNEE, STANCE):
        for phone in "ab":
            raw, repaired = (project.load(stage, take, Keypoints, phone) for stage in (2, 3))
            changed = ~np.isclose(raw.xy, repaired.xy, rtol=0, atol=1e-9, equal_nan=True).all(axis=-1)
            swapped = [s for s in truth(project, take)[1].swaps if s.phone == phone]
            frames = {k for s in swapped for k in range(s.first, s.first + s.frames)}
            assert set(np.flatnonzero(np.any(changed, axis=1)).tolist()) == frames, f"{take}, phone {phone}"
            columns = {int(c) for s in swapped for c in seen.GROUPS[s.group]}
            assert set(np.flatnonzero(np.any(changed, axis=0)).tolist()) == columns


def test_the_repaired_legs_are_the_true_ones(project: Project) -> None:
    """As near to the truth in the exchanged frames as in their neighbours."""
    motion, true = truth(project, KNEE)
    swap = true.swaps[0]
    repaired = project.load(3, KNEE, Keypoints, swap.phone)
    found, _ = seen.keypoints_of(
        right_knee.COACH, motion, project.rig("gym").camera(swap.phone), len(repaired.times) / motion.fps,
        seen.Faults(true.seeds["keypoints"]),
    )  # fmt: skip
    rows = slice(swap.first, swap.first + swap.frames)
    error = np.linalg.norm(repaired.xy - found.xy, axis=-1)[rows][:, seen.GROUPS[swap.group]]
    assert np.median(error) < 0.5, "the same points but for the true motion's own rate"


@pytest.mark.parametrize("take", [KNEE, STANCE])
def test_points_lie_where_they_are(project: Project, take: str) -> None:
    found = project.load(3, take, Points)
    motion = truth(project, take)[0]
    error = np.linalg.norm(found.xyz - seen.marker_places(right_knee.COACH, during(motion, found)), axis=-1)
    assert np.nanmedian(error) < 0.012, "3 px at 1500 px and 3.3 m are 7 mm in each picture"
    assert np.isfinite(found.xyz).all(axis=-1).mean() > 0.97


@pytest.mark.parametrize("take", [KNEE, STANCE])
def test_the_coach_is_rebuilt_within_twenty_millimetres(project: Project, take: str, record_property) -> None:
    fit, body = project.load(4, take, SkeletonFit), project.load(4, take, Body, "coach")
    true = during(truth(project, take)[0], fit)
    known, found = (Kinematics(build(b).compile()) for b in (right_knee.COACH, body))
    places = [k.forward(q).body[:, k.body_ids(JOINTS)] for k, q in ((known, true), (found, fit.qpos))]
    error = np.linalg.norm(places[0] - places[1], axis=-1)
    record_property("body_mm", round(1e3 * float(error.mean()), 2))
    assert error.mean() < 0.020
    assert error.mean(axis=0).max() < 0.020, "every joint, not only on average"
    for knee in ("knee_l", "knee_r"):
        column = 7 + fit.joints.index(knee)
        off = np.degrees(np.abs(fit.qpos[:, column] - true[:, column]))
        record_property(f"{knee}_deg", round(float(off.mean()), 2))
        assert off.mean() < 3.5


def test_the_foot_that_was_not_seen_is_where_it_was(project: Project) -> None:
    motion, true = truth(project, KNEE)
    gap, fit, body = true.gaps[0], project.load(4, KNEE, SkeletonFit), project.load(4, KNEE, Body, "coach")
    rows = slice(gap.first - round(fit.start_s * fit.fps), gap.first + gap.frames - round(fit.start_s * fit.fps))
    known, found = (Kinematics(build(b).compile()) for b in (right_knee.COACH, body))
    here = found.forward(fit.qpos[rows]).body[:, found.body_ids(["foot_r"])[0]]
    there = known.forward(during(motion, fit)[rows]).body[:, known.body_ids(["foot_r"])[0]]
    assert np.linalg.norm(here - there, axis=-1).max() < 0.06


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_the_fighters_feet_hold(project: Project, technique: str) -> None:
    kinematics = fighter(project)
    result = project.load(5, technique, Retarget)
    _stands(kinematics, result.qpos, result.contacts, result.soles, result.fps)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_so_they_do_for_every_target(project: Project, technique: str) -> None:
    kinematics, table = fighter(project), project.load(6, technique, Table)
    for qpos in table.qpos:
        _stands(kinematics, qpos, table.contacts, table.soles, table.fps)


def _stands(kinematics: Kinematics, qpos: np.ndarray, contacts: np.ndarray, soles: tuple[str, ...], fps: float) -> None:
    errors = sole_errors(kinematics.forward(qpos).site[:, kinematics.site_ids(soles)], contacts, fps)
    assert errors.peak.max() <= 0.010
    assert errors.depth.max() <= 0.005
    assert limit_margin(kinematics, qpos).min() >= 0.0


def test_the_left_foot_never_leaves_the_floor(project: Project) -> None:
    result = project.load(5, "right-knee", Retarget)
    left, right = result.contacts[:, :4], result.contacts[:, 4:]
    assert left.all(), "the foot he stands on"
    lifted = result.motion.times[~right.any(axis=1)]
    start, stop = right_knee.BEGIN_S + right_knee.LIFT_S, right_knee.BEGIN_S + right_knee.LAND_S
    assert lifted[0] == pytest.approx(start, abs=0.06) and lifted[-1] == pytest.approx(stop, abs=0.06)


def test_the_knee_hits_its_targets_and_those_between(project: Project, record_property) -> None:
    kinematics, table = fighter(project), project.load(6, "right-knee", Table)
    assert len(table.uv) == 9 and table.hit_error.max() <= 0.005
    ticks = np.linspace(-1, 1, 5)
    wanted = np.array([(u, v) for u in ticks for v in ticks])
    index, weight = blend_weights(table.uv, wanted)
    at = np.full(len(wanted), table.impact_frame)
    site = kinematics.site_ids([f"strike_{table.striker}"])[0]
    hit = kinematics.forward(blend(table.qpos, index, weight, at)).site[:, site]
    target = np.einsum("nk,nki->ni", weight, table.targets[index])
    error = np.linalg.norm(hit - target, axis=1)
    record_property("midpoint_mm", round(1e3 * float(error.max()), 2))
    assert error.max() <= 0.005


def test_the_stance_strikes_nothing(project: Project) -> None:
    table = project.load(6, "stance", Table)
    assert table.striker == "" and len(table.uv) == 1 and table.contacts.all()


def test_it_says_that_nobody_was_filmed(project: Project) -> None:
    assert project.info.synthetic
    assert "Nobody was filmed" in truth(project, KNEE)[1].words
    revision = project.revision(2, KNEE)
    assert revision is not None and revision.record.summary["model"] == seen.MODEL
    assert "no detector looked" in revision.record.summary["notes"][0]


def test_no_stage_read_the_truth(project: Project) -> None:
    read = {
        name
        for stage in range(1, 7)
        for subject in project.subjects(stage)
        for revision in project.revisions(stage, subject)
        for name in revision.record.inputs
    }
    assert any("keypoints.npz" in name for name in read)
    assert not [name for name in read if "truth" in name]
    assert verify(project).problems == ()
