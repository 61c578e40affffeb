"""Clothes change what is seen and nothing else."""

import mujoco
import numpy as np
import pytest

from studio.domain.body.bag import add_bag
from studio.domain.body.build import build
from studio.domain.gates.world import HOOK, build_world
from studio.domain.picture.dress import HIDDEN, dress, dressed_world
from studio.schema.body import Body

FIGHTER = Body("fighter", 1.80, 70.0, 1.25)


def fall(spec: mujoco.MjSpec, steps: int = 120) -> np.ndarray:
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[6:] = np.linspace(-1, 1, model.nv - 6)
    path = []
    for _ in range(steps):
        mujoco.mj_step(model, data)
        path.append(data.qpos.copy())
    return np.array(path)


@pytest.mark.parametrize("welded", [False, True])
def test_the_dressed_body_moves_bit_for_bit_as_before(welded: bool):
    bare, dressed = (build(FIGHTER, welded=welded) for _ in range(2))
    for spec in (bare, dressed):
        add_bag(spec, (0.5, 0.0, 2.3))
    dress(dressed)
    assert np.array_equal(fall(bare), fall(dressed))


def test_masses_and_contacts_stay():
    bare, dressed = build(FIGHTER), build(FIGHTER)
    dress(dressed)
    before, after = bare.compile(), dressed.compile()
    assert np.array_equal(before.body_mass, after.body_mass)
    assert np.array_equal(before.body_inertia, after.body_inertia)
    shown = np.array([after.geom(k).name.startswith("look_") for k in range(after.ngeom)])
    assert shown.sum() > 30
    assert not after.geom_contype[shown].any() and not after.geom_conaffinity[shown].any()
    assert (after.geom_group[~shown & (after.geom_type != mujoco.mjtGeom.mjGEOM_PLANE)] == HIDDEN).all()


def test_every_part_of_the_body_is_dressed():
    spec = build(FIGHTER)
    dress(spec)
    for body in spec.bodies:
        if body.name != "world":
            assert any(g.name.startswith("look_") for g in body.geoms), body.name


def test_clothes_fit_another_size():
    spec = build(Body("child", 1.30, 32.0, 0.95))
    dress(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    look = [g for g in range(model.ngeom) if model.geom(g).name.startswith("look_")]
    corners = []
    for g in look:
        mesh = model.geom_dataid[g]
        start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        local = model.mesh_vert[start : start + count]
        corners.append(local @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g])
    cloud = np.concatenate(corners)
    assert -0.02 < cloud[:, 2].min() < 0.02, "the soles stand on the floor"
    assert cloud[:, 2].max() == pytest.approx(1.30, abs=0.08)


def test_the_drawn_world_has_the_states_of_the_trained_one():
    trained, drawn = build_world(FIGHTER), dressed_world(FIGHTER, HOOK)
    assert drawn.nq == trained.nq
    assert [drawn.joint(k).name for k in range(drawn.njnt)] == [trained.joint(k).name for k in range(trained.njnt)]
    assert any(drawn.geom(k).name == "look_bag_leather" for k in range(drawn.ngeom))


def test_a_foreign_spec_is_refused():
    with pytest.raises(ValueError, match="generator"):
        dress(mujoco.MjSpec())
