"""The gate: a snapshot judged by plain MuJoCo, ONNX and numpy, the same bytes from every run on one machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

import numpy as np

from studio.domain.gates.figures import figure_of
from studio.domain.gates.rollout import CONDITIONS, Scene, Trajectory, make_scene, play
from studio.domain.gates.rules import Rule, read_rules
from studio.domain.policy.network import Policy, open_policy
from studio.domain.policy.observation import make_layout, require_equal
from studio.domain.policy.reference import make_reference
from studio.schema.body import Body
from studio.schema.codec import document, pack
from studio.schema.errors import StudioError
from studio.schema.resources import resource
from studio.schema.technique import kind_of
from studio.schema.training import GateRow, GateTable
from studio.schema.variants import Table

NOTHING = "nothing that strikes"


def run_gate(
    snapshot: Path,
    table: Table,
    body: Body,
    seeds: Sequence[int],
    *,
    rules: Path | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> GateTable:
    """Judge a snapshot against the table it was taught, at the centre target, every seed, in every condition that a
    rule asks for (a strike in the air and on the bag, a stance in the air).

    ``rules``: a gate file, the default one of strikes or of stances if left out. ``on_progress`` gets 0..1. Raises
    :class:`StudioError` for a snapshot that cannot be opened or was taught something else.
    """
    policy, scene = open_scene(snapshot, table, body)
    chosen = read_rules(rules or resource("gates", f"{kind_of(table.striker)}.toml"), table.striker)
    conditions = [name for name in CONDITIONS if any(name in rule.conditions for rule in chosen)]
    played: dict[str, list[Trajectory]] = {condition: [] for condition in conditions}
    for condition in conditions:
        for seed in seeds:
            played[condition].append(play(scene, policy.act, condition, seed))
            if on_progress:
                on_progress(sum(map(len, played.values())) / (len(conditions) * len(seeds)))
    return GateTable(
        technique=table.technique,
        snapshot=f"iter-{policy.card.iteration:06d}",
        seeds=tuple(seeds),
        rows=tuple(_row(rule, played, scene) for rule in chosen),
        trajectory_sha256={name: tuple(t.sha256 for t in ts) for name, ts in played.items()},
        policy_sha256=hashlib.sha256(snapshot.read_bytes()).hexdigest(),
        table_sha256=table_sha256(table),
        versions={name: metadata.version(name) for name in ("mujoco", "numpy", "onnxruntime")},
    )


def open_scene(snapshot: Path, table: Table, body: Body) -> tuple[Policy, Scene]:
    """Open a snapshot and set the scene for it. Raises :class:`StudioError` when they do not belong together."""
    policy = open_policy(snapshot)
    card, skill = policy.card, policy.card.skill(table.technique)
    if skill is None or skill.striker != table.striker:
        learned = " and ".join(f"{known.technique} with {known.striker or NOTHING}" for known in card.skills)
        raise StudioError(
            f"The snapshot {snapshot.name} was not judged",
            f"it learned {learned}, the table is {table.technique} with {table.striker or NOTHING}",
            "Choose a snapshot of this technique",
        )
    reference = make_reference(table, body)
    require_equal(card.layout, make_layout(reference.joints, card.layout.hidden), f"The snapshot {snapshot.name}")
    return policy, make_scene(body, reference, card.layout, skill.slot)


def film_cell(snapshot: Path, table: Table, body: Body, condition: str, seed: int) -> Trajectory:
    """The episode behind one cell of the gate, as it was judged: qpos (L + 1, nq) at 50 Hz and the reference's."""
    policy, scene = open_scene(snapshot, table, body)
    return play(scene, policy.act, condition, seed)


def gate_json(table: GateTable) -> bytes:
    """The table as the bytes of its file."""
    return (json.dumps(document(table), sort_keys=True, indent=1) + "\n").encode()


def table_sha256(table: Table) -> str:
    """Of a table's content: header and arrays in order of their names."""
    digest = hashlib.sha256()
    for name, array in sorted(pack(table).items()):
        digest.update(f"{name}{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _row(rule: Rule, played: dict[str, list[Trajectory]], scene: Scene) -> GateRow:
    values = {
        condition: tuple(figure_of(rule.figure, trajectory, scene.reference) for trajectory in played[condition])
        for condition in rule.conditions
    }
    return GateRow(rule.name, rule.unit, rule.sense, rule.limit, rule.judged, values)
