"""Snapshots as ONNX: built, opened, and refused when they are not what they say."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from studio.domain.policy import network
from studio.domain.policy.network import Weights, build_onnx, open_policy, open_weights
from studio.domain.policy.observation import PolicyCard, Skill, make_layout
from studio.schema.errors import StudioError

JOINTS = tuple(f"joint_{i}" for i in range(5))
LAYOUT = make_layout(JOINTS, (8, 6))
CARD = PolicyCard((Skill("raise", 1, "foot_l"),), 7, LAYOUT)


def weights() -> Weights:
    chance = np.random.default_rng(3)
    sizes = (LAYOUT.size, 8, 6, 5)
    layers = tuple(
        (chance.normal(size=(b, a)).astype(np.float32), chance.normal(size=b).astype(np.float32))
        for a, b in itertools.pairwise(sizes)
    )
    return Weights(
        chance.normal(size=LAYOUT.size).astype(np.float32),
        chance.uniform(1, 2, LAYOUT.size).astype(np.float32),
        layers,
    )


def saved(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_it_computes_the_network(tmp_path: Path) -> None:
    w = weights()
    policy = open_policy(saved(tmp_path / "p.onnx", build_onnx(w, CARD)))
    seen = np.random.default_rng(4).normal(size=(3, LAYOUT.size)).astype(np.float32)
    h = (seen - w.mean) / w.scale
    for i, (matrix, bias) in enumerate(w.layers):
        h = h @ matrix.T + bias
        if i < 2:
            h = np.where(h > 0, h, np.expm1(h))
    assert policy.card == CARD
    assert np.allclose(policy.act(seen), h, atol=1e-4)


def test_equal_weights_give_equal_bytes() -> None:
    assert build_onnx(weights(), CARD) == build_onnx(weights(), CARD)


def test_a_row_does_not_depend_on_its_neighbours(tmp_path: Path) -> None:
    policy = open_policy(saved(tmp_path / "p.onnx", build_onnx(weights(), CARD)))
    seen = np.random.default_rng(5).normal(size=(4, LAYOUT.size)).astype(np.float32)
    assert np.array_equal(policy.act(seen)[2:3], policy.act(seen[2:3]))


def changed(change) -> bytes:
    model = onnx.load_model_from_string(build_onnx(weights(), CARD))
    change(model)
    return model.SerializeToString()


def with_node(model: onnx.ModelProto) -> None:
    model.graph.node.append(helper.make_node("Loop", ["a"], ["b"]))


def with_domain(model: onnx.ModelProto) -> None:
    model.graph.node[0].domain = "evil.ops"


def with_outside_data(model: onnx.ModelProto) -> None:
    model.graph.initializer[0].data_location = onnx.TensorProto.EXTERNAL


def without_card(model: onnx.ModelProto) -> None:
    del model.metadata_props[:]


def with_nan(model: onnx.ModelProto) -> None:
    model.graph.initializer[0].CopyFrom(
        onnx.numpy_helper.from_array(np.full((1, LAYOUT.size), np.nan, np.float32), "mean")
    )


def with_odd_card(model: onnx.ModelProto) -> None:
    model.metadata_props[0].value = "{"


def with_deep_card(model: onnx.ModelProto) -> None:
    model.metadata_props[0].value = "[" * 100_000


def with_other_sizes(model: onnx.ModelProto) -> None:
    model.graph.initializer[2].dims[0] = 1 << 40


def with_texts(model: onnx.ModelProto) -> None:
    model.graph.initializer[2].data_type = onnx.TensorProto.STRING


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (with_node, "operators.*Loop"),
        (with_domain, "operators"),
        (with_outside_data, "outside the file"),
        (without_card, "does not say what it observes"),
        (with_nan, "not finite"),
        (with_odd_card, "card is damaged"),
        (with_deep_card, "card is damaged"),
        (with_other_sizes, "not what it says"),
        (with_texts, "not what it says"),
    ],
)
def test_hostile_files_are_refused(tmp_path: Path, change, why: str) -> None:
    with pytest.raises(StudioError, match=why):
        open_policy(saved(tmp_path / "p.onnx", changed(change)))


def test_other_files_and_layouts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StudioError, match="not an ONNX file"):
        open_policy(saved(tmp_path / "p.onnx", b"\x80\x04no"))
    (tmp_path / "endless.onnx").symlink_to("/dev/zero")
    with pytest.raises(StudioError, match="it is not a file"):
        open_policy(tmp_path / "endless.onnx")
    with pytest.raises(StudioError, match="No such file"):
        open_policy(tmp_path / "none.onnx")
    other = replace(CARD, layout=replace(LAYOUT, action_scale=0.5))
    with pytest.raises(StudioError, match="layout differs in action_scale"):
        open_policy(saved(tmp_path / "q.onnx", build_onnx(weights(), other)))
    short = replace(CARD, layout=make_layout(JOINTS[:4], (8, 6)))
    with pytest.raises(StudioError, match="sizes"):
        open_policy(saved(tmp_path / "r.onnx", build_onnx(weights(), short)))
    monkeypatch.setattr(network, "MAX_BYTES", 1000)
    with pytest.raises(StudioError, match="larger than"):
        open_policy(saved(tmp_path / "s.onnx", build_onnx(weights(), CARD)))


def test_the_card_is_plain_json() -> None:
    model = onnx.load_model_from_string(build_onnx(weights(), CARD))
    plain = json.loads(model.metadata_props[0].value)
    assert plain["skills"][0]["technique"] == "raise" and plain["layout"]["action"] == "residual"


def with_card(plain: dict) -> bytes:
    def change(model: onnx.ModelProto) -> None:
        model.metadata_props[0].value = json.dumps(plain)

    return changed(change)


def test_a_policy_of_one_technique_that_names_it_itself_still_opens(tmp_path: Path) -> None:
    plain = json.loads(json.dumps(network.to_plain(CARD)))
    old = {key: plain[key] for key in ("iteration", "layout")} | plain["skills"][0]
    assert open_policy(saved(tmp_path / "p.onnx", with_card(old))).card == CARD


def test_a_policy_of_several_techniques_tells_them_apart(tmp_path: Path) -> None:
    both = replace(CARD, skills=(*CARD.skills, Skill("stance", 2, "")))
    card = open_policy(saved(tmp_path / "p.onnx", build_onnx(weights(), both))).card
    assert card.skill("stance") == Skill("stance", 2, "") and card.skill("jab") is None
    for again in (Skill("stance", 1, ""), Skill("raise", 2, ""), Skill("stance", 32, "")):
        wrong = replace(CARD, skills=(*CARD.skills, again))
        with pytest.raises(StudioError, match="cannot be used here"):
            open_policy(saved(tmp_path / "p.onnx", build_onnx(weights(), wrong)))
    with pytest.raises(StudioError, match="not told apart"):
        open_policy(saved(tmp_path / "p.onnx", build_onnx(weights(), replace(CARD, skills=()))))


def test_the_weights_of_a_snapshot_come_back_as_they_were(tmp_path: Path) -> None:
    card, found = open_weights(saved(tmp_path / "p.onnx", build_onnx(weights(), CARD)))
    made = weights()
    assert card == CARD and np.array_equal(found.mean, made.mean) and np.array_equal(found.scale, made.scale)
    for (matrix, bias), (wanted, shift) in zip(found.layers, made.layers, strict=True):
        assert np.array_equal(matrix, wanted) and np.array_equal(bias, shift)


def test_weights_of_another_network_than_they_seem_are_refused(tmp_path: Path) -> None:
    def turned(model: onnx.ModelProto) -> None:
        model.graph.node[2].attribute[0].i = 0
        for tensor in model.graph.initializer:
            if tensor.name == "w0":
                tensor.CopyFrom(onnx.numpy_helper.from_array(weights().layers[0][0].T.copy(), "w0"))

    def renamed(model: onnx.ModelProto) -> None:
        model.graph.initializer[0].name = model.graph.node[0].input[1] = "other"

    for change in (turned, renamed):
        path = saved(tmp_path / "p.onnx", changed(change))
        open_policy(path)
        with pytest.raises(StudioError, match="not built as a policy is"):
            open_weights(path)
