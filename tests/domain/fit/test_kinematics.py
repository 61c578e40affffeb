"""Vectorised kinematics against MuJoCo's own."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from studio.domain.body.build import build
from studio.domain.body.load import load_body
from studio.domain.fit.kinematics import Kinematics


@pytest.fixture(scope="module")
def pose() -> tuple[Kinematics, np.ndarray, mujoco.MjData]:
    kinematics = Kinematics(build(load_body("fighter")).compile())
    model = kinematics.model
    tangent = np.random.default_rng(0).normal(0, 0.4, (3, model.nv))
    qpos = kinematics.integrate(np.tile(model.qpos0, (3, 1)), tangent)
    data = mujoco.MjData(model)
    data.qpos[:] = qpos[1]
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return kinematics, qpos, data


def test_jacobians_are_mujocos(pose) -> None:
    kinematics, qpos, data = pose
    model, frames = kinematics.model, kinematics.forward(qpos)
    dofs = np.arange(model.nv)
    for name in ("LWrist", "heel_r", "Nose", "strike_shin_l", "Hip"):
        site = kinematics.site_ids([name])
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, linear, angular, site[0])
        bodies = model.site_bodyid[site]
        assert kinematics.point_jacobian(frames, frames.site[:, site], bodies, dofs)[1, 0] == pytest.approx(linear)
        assert kinematics.rotation_jacobian(frames, bodies, dofs)[1, 0] == pytest.approx(angular)


def test_a_choice_of_dofs_is_a_choice_of_columns(pose) -> None:
    kinematics, qpos, _ = pose
    frames, site = kinematics.forward(qpos), kinematics.site_ids(["RWrist", "toe_tip_l"])
    bodies = kinematics.model.site_bodyid[site]
    chosen = np.array([1, 4, 7, 20, 40])
    whole = kinematics.point_jacobian(frames, frames.site[:, site], bodies, np.arange(kinematics.model.nv))
    part = kinematics.point_jacobian(frames, frames.site[:, site], bodies, chosen)
    assert part == pytest.approx(whole[..., chosen])


def test_centre_of_mass_and_its_jacobian_are_mujocos(pose) -> None:
    kinematics, qpos, data = pose
    frames = kinematics.forward(qpos)
    jacobian = np.zeros((3, kinematics.model.nv))
    mujoco.mj_jacSubtreeCom(kinematics.model, data, jacobian, 1)
    found = kinematics.centre_of_mass_jacobian(frames, np.arange(kinematics.model.nv))[1]
    assert found == pytest.approx(jacobian)
    assert kinematics.centre_of_mass(frames)[1] == pytest.approx(data.subtree_com[1])


def test_difference_undoes_integrate(pose) -> None:
    kinematics, qpos, _ = pose
    tangent = np.random.default_rng(1).normal(0, 0.5, (3, kinematics.model.nv))
    moved = kinematics.integrate(qpos, tangent)
    assert kinematics.difference(qpos, moved) == pytest.approx(tangent)
    one = qpos[0].copy()
    mujoco.mj_integratePos(kinematics.model, one, tangent[0], 1.0)
    assert moved[0] == pytest.approx(one)


def test_other_joints_are_refused() -> None:
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body><joint type='slide'/><geom size='.1'/></body></worldbody></mujoco>"
    )
    with pytest.raises(ValueError, match="free root"):
        Kinematics(model)
