"""Stage 6 on a real kick: hits, feet, faults, blends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from motions import COACH, Truth

from studio.domain import rotations
from studio.domain.body.build import build
from studio.domain.body.load import load_body
from studio.domain.body.roles import roles
from studio.domain.fit.kinematics import Kinematics
from studio.domain.policy.blend import blend, blend_weights
from studio.domain.retarget import check
from studio.domain.retarget.balance import balance_figures, zmp_outside
from studio.domain.retarget.lock import find_pins
from studio.domain.retarget.retarget import retarget
from studio.domain.variants import checks
from studio.domain.variants.events import facing
from studio.domain.variants.grid import grid_coordinates, offsets
from studio.domain.variants.resolve import resolve_table
from studio.domain.variants.trainable import welded
from studio.schema.errors import StudioError
from studio.schema.motion import Retarget
from studio.schema.technique import Grid, Technique
from studio.schema.variants import Table

FIGHTER = load_body("fighter")
ROLES = roles(FIGHTER)


@pytest.fixture(scope="module")
def kinematics() -> Kinematics:
    return Kinematics(build(FIGHTER).compile())


@pytest.fixture(scope="module")
def source(kick: Truth) -> Retarget:
    return retarget(kick.fit, COACH, FIGHTER)[0]


@pytest.fixture(scope="module")
def technique(source: Retarget) -> Technique:
    return Technique("kick", "s", "t", "fighter", "shin_r", 0.0, 1.5, -facing(source.motion), {}, Grid(step=0.05))


@pytest.fixture(scope="module")
def made(technique: Technique, source: Retarget) -> tuple[Table, tuple]:
    return resolve_table(technique, source, FIGHTER)


def test_every_entry_hits_its_target_on_standing_feet(made, kinematics: Kinematics) -> None:
    table, _ = made
    assert table.qpos.shape[0] == 9 and table.hit_error.max() < 0.005
    site = kinematics.site_ids(["strike_shin_r"])[0]
    for entry in range(9):
        hit = kinematics.forward(table.qpos[entry, table.impact_frame][None]).site[0, site]
        assert np.linalg.norm(hit - table.targets[entry]) == pytest.approx(table.hit_error[entry], abs=1e-9)
        numbers = check.figures(kinematics, ROLES, table.qpos[entry], table.contacts, table.fps)
        assert numbers["slide_peak_mm"] < 20 and numbers["penetration_mm"] < 10 and numbers["limit_frames"] == 0
    assert table.targets - table.targets[4] == pytest.approx(offsets(Grid(step=0.05)), abs=1e-9)


def test_the_world_faces_x_starts_at_the_origin_and_maps_back(made, technique: Technique, source: Retarget) -> None:
    table, _ = made
    inside = table.qpos[4, 36:-48]
    turns = rotations.heading(inside[:, 3:7])
    mean = np.degrees(np.arctan2(np.sin(turns).mean(), np.cos(turns).mean()))
    assert abs(mean) < 12
    assert np.linalg.norm(inside[0, :2]) < 0.25
    assert np.degrees(np.arctan2(table.world[1, 0], table.world[0, 0])) == pytest.approx(
        (technique.heading_deg + 180) % 360 - 180
    )


def test_it_starts_and_ends_at_rest_with_the_joints_that_training_has(made, kinematics: Kinematics) -> None:
    table, _ = made
    for entry in (0, 4, 8):
        speed = np.abs(np.diff(table.qpos[entry, :, 7:], axis=0)) * table.fps
        assert speed[:3].max() < 0.3 and speed[-3:].max() < 0.3
    fixed = np.flatnonzero(welded(kinematics)[6:])
    assert len(fixed) == 15 and np.all(table.qpos[:, :, 7 + fixed] == 0)
    assert table.start_s < 0 and table.events["start"] == pytest.approx(table.start_s)
    assert table.events["lift_off"] < table.events["impact"] < table.events["land"]
    assert table.events["impact"] == pytest.approx(table.start_s + table.impact_frame / table.fps)


def test_blends_hit_between_the_entries(made, kinematics: Kinematics) -> None:
    """Linear between solved entries, as training follows them: how far a target between four of them is missed."""
    table, _ = made
    middles = np.array([[u, v] for u in (-0.5, 0.5) for v in (-0.5, 0.5)])
    uv = np.concatenate([middles, np.random.default_rng(0).uniform(-1, 1, (20, 2))])
    index, weight = blend_weights(table.uv, uv)
    poses = blend(table.qpos, index, weight, np.full(len(uv), table.impact_frame))
    poses[:, 3:7] = rotations.normalise(poses[:, 3:7])
    hits = kinematics.forward(poses).site[:, kinematics.site_ids(["strike_shin_r"])[0]]
    goals = table.targets[4] + np.column_stack([np.zeros(len(uv)), 0.05 * uv])
    miss = np.linalg.norm(hits - goals, axis=1)
    assert miss[:4].max() < 0.010 and miss.max() < 0.012


def test_a_given_impact_wins(technique: Technique, source: Retarget) -> None:
    one = replace(technique, grid=Grid(counts=(1, 1)), events={"impact": 0.70})
    table, _ = resolve_table(one, source, FIGHTER)
    assert len(table.uv) == 1 and table.events["impact"] == pytest.approx(0.70, abs=0.5 / 60)


@pytest.mark.parametrize("degrees", [10, 20, 40])
@pytest.mark.parametrize(("side", "frame"), [("l", 60), ("r", 78)])
def test_a_knee_that_flicks_for_four_frames_is_found(made, kinematics, degrees: int, side: str, frame: int) -> None:
    """The ankle stays exactly where it was, so no place shows it; the leg on the ground and the one in the air."""
    table, _ = made
    spoiled = _flicked(kinematics, table.qpos[8], frame, degrees, side)
    ankle = kinematics.body_ids([f"foot_{side}"])
    places = [kinematics.forward(q).body[:, ankle] for q in (spoiled, table.qpos[8])]
    assert np.abs(places[0] - places[1]).max() < 1e-6
    entries = table.qpos.copy()
    entries[8] = spoiled
    found = checks.check_entry(kinematics, ROLES, replace(table, qpos=entries), 8, table.qpos[4])
    clean = checks.check_entry(kinematics, ROLES, table, 8, table.qpos[4])
    new = {(f.subject, f.unit) for f in found if f.kind == "flick"} - {(f.subject, f.unit) for f in clean}
    assert any(subject.endswith(f"_{side}") for subject, _ in new)
    at = table.start_s + frame / table.fps
    assert any(f.start_s - 0.05 <= at <= f.end_s + 0.1 for f in found if (f.subject, f.unit) in new)
    if degrees >= 20:
        assert checks.neighbour_residuals(replace(table, qpos=entries))[8] > checks.NEIGHBOUR_DEG


def _flicked(kinematics: Kinematics, qpos: np.ndarray, frame: int, degrees: float, side: str) -> np.ndarray:
    """Turn the knee about hip-ankle and put the foot back with the ankle and the hip's own angles."""
    from scipy.spatial.transform import Rotation

    out = qpos.copy()
    columns = {
        n: 7 + kinematics.joints.index(f"{n}_{side}")
        for n in ("hip_yaw", "hip_roll", "hip_pitch", "ankle_pitch", "ankle_roll")
    }
    sign = 1 if side == "l" else -1
    for k, share in enumerate((0.5, 1.0, 1.0, 0.5)):
        frames = kinematics.forward(qpos[frame + k][None])
        thigh, shank, foot, pelvis = (
            kinematics.body_ids([n])[0] for n in (f"thigh_{side}", f"shank_{side}", f"foot_{side}", "pelvis")
        )
        line = frames.body[0, foot] - frames.body[0, thigh]
        turn = Rotation.from_rotvec(line / np.linalg.norm(line) * np.radians(degrees * share)).as_matrix()
        hip = frames.rotation[0, pelvis].T @ turn @ frames.rotation[0, thigh]
        yaw, roll, pitch = Rotation.from_matrix(hip).as_euler("ZXY")
        out[frame + k, [columns["hip_yaw"], columns["hip_roll"], columns["hip_pitch"]]] = sign * yaw, sign * roll, pitch
        ankle = (turn @ frames.rotation[0, shank]).T @ frames.rotation[0, foot]
        pitch, roll, _ = Rotation.from_matrix(ankle).as_euler("YXZ")
        out[frame + k, [columns["ankle_pitch"], columns["ankle_roll"]]] = pitch, sign * roll
    return out


