"""Tiny ONNX networks that give known answers, and the demo's videos."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

BOX = (40.0, 30.0, 104.0, 158.0)
POSE_WIDTH, POSE_HEIGHT = 48, 64


def _save(path: Path, nodes: list, size: tuple[int, int], constants: dict, outputs: dict) -> Path:
    width, height = size
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 3, height, width])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)) for name, shape in outputs.items()],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), str(path))
    return path


def person_detector(path: Path) -> Path:
    """One box ``BOX`` (160 x 160 picture, score in the fifth column) as sure as the last channel is bright."""
    boxes = np.array([[[*BOX, 0.0]]], dtype=np.float32)
    sure = np.array([[[0, 0, 0, 0, 1 / 255]]], dtype=np.float32)
    nodes = [
        helper.make_node("Slice", ["input", "two", "three", "one"], ["last"]),
        helper.make_node("ReduceMean", ["last"], ["bright"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Mul", ["bright", "sure"], ["score"]),
        helper.make_node("Add", ["score", "boxes"], ["dets"]),
    ]
    indices = {name: np.array([i], dtype=np.int64) for name, i in (("two", 2), ("three", 3), ("one", 1))}
    return _save(path, nodes, (160, 160), {"boxes": boxes, "sure": sure, **indices}, {"dets": (1, 1, 5)})


def pose_network(path: Path, points: int = 26) -> Path:
    """Point k at column 1 + k, row 2 + 2 k of the crop, with confidence 0.02 (k + 1) times the first channel."""
    x = np.zeros((1, points, 2 * POSE_WIDTH), dtype=np.float32)
    y = np.zeros((1, points, 2 * POSE_HEIGHT), dtype=np.float32)
    for k in range(points):
        x[0, k, 2 * (1 + k)] = y[0, k, 2 * (2 + 2 * k)] = 0.02 * (k + 1)
    nodes = [
        helper.make_node("Slice", ["input", "zero", "one", "one"], ["first"]),
        helper.make_node("ReduceMax", ["first"], ["bright"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Mul", ["bright", "x"], ["simcc_x"]),
        helper.make_node("Mul", ["bright", "y"], ["simcc_y"]),
    ]
    indices = {name: np.array([i], dtype=np.int64) for name, i in (("zero", 0), ("one", 1))}
    return _save(
        path, nodes, (POSE_WIDTH, POSE_HEIGHT), {"x": x, "y": y, **indices}, {"simcc_x": x.shape, "simcc_y": y.shape}
    )


@pytest.fixture(scope="session")
def tiny() -> SimpleNamespace:
    """The functions of this file and the size of their networks."""
    return SimpleNamespace(person=person_detector, pose=pose_network, box=BOX, size=(POSE_WIDTH, POSE_HEIGHT))


@pytest.fixture(scope="session")
def demo_videos() -> Path:
    """The videos of Pose2Sim's single-person demo, in the installed package."""
    spec = importlib.util.find_spec("Pose2Sim")
    assert spec is not None and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "Demo_SinglePerson" / "videos"
