"""A layer's curve: through its knots, never beyond them, smooth everywhere, nothing outside its window."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from studio.app.said import is_known
from studio.domain.body.hinges import hinge_names
from studio.domain.layers import edit
from studio.domain.layers.compose import shares, with_layers
from studio.domain.layers.curve import offset, within
from studio.domain.layers.rules import LARGEST, LEAST_GAP_S, checked
from studio.schema.errors import StudioError
from studio.schema.layers import Knot, Layer, Layers

ONE = Layer("one", "knee_l", 1.0, 2.0, (Knot(1.5, 0.3),))
STEP = 1e-4


def layers_of(seed: int) -> Layer:
    rng = np.random.default_rng(seed)
    at = np.sort(rng.uniform(1.05, 1.95, rng.integers(1, 7)))
    at = at[np.concatenate([[True], np.diff(at) > 0.04])]
    values = rng.normal(0, 0.3, len(at))
    values[rng.random(len(at)) < 0.2] = 0.1
    return Layer("made", "knee_l", 1.0, 2.0, tuple(Knot(float(t), float(v)) for t, v in zip(at, values, strict=True)))


@pytest.mark.parametrize("seed", range(25))
def test_a_curve_passes_its_knots_and_stays_between_them(seed: int) -> None:
    layer = layers_of(seed)
    stops = np.array([(layer.start_s, 0.0), *((k.time_s, k.value) for k in layer.knots), (layer.end_s, 0.0)])
    assert offset(layer, stops[:, 0]) == pytest.approx(stops[:, 1], abs=1e-12)
    for (start, low), (end, high) in pairwise(stops):
        piece = offset(layer, np.linspace(start, end, 400))
        assert piece.min() > min(low, high) - 1e-9 and piece.max() < max(low, high) + 1e-9
        rise = np.diff(piece) * np.sign(high - low)
        assert rise.min() > -1e-9, "monotone from knot to knot"


@pytest.mark.parametrize("seed", range(25))
def test_a_curve_is_smooth_to_the_second_derivative_and_nothing_outside(seed: int) -> None:
    layer = layers_of(seed)
    times = np.arange(0.8, 2.2, STEP)
    value = offset(layer, times)
    assert not value[(times <= layer.start_s) | (times >= layer.end_s)].any()
    for k, bound in ((1, 3e3), (2, 3e6)):  # a break in speed or acceleration would be of the order of 1 / STEP
        slope = np.diff(value, n=k) / STEP**k
        assert np.abs(np.diff(slope)).max() < bound * STEP
    near = offset(layer, np.array([layer.start_s + STEP, layer.end_s - STEP]))
    assert np.abs(near).max() < 1e-6, "it comes and goes with the third power"


def test_the_ends_of_a_window_lie_outside() -> None:
    assert within(ONE, np.array([1.0, np.nextafter(1.0, 2.0), np.nextafter(2.0, 1.0), 2.0])).tolist() == [
        False, True, True, False,
    ]  # fmt: skip


def test_one_knot_is_a_minimum_jerk_rise_and_two_equal_knots_hold() -> None:
    u = np.linspace(0, 1, 50)
    rise = offset(ONE, 1.0 + 0.5 * u)
    assert rise == pytest.approx(0.3 * u**3 * (10 - 15 * u + 6 * u * u), abs=1e-12)
    held = replace(ONE, knots=(Knot(1.3, 0.3), Knot(1.6, 0.3)))
    assert np.all(offset(held, np.linspace(1.3, 1.6, 50)) == 0.3)
    assert not offset(replace(ONE, knots=()), np.linspace(0, 3, 50)).any()


def test_a_moved_knot_changes_two_pieces_on_either_side_at_most() -> None:
    layer = replace(ONE, knots=tuple(Knot(1.1 + 0.1 * k, 0.1 * (k % 3)) for k in range(8)))
    moved = edit.move_knot(layer, 4, 1.52, 0.4)
    times = np.linspace(1.0, 2.0, 1001)
    changed = times[offset(layer, times) != offset(moved, times)]
    assert changed.min() >= 1.3 - 1e-9 and changed.max() <= 1.7 + 1e-9


def test_layers_of_one_joint_add_up_and_other_moments_keep_their_bits() -> None:
    times, joints = np.linspace(0.0, 3.0, 181), ("knee_l", "elbow_r")
    qpos = np.random.default_rng(1).normal(size=(181, 9))
    qpos[:, 7] = -0.0
    other, off = replace(ONE, name="two", start_s=1.4, end_s=2.4), replace(ONE, name="off", on=False)
    out = with_layers(qpos, joints, times, Layers((ONE, other, off)))
    assert out[:, 7] == pytest.approx(offset(ONE, times) + offset(other, times))
    outside = ~(within(ONE, times) | within(other, times))
    assert out[outside].tobytes() == qpos[outside].tobytes()
    assert np.delete(out, 7, axis=1).tobytes() == np.delete(qpos, 7, axis=1).tobytes()
    found = shares(qpos, out, joints, times, Layers((ONE, off)))
    assert found[0].asked == pytest.approx(0.3) and found[0].time_s == pytest.approx(1.5)
    assert (found[1].asked, found[1].got) == (0.0, 0.0)


BAD = {
    "joint": (replace(ONE, joint="tail"),),
    "same name": (ONE, ONE),
    "its name": (replace(ONE, name="  "),),
    "too long": (replace(ONE, name="x" * 81),),
    "words": (replace(ONE, words="x" * 501),),
    "outside": (replace(ONE, knots=(Knot(2.0, 0.1),)),),
    "overlap": (replace(ONE, knots=(Knot(1.5, 0.1), Knot(1.5 + LEAST_GAP_S / 2, 0.2))),),
    "two of its knots": (replace(ONE, knots=(Knot(1.6, 0.1), Knot(1.5, 0.2))),),
    "window": (replace(ONE, start_s=2.0, end_s=1.0, knots=()),),
    "half a turn": (replace(ONE, knots=(Knot(1.5, 3.2),)),),
    "not finite": (replace(ONE, knots=(Knot(1.5, float("nan")),)),),
    "number that is not": (replace(ONE, end_s=float("inf")),),
    "33 knots": (replace(ONE, knots=tuple(Knot(1.01 + 0.025 * k, 0.1) for k in range(33))),),
    "65 layers": tuple(replace(ONE, name=f"{k}") for k in range(65)),
}


@pytest.mark.parametrize("why", BAD)
def test_layers_that_cannot_be_used_are_refused_in_a_sentence_of_both_languages(why: str) -> None:
    with pytest.raises(StudioError, match=why) as caught:
        checked(Layers(BAD[why]), hinge_names())
    assert all(is_known(part) for part in caught.value.args), caught.value


def test_whatever_a_hand_does_the_layer_can_be_used() -> None:
    rng, layer = np.random.default_rng(3), ONE
    for _ in range(2000):
        layer = bent_by_hand(layer, rng)
        assert checked(Layers((layer,)), hinge_names())
        assert all(abs(knot.value) <= LARGEST for knot in layer.knots)


def bent_by_hand(layer: Layer, rng: np.random.Generator) -> Layer:
    at, value, count = float(rng.uniform(-1, 4)), float(rng.normal(0, 3)), len(layer.knots)
    what = rng.integers(0, 5)
    if what == 0 and count:
        return edit.move_knot(layer, int(rng.integers(0, count)), at, value)
    if what == 1 and count < 32:
        return edit.add_knot(layer, at, value)
    if what == 2 and count:
        return edit.remove_knot(layer, int(rng.integers(0, count)))
    if what == 3:
        return edit.set_window(layer, at, at + float(rng.normal()))
    return edit.shift(layer, float(rng.normal(0, 0.1)))


def test_names_stay_apart() -> None:
    layers = Layers((ONE, replace(ONE, name="one 2")))
    assert edit.free_name(layers, "one") == "one 3" and edit.free_name(layers, "two") == "two"
    with pytest.raises(KeyError):
        edit.changed(layers, "three", lambda layer: layer)
