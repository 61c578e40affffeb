"""A technique that strikes nothing, from its motion to its gate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from factories import FPS, stance_motion

from remote_agent.host.host import Host, HostSettings
from remote_agent.rewards.recipe import OF_A_STRIKE, make_recipe, read_recipe
from studio.domain.body.load import load_body
from studio.domain.gates.figures import OF_A_STRIKE as FIGURES_OF_A_STRIKE
from studio.domain.gates.figures import figure_of
from studio.domain.gates.rollout import Scene, make_scene, play
from studio.domain.gates.rules import read_rules
from studio.domain.policy.observation import make_layout
from studio.domain.policy.reference import make_reference
from studio.domain.variants.resolve import resolve_table
from studio.schema.errors import StudioError
from studio.schema.resources import resource
from studio.schema.technique import Grid, Technique
from studio.schema.variants import Table

BODY = load_body("fighter")
STANCE = Technique("stance", "gym", "stance", "fighter", "", 0.0, 1.0, grid=Grid(counts=(1, 1)))
SEEDS = (100, 101)


@pytest.fixture(scope="module")
def made() -> tuple[Table, tuple]:
    return resolve_table(STANCE, stance_motion(1.0), BODY)


@pytest.fixture(scope="module")
def scene(made) -> Scene:
    reference = make_reference(made[0], BODY)
    return make_scene(BODY, reference, make_layout(reference.joints), 2)


def test_its_table_is_one_entry_with_a_target_out_of_reach(made) -> None:
    table, found = made
    assert table.uv.tolist() == [[0.0, 0.0]] and table.hit_error.tolist() == [0.0] and table.striker == ""
    assert [f for f in found if f.name == "hit"] == []
    assert table.targets[0, 0] > table.qpos[0, :, 0].max() + 0.8 and 1.0 < table.targets[0, 2] < 1.6
    at = {name: round((seconds - table.start_s) * FPS) for name, seconds in table.events.items()}
    last = table.qpos.shape[1] - 1
    assert (at["start"], at["lift_off"], at["upright"], at["land"], at["end"]) == (0, 0, 0, last, last)
    assert 0.3 * last < at["impact"] == table.impact_frame < 0.7 * last
    assert table.contacts.all()


def test_a_grid_means_nothing_to_it(made) -> None:
    table, _ = resolve_table(replace(STANCE, grid=Grid()), stance_motion(1.0), BODY)
    assert np.array_equal(table.qpos, made[0].qpos) and len(table.uv) == 1


def test_moments_out_of_order_are_refused() -> None:
    with pytest.raises(StudioError, match="land at"):
        resolve_table(replace(STANCE, events={"land": 0.2, "impact": 0.8}), stance_motion(1.0), BODY)


def test_observation_and_world_have_the_sizes_of_a_strike(scene: Scene) -> None:
    from factories import raise_scene

    strike = raise_scene()
    assert scene.layout == strike.layout
    assert (scene.model.nq, scene.model.nv, scene.model.nu) == (41, 38, 26)
    assert not (scene.model.geom_contype & 2).any(), "nothing may touch the bag"
    assert not scene.reference.strikes and scene.reference.reach.tolist() == [0.0, 0.0]


def test_the_bag_hangs_far_away_in_every_condition(scene: Scene) -> None:
    def nothing(seen: np.ndarray) -> np.ndarray:
        return np.zeros((len(seen), 26), np.float32)

    air, bag = (play(scene, nothing, condition, 100) for condition in ("air", "bag"))
    assert air.sha256 == bag.sha256
    assert scene.model.body_pos[scene.model.body("bag_anchor").id][0] > 4.0
    assert figure_of("fallen", air, scene.reference) == 0.0, "he can hold his stance"
    assert figure_of("impulse", bag, scene.reference) == 0.0
    assert figure_of("lean_past_reference", air, scene.reference) < 3.0


def test_nobody_practises_with_the_bag_or_elsewhere(scene: Scene) -> None:
    host = Host(scene, read_recipe(""), HostSettings(8, 1, bag_share=1.0), np.random.default_rng(0))
    try:
        assert not host.episodes.with_bag.any() and not host.episodes.uv.any()
        outcome = host.step(np.zeros((8, 26), np.float32))
        assert (outcome.reward > 0.5).all() and (outcome.reward < 0.86).all()
        assert np.allclose(host.episodes.nearest, 9.0) and not host.episodes.impulse.any()
    finally:
        host.close()


@pytest.mark.parametrize("name", OF_A_STRIKE)
def test_nobody_is_paid_for_a_strike(name: str) -> None:
    assert name not in {term for term, _, _ in read_recipe("").terms}
    with pytest.raises(StudioError, match=f"{name} pays for a strike"):
        make_recipe({name: {"weight": 1.0}}, "")


def test_its_gate_asks_for_no_strike_and_only_in_the_air(tmp_path) -> None:
    rules = {rule.name: rule for rule in read_rules(resource("gates", "stance.toml"), "")}
    assert {rule.conditions for rule in rules.values()} == {("air",)}
    strike = {rule.name: rule for rule in read_rules(resource("gates", "strike.toml"), "knee_r")}
    assert {name: rule.limit for name, rule in rules.items()} == {name: strike[name].limit for name in rules}
    assert [name for name, rule in rules.items() if not rule.judged] == ["tracking"]
    path = tmp_path / "gate.toml"
    for figure in FIGURES_OF_A_STRIKE:
        path.write_text(f"[x]\nfigure='{figure}'\nsense='above'\nlimit=1\njudged=true\nconditions=['air']\n")
        with pytest.raises(StudioError, match="nothing strikes"):
            read_rules(path, "")
