"""What the body generator promises: measures, names, mass, both variants."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from studio.domain.body.bag import add_bag
from studio.domain.body.build import build
from studio.domain.body.load import body_hash, coach_body, load_body
from studio.domain.body.proportions import leg_length, lengths
from studio.domain.body.roles import roles
from studio.schema.body import Body
from studio.schema.errors import StudioError
from studio.schema.keypoints import HALPE_26
from studio.schema.project import Coach

FIGHTER = load_body("fighter")


@pytest.mark.parametrize("welded", [False, True])
@pytest.mark.parametrize("body", [FIGHTER, load_body("coach"), Body("tall", 1.95, 101.5, 1.1)], ids=lambda b: b.name)
def test_mass_is_exact_and_the_soles_stand_on_the_floor(body: Body, welded: bool) -> None:
    model = build(body, welded=welded).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert model.body_mass.sum() == pytest.approx(body.mass, abs=1e-9)
    assert model.nv == (32 if welded else 47)
    for sole in roles(body).soles:
        assert data.site(sole).xpos[2] == pytest.approx(0.0, abs=1e-9)
    assert data.body("head").xpos[2] > data.body("chest").xpos[2] > data.body("pelvis").xpos[2] > 0.5


def test_leg_ratio_is_that_of_legs_to_trunk() -> None:
    average = Body("a", FIGHTER.stature, FIGHTER.mass)
    ratio = leg_length(FIGHTER) / lengths(FIGHTER)["trunk"]
    assert ratio / (leg_length(average) / lengths(average)["trunk"]) == pytest.approx(1.25)
    total = leg_length(FIGHTER) + lengths(FIGHTER)["trunk"]
    assert total == pytest.approx(leg_length(average) + lengths(average)["trunk"])


def test_measured_joint_distances_are_those_asked_for() -> None:
    measures = {"thigh": 0.41, "shank": 0.39, "upper_arm": 0.29, "forearm": 0.25, "trunk": 0.5, "shoulder_half": 0.17}
    model = build(replace(FIGHTER, measures=measures)).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)

    def apart(a: str, b: str) -> float:
        return float(np.linalg.norm(data.site(a).xpos - data.site(b).xpos))

    assert apart("LHip", "LKnee") == pytest.approx(0.41)
    assert apart("RKnee", "RAnkle") == pytest.approx(0.39)
    assert apart("RShoulder", "RElbow") == pytest.approx(0.29)
    assert apart("LElbow", "LWrist") == pytest.approx(0.25)
    assert apart("LShoulder", "RShoulder") == pytest.approx(0.34)
    assert data.site("LShoulder").xpos[2] - data.site("LHip").xpos[2] == pytest.approx(0.5)


def test_every_role_and_marker_is_in_the_model() -> None:
    found = roles(FIGHTER)
    for welded in (False, True):
        model = build(FIGHTER, welded=welded).compile()
        names = {model.site(i).name for i in range(model.nsite)}
        assert set(found.soles) | set(found.strikers.values()) <= names
        assert {n for n in HALPE_26 if "Eye" not in n and "Ear" not in n} <= names
        for body in (found.pelvis, found.chest, found.head, *found.feet.values()):
            assert model.body(body).id > 0
    assert not any(s.name in HALPE_26 for s in build(FIGHTER, markers=False).sites)


def test_equal_angles_on_both_sides_are_a_mirrored_pose() -> None:
    model = build(FIGHTER, floor=False).compile()
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    for i in range(1, model.njnt):
        name = model.joint(i).name
        if name.endswith("_l"):
            angle = rng.uniform(*model.jnt_range[i])
            data.qpos[model.jnt_qposadr[i]] = angle
            data.qpos[model.jnt_qposadr[model.joint(name[:-1] + "r").id]] = angle
    mujoco.mj_kinematics(model, data)
    for name in ("LWrist", "LBigToe", "LKnee", "LElbow", "LHeel"):
        mirrored = data.site("R" + name[1:]).xpos * [1, -1, 1]
        assert data.site(name).xpos == pytest.approx(mirrored, abs=1e-9)


def test_positive_means_what_the_field_says() -> None:
    model = build(FIGHTER, floor=False).compile()
    data = mujoco.MjData(model)

    def foot(joint: str, angle: float) -> np.ndarray:
        mujoco.mj_resetData(model, data)
        mujoco.mj_kinematics(model, data)
        rest = data.body("foot_r").xpos.copy()
        data.qpos[model.jnt_qposadr[model.joint(joint).id]] = angle
        mujoco.mj_kinematics(model, data)
        return data.body("foot_r").xpos - rest

    assert foot("knee_r", 1.0)[0] < -0.1, "knee flexion brings the foot back"
    assert foot("hip_roll_r", 0.5)[1] < -0.1, "abduction brings it out"
    assert foot("hip_pitch_r", -0.5)[0] > 0.1, "hip flexion is negative pitch"


def test_hash_follows_the_body_and_not_its_name() -> None:
    assert body_hash(FIGHTER) == body_hash(replace(FIGHTER, name="other"))
    for changed in (
        replace(FIGHTER, mass=71.0),
        replace(FIGHTER, measures={"foot": 0.27}),
        replace(FIGHTER, gloves=False),
    ):
        assert body_hash(changed) != body_hash(FIGHTER)


def test_what_the_coach_typed_in_wins() -> None:
    body = coach_body(Coach("c", 1.8, 80.0, {"thigh": 0.45}), {"thigh": 0.40, "shank": 0.41})
    assert body.measures == {"thigh": 0.45, "shank": 0.41}
    assert not body.gloves


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("schema_version = 1\nname = 'x'\nstature = 9.0\nmass = 70.0", "stature"),
        ("schema_version = 1\nname = 'x'\nstature = 1.8\nmass = 70.0\n[measures]\ntail = 0.4", "tail"),
        ("schema_version = 1\nname = 'x'\nstature = 1.8\nmass = 70.0\n[measures]\nthigh = 4.0", "thigh"),
        ("schema_version = 1\nname = 'x'\nstature = 1.8\nmass = 70.0\n[measures]\nthigh = -0.4", "thigh"),
        ("stature = 1.8", "schema_version"),
        ("not = [toml", ""),
    ],
)
def test_impossible_bodies_are_refused_with_the_reason(tmp_path, text: str, named: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(StudioError) as caught:
        load_body(path)
    assert named in str(caught.value)


def test_an_unknown_body_names_the_known_ones() -> None:
    with pytest.raises(StudioError, match="coach, fighter"):
        load_body("nobody")


def test_the_bag_hangs_still_and_weighs_forty_kilograms() -> None:
    spec = build(FIGHTER, welded=True)
    add_bag(spec, (2.0, 0.0, 2.4))
    model = spec.compile()
    data = mujoco.MjData(model)
    assert model.body("bag").mass[0] == pytest.approx(40.0)
    mujoco.mj_forward(model, data)
    place = data.site("bag_centre").xpos.copy()
    assert place == pytest.approx([2.0, 0.0, 2.4 - 0.55 - 0.55])
    for _ in range(200):
        mujoco.mj_step(model, data)
    assert data.site("bag_centre").xpos == pytest.approx(place, abs=2e-3)


def test_a_fist_guards_the_head_but_overlapping_neighbours_do_not_collide() -> None:
    model = build(FIGHTER).compile()
    excluded = {
        frozenset((model.body(s >> 16).name, model.body(s & 0xFFFF).name)) for s in model.exclude_signature.tolist()
    }
    assert frozenset(("pelvis", "chest")) in excluded
    assert frozenset(("hand_l", "head")) not in excluded
    assert frozenset(("thigh_l", "thigh_r")) not in excluded
