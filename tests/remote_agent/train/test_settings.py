"""Presets and their overrides."""

import pytest

from remote_agent.train.settings import gate_seeds, make_settings
from studio.schema.errors import StudioError
from studio.schema.training import TeacherSpec


def spec(preset: str = "quick", **settings: object) -> TeacherSpec:
    return TeacherSpec("raise", preset, 1, "", dict(settings))


def test_seeds_are_those_written_down() -> None:
    assert gate_seeds() == (100, 101, 102, 103, 104, 105)
    assert not set(gate_seeds()) & set(make_settings(spec()).evaluation_seeds)


def test_the_rate_falls_geometrically_and_zero_stays_zero() -> None:
    s = make_settings(spec())
    assert s.rate(0) == pytest.approx(1e-3) and s.rate(s.iterations - 1) == pytest.approx(1e-4)
    middle = s.rate((s.iterations - 1) // 2) * s.rate((s.iterations - 1) - (s.iterations - 1) // 2)
    assert middle == pytest.approx(1e-3 * 1e-4)
    frozen = make_settings(spec(learning_rate=0))
    assert frozen.rate(0) == frozen.rate(50) == 0.0


def test_the_exploration_calms_late_and_no_faster_than_the_rate() -> None:
    for preset in ("smoke", "quick", "full"):
        s = make_settings(spec(preset))
        stds = [s.std(i) for i in range(s.iterations)]
        last_loud = int(s.calm_from * (s.iterations - 1))
        assert stds[0] == stds[last_loud] == s.action_std and stds[-1] == pytest.approx(s.final_action_std)
        for i in range(last_loud, s.iterations - 1):
            assert s.rate(i + 1) / s.rate(i) <= stds[i + 1] / stds[i] + 1e-12
    whole = make_settings(spec(calm_from=1.0))
    assert whole.std(whole.iterations - 1) == whole.action_std


def test_overrides_win() -> None:
    s = make_settings(spec(iterations=3, hidden=[16, 8], slot=4))
    assert (s.iterations, s.hidden, s.slot) == (3, (16, 8), 4)
    assert make_settings(spec("full")).iterations > make_settings(spec()).iterations


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"speed": 3}, "no setting speed"),
        ({"envs": "many"}, "envs"),
        ({"envs": 0}, "envs is 0"),
        ({"slot": 32}, "slot is 32"),
        ({"learning_rate": -1.0}, "learning_rate"),
        ({"calm_from": 1.5}, "calm_from"),
        ({"hidden": []}, "empty"),
        ({"evaluation_seeds": []}, "empty"),
    ],
)
def test_impossible_settings_are_refused(settings: dict, why: str) -> None:
    with pytest.raises(StudioError, match=why):
        make_settings(spec(**settings))


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(StudioError, match="no preset slow"):
        make_settings(spec("slow"))
