"""A policy as an ONNX file: built from its weights, and opened again without trusting it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any

import numpy as np

from studio.domain.policy.observation import PolicyCard, make_layout, read_card, require_equal
from studio.schema.codec import to_plain
from studio.schema.errors import StudioError

MAX_BYTES = 20_000_000
ALLOWED = frozenset({"Sub", "Div", "Gemm", "Elu"})
"""All that an observation normaliser and a multilayer perceptron need."""
OPSET, IR_VERSION = 17, 8
CARD = "padwork_card"


@dataclass(frozen=True, eq=False)
class Weights:
    """Normaliser ``mean``, ``scale`` (D,); ``layers`` of (out, in) matrices and (out,) biases, Elu between them."""

    mean: np.ndarray
    scale: np.ndarray
    layers: tuple[tuple[np.ndarray, np.ndarray], ...]


class Policy:
    """An opened policy: ``card``, and :meth:`act`, deterministic, on one thread."""

    def __init__(self, card: PolicyCard, session: Any) -> None:
        self.card = card
        self._session = session

    def act(self, observation: np.ndarray) -> np.ndarray:
        """(N, n) float32 mean actions for observations (N, D) float32, one row after the other: a row's answer does
        not depend on its neighbours."""
        rows = [self._session.run(None, {"obs": row[None]})[0][0] for row in observation]
        return np.stack(rows)


def build_onnx(weights: Weights, card: PolicyCard) -> bytes:
    """The policy as ONNX bytes, the card in its metadata; equal weights give equal bytes."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    arrays = {"mean": weights.mean[None], "scale": weights.scale[None]}
    nodes = [
        helper.make_node("Sub", ["obs", "mean"], ["centred"]),
        helper.make_node("Div", ["centred", "scale"], ["h"]),
    ]
    last = len(weights.layers) - 1
    name = "h"
    for i, (matrix, bias) in enumerate(weights.layers):
        arrays[f"w{i}"], arrays[f"b{i}"] = matrix, bias
        out = "actions" if i == last else f"g{i}"
        nodes.append(helper.make_node("Gemm", [name, f"w{i}", f"b{i}"], [out], transB=1))
        name = out
        if i != last:
            nodes.append(helper.make_node("Elu", [out], [f"e{i}"]))
            name = f"e{i}"
    inputs = [helper.make_tensor_value_info("obs", TensorProto.FLOAT, [1, weights.mean.size])]
    outputs = [helper.make_tensor_value_info("actions", TensorProto.FLOAT, [1, weights.layers[-1][1].size])]
    stored = [numpy_helper.from_array(np.ascontiguousarray(a, np.float32), n) for n, a in arrays.items()]
    graph = helper.make_graph(nodes, "policy", inputs, outputs, stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="padwork")
    model.ir_version = IR_VERSION
    helper.set_model_props(model, {CARD: json.dumps(to_plain(card), sort_keys=True)})
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


def open_policy(path: Path) -> Policy:
    """Open a snapshot. It comes from another machine and is not trusted.

    Raises :class:`StudioError` for a file that is missing, too big, no ONNX, with other operators than
    :data:`ALLOWED`, with data outside the file, without its card, or of a layout that this version does not know.
    """
    content = _read(path)
    card = _checked_card(path.name, content)
    return Policy(card, _session(path.name, content, card))


def open_weights(path: Path) -> tuple[PolicyCard, Weights]:
    """A snapshot's card and weights, for a program that runs it in another way. Checked as :func:`open_policy` does.

    Raises :class:`StudioError` for a graph that does not compute exactly what :func:`build_onnx` would make of the
    weights.
    """
    import onnx
    from onnx.numpy_helper import to_array

    content = _read(path)
    card = _checked_card(path.name, content)
    _session(path.name, content, card)
    graph = onnx.load_model_from_string(content).graph
    arrays = {tensor.name: to_array(tensor).copy() for tensor in graph.initializer}
    try:
        layers = tuple((arrays[f"w{i}"], arrays[f"b{i}"]) for i in range(len(card.layout.hidden) + 1))
        weights = Weights(arrays["mean"][0], arrays["scale"][0], layers)
        rebuilt = onnx.load_model_from_string(build_onnx(weights, card)).graph
    except (KeyError, IndexError, ValueError, onnx.checker.ValidationError):
        raise _refuse(path.name, "its network is not built as a policy is") from None
    if rebuilt != graph:
        raise _refuse(path.name, "its network is not built as a policy is")
    return card, weights


def _checked_card(name: str, content: bytes) -> PolicyCard:
    card = _check(name, content)
    require_equal(card.layout, make_layout(card.layout.joints, card.layout.hidden), name)
    return card


def _refuse(name: str, why: str) -> StudioError:
    return StudioError(f"The snapshot {name} was not opened", why, "Choose another snapshot or train again")


def _read(path: Path) -> bytes:
    try:
        found = path.stat()
        if not S_ISREG(found.st_mode):
            raise _refuse(path.name, "it is not a file")
        if found.st_size > MAX_BYTES:
            raise _refuse(path.name, f"it is larger than {MAX_BYTES // 1_000_000} MB")
        return path.read_bytes()
    except OSError as error:
        raise _refuse(path.name, error.strerror or "it cannot be read") from None


def _check(name: str, content: bytes) -> PolicyCard:
    import onnx

    try:
        model = onnx.load_model_from_string(content)
    except Exception:
        raise _refuse(name, "it is not an ONNX file") from None
    graph = model.graph
    foreign = {node.op_type for node in graph.node if node.op_type not in ALLOWED or node.domain not in ("", "ai.onnx")}
    if foreign or model.functions or any(node.attribute and _has_graph(node) for node in graph.node):
        raise _refuse(
            name, f"it uses operators that a policy does not need: {', '.join(sorted(foreign)) or 'functions'}"
        )
    if any(t.data_location == onnx.TensorProto.EXTERNAL or t.external_data for t in graph.initializer):
        raise _refuse(name, "its weights are outside the file")
    if graph.sparse_initializer or len(graph.input) != 1 or len(graph.output) != 1:
        raise _refuse(name, "a policy has one input and one output")
    if not _finite(name, graph.initializer):
        raise _refuse(name, "it holds weights that are not finite")
    cards = [p.value for p in model.metadata_props if p.key == CARD]
    if len(cards) != 1:
        raise _refuse(name, "it does not say what it observes")
    try:
        return read_card(json.loads(cards[0]), name)
    except (ValueError, RecursionError):
        raise _refuse(name, "its card is damaged") from None


def _finite(name: str, tensors: Any) -> bool:
    """Whether all weights are finite numbers. Raises :class:`StudioError` for sizes or kinds that do not fit them."""
    from onnx.numpy_helper import to_array

    try:
        return all(np.isfinite(to_array(tensor)).all() for tensor in tensors)
    except (ValueError, TypeError, MemoryError, OverflowError):
        raise _refuse(name, "its weights are not what it says of them") from None


def _has_graph(node: Any) -> bool:
    return any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute)


def _session(name: str, content: bytes, card: PolicyCard) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception:
        raise _refuse(name, "its graph does not run") from None
    given = (session.get_inputs()[0], session.get_outputs()[0])
    wanted = (("obs", [1, card.layout.size]), ("actions", [1, len(card.layout.joints)]))
    if tuple((g.name, list(g.shape)) for g in given) != wanted:
        raise _refuse(name, "its sizes are not those of its layout")
    return session
