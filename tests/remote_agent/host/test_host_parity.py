"""The training host and the gate's plain loop are the same world, the same observation, the same episode."""

import mujoco
import numpy as np
import pytest
from factories import raise_scene

from remote_agent.host.batch import Batch
from remote_agent.host.host import Host, HostSettings
from remote_agent.rewards.recipe import make_recipe
from studio.domain.gates.rollout import play
from studio.domain.gates.sensors import sensor_map
from studio.domain.policy.observation import Moment, observe
from studio.domain.policy.reference import SUBSTEPS

SCENE = raise_scene(9)
RECIPE = make_recipe({"body_places": {"weight": 1.0, "sigma": 0.15}}, "foot_l")
MATRIX = np.random.default_rng(8).normal(size=(SCENE.layout.size, 26)) * 0.02


def acts(observation: np.ndarray) -> np.ndarray:
    return np.tanh(observation.astype(float) @ MATRIX)


def make_host(envs: int, **more: float) -> Host:
    settings = HostSettings(envs, 2, hold_s=1.0, **more)  # type: ignore[arg-type]
    return Host(SCENE, RECIPE, settings, np.random.default_rng(1))


def test_fifty_states_are_seen_alike() -> None:
    host = make_host(50)
    for _ in range(3):
        host.step(np.random.default_rng(2).normal(size=(50, 26)))
    seen = host.observe()
    qpos, qvel = host.state
    e, reference = host.episodes, SCENE.reference
    for i in range(50):
        index, weight = reference.weights(e.uv[i : i + 1])
        rows = reference.rows(index, weight, e.number[i : i + 1])
        target = reference.target(index, weight)
        one = slice(i, i + 1)
        moment = Moment(
            qpos[one, :33], qvel[one, :32], rows, target, e.uv[one], e.last_action[one], e.number[one]
        )  # fmt: skip
        alone = observe(SCENE.layout, reference, SCENE.slot, moment)[0]
        assert np.abs(alone - seen[i]).max() < 1e-5
    host.close()


@pytest.mark.parametrize("condition", ["air", "bag"])
def test_an_episode_of_the_host_is_the_gates(condition: str) -> None:
    host = make_host(2)
    uv = np.array([[0.0, 0.0], [0.4, -0.7]])
    host.fix(np.array([100, 101]), np.full(2, condition == "bag"), uv)
    states = [host.state[0]]
    for _ in range(60):
        host.step(acts(host.observe()))
        states.append(host.state[0])
    for i in range(2):
        trajectory = play(SCENE, acts, condition, 100 + i, uv=(float(uv[i, 0]), float(uv[i, 1])))
        assert np.abs(trajectory.qpos[:61] - np.array(states)[:, i]).max() < 1e-9
    host.close()


def test_the_batch_is_plain_mj_step_and_reads_sensors_before_each_substep() -> None:
    model = SCENE.model
    batch = Batch(model, 3, 2)
    reference = SCENE.reference
    batch.place(np.arange(3), np.repeat(reference.q[4][:1], 3, axis=0), np.zeros((3, 32)))
    batch.hang(1, np.array([0.3, 0.2, 0.8]), np.array([1.0, 0.0]), False)
    control = reference.q[4][:1, 7:] + 0.2 * np.random.default_rng(3).normal(size=(3, 26))
    data = mujoco.MjData(model)
    data.qpos[:33] = reference.q[4][0]
    rows = [batch.advance(control).copy() for _ in range(5)]
    for k in range(5):
        data.ctrl[:] = control[0]
        data.qacc_warmstart[:] = 0
        for s in range(SUBSTEPS):
            before = data.qpos.copy()
            mujoco.mj_step(model, data)
            assert np.allclose(rows[k][0, s], data.sensordata, atol=1e-9)
            if k == s == 0:
                assert np.allclose(rows[0][0, 0, sensor_map(model).bodies][:3], before[:3])
    assert np.abs(batch.qpos[0] - data.qpos).max() < 1e-11
    batch.close()


def test_thread_count_changes_nothing() -> None:
    finals = []
    for threads in (1, 2):
        host = Host(SCENE, RECIPE, HostSettings(8, threads), np.random.default_rng(5))
        for _ in range(40):
            host.step(acts(host.observe()))
        finals.append(host.state)
        host.close()
    assert np.array_equal(finals[0][0], finals[1][0]) and np.array_equal(finals[0][1], finals[1][1])