def test_what_cannot_be_is_refused(technique: Technique, source: Retarget) -> None:
    for changed, word in (
        (replace(technique, striker="tail_r"), "tail_r"),
        (replace(technique, end_s=9.0), "leaves the take"),
        (replace(technique, end_s=0.05), "frames"),
        (replace(technique, grid=Grid(counts=(2, 3))), "counts"),
        (replace(technique, grid=Grid(axes=("y", "q"))), "axes"),
        (replace(technique, grid=Grid(step=4.0)), "step"),
        (replace(technique, events={"impct": 0.7}), "no moment impct"),
        (replace(technique, events={"impact": 1.6}), "outside its window"),
        (replace(technique, events={"impact": 0.4, "lift_off": 0.8}), "before lift_off"),
    ):
        with pytest.raises(StudioError, match=word):
            resolve_table(changed, source, FIGHTER)
    with pytest.raises(StudioError, match="stage 5"):
        resolve_table(technique, source, replace(FIGHTER, mass=80.0))


def test_grids_are_row_major_and_symmetric() -> None:
    assert grid_coordinates(Grid(counts=(3, 3)))[:4].tolist() == [[-1, -1], [-1, 0], [-1, 1], [0, -1]]
    moves = offsets(Grid(axes=("x", "z"), step=0.1, counts=(5, 1)))
    assert moves.shape == (5, 3)
    assert moves[:, 0] == pytest.approx([-0.2, -0.1, 0, 0.1, 0.2]) and np.all(moves[:, 1:] == 0)


def test_without_the_balance_pass_the_ground_would_have_to_push_beside_the_feet(
    technique: Technique, source: Retarget, made, kinematics: Kinematics
) -> None:
    """The switch of the comparison: everything of a table but its balance."""
    small = replace(technique, grid=Grid(axes=("y", "z"), step=0.05, counts=(1, 3)))
    plain, _ = resolve_table(small, replace(source, qpos=source.copied), FIGHTER, balanced=False)
    assert plain.hit_error.max() < 0.005
    balanced, _ = made
    off = []
    for table, entry in ((balanced, 4), (plain, 1)):
        pins = find_pins(kinematics, ROLES, table.qpos[entry], table.contacts, table.fps)
        off.append(balance_figures(zmp_outside(kinematics, table.qpos[entry], pins, table.fps))["zmp_outside_share"])
    assert off[0] < 0.5 * off[1]
