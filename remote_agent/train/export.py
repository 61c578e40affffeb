"""A snapshot: the policy as ONNX with its normaliser, all weights as safetensors, what it observes, their hashes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import torch
from rsl_rl.models import MLPModel

from remote_agent.train.wire import write_file
from studio.domain.policy.network import Weights, build_onnx
from studio.domain.policy.observation import PolicyCard
from studio.schema.codec import document


def policy_weights(actor: MLPModel) -> Weights:
    """The deterministic part of an actor: normaliser and layers. Its mean is its last layer."""
    normaliser = actor.obs_normalizer
    layers = [layer for layer in actor.mlp if isinstance(layer, torch.nn.Linear)]
    pairs = tuple((layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()) for layer in layers)
    scale = (normaliser._std + normaliser.eps)[0]  # type: ignore[operator,index]
    return Weights(normaliser._mean[0].numpy().copy(), scale.numpy().copy(), pairs)  # type: ignore[index]


def write_snapshot(folder: Path, actor: MLPModel, card: PolicyCard, more: dict[str, str]) -> Path:
    """Write ``iter-000090.onnx`` and beside it ``.safetensors``, ``.observation.json`` and ``.manifest.json``; returns
    the first. ``more`` goes into the manifest: hashes of what it was trained with, versions."""
    from safetensors.torch import save

    stem = f"iter-{card.iteration:06d}"
    state = {name: tensor.detach().clone().contiguous() for name, tensor in actor.state_dict().items()}
    contents = {
        f"{stem}.safetensors": save(state),
        f"{stem}.observation.json": _json(document(card)),
        f"{stem}.onnx": build_onnx(policy_weights(actor), card),
    }
    for name, content in contents.items():
        write_file(folder / name, content)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    manifest = {"schema_version": 1, "iteration": card.iteration, "sha256": hashes, "made_with": more}
    write_file(folder / f"{stem}.manifest.json", _json(manifest))
    return folder / f"{stem}.onnx"


def _json(plain: dict[str, object]) -> bytes:
    return (json.dumps(plain, sort_keys=True, indent=1) + "\n").encode()
