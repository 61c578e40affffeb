"""The one observation of every technique, as data and as one numpy function that training and gate both call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.domain.policy.reference import CONTROL_HZ, Reference, Rows
from studio.domain.rotations import conjugate, log, multiply, to_matrix
from studio.schema.codec import from_plain
from studio.schema.errors import StudioError

SLOTS = 32
CLIP = 8.0
SETTLE_STEPS = 20
"""Clocks in the observation stop this many control steps after the clip: the hold may last as long as it likes."""
ACTION_LIMIT = 4.0


@dataclass(frozen=True)
class ObservationLayout:
    """What a policy sees, in order, and what its numbers mean; two policies can be merged only if these are equal.

    ``parts``: names and sizes. ``action``: "residual", the servo targets are the reference's plus ``action_scale``
    (rad) times the output, for ``joints`` in order. ``hidden``: sizes of the network's hidden layers.
    """

    parts: tuple[tuple[str, int], ...]
    joints: tuple[str, ...]
    hidden: tuple[int, ...] = (256, 128)
    action: str = "residual"
    action_scale: float = 0.25
    control_hz: int = CONTROL_HZ
    version: int = 1

    @property
    def size(self) -> int:
        return sum(size for _, size in self.parts)


@dataclass(frozen=True)
class Skill:
    """A technique that a policy learned: its slot in the observation, and what strikes (empty where nothing does)."""

    technique: str
    slot: int
    striker: str


@dataclass(frozen=True)
class PolicyCard:
    """What must be known to run a snapshot: the techniques it learned, one of a teacher and several of a student, and
    its layout. ``iteration`` of the training that made it."""

    skills: tuple[Skill, ...]
    iteration: int
    layout: ObservationLayout

    def skill(self, technique: str) -> Skill | None:
        """How it knows a technique, or None."""
        return next((skill for skill in self.skills if skill.technique == technique), None)


def read_card(plain: Any, where: str) -> PolicyCard:
    """A card from its plain form; one written before a policy could know several techniques names its only one itself.

    Raises :class:`StudioError` for one that does not fit, and for skills that share a name or a slot or have none.
    """
    if isinstance(plain, dict) and "skills" not in plain:
        plain = {**plain, "skills": [{name: plain[name] for name in ("technique", "slot", "striker") if name in plain}]}
    card = from_plain(PolicyCard, plain, where)
    slots = {skill.slot for skill in card.skills}
    names = {skill.technique for skill in card.skills}
    if not card.skills or len(slots) < len(card.skills) or len(names) < len(card.skills):
        raise StudioError(f"{where} cannot be used here", "its skills are not told apart", "Train it again")
    if not all(0 <= slot < SLOTS for slot in slots):
        raise StudioError(f"{where} cannot be used here", f"slots are numbered 0 to {SLOTS - 1}", "Train it again")
    return card


@dataclass(frozen=True, eq=False)
class Moment:
    """N fighters at one control step: ``qpos`` (N, 7 + n), ``qvel`` (N, 6 + n), the reference rows and targets (N, 3),
    the last actions (N, n), the step (N,), the target's grid place (N, 2)."""

    qpos: np.ndarray
    qvel: np.ndarray
    rows: Rows
    target: np.ndarray
    uv: np.ndarray
    last_action: np.ndarray
    step: np.ndarray


def make_layout(joints: tuple[str, ...], hidden: tuple[int, ...] = (256, 128)) -> ObservationLayout:
    """The layout for a body with these trained joints."""
    n = len(joints)
    parts = (
        ("height", 1), ("up", 3), ("velocity", 3), ("turning", 3), ("place_error", 3), ("heading_error", 3),
        ("target", 3), ("joint_error", n), ("joint_velocity", n), ("reference_velocity", n), ("last_action", n),
        ("phase", 4), ("to_impact", 1), ("grid", 2), ("slot", SLOTS),
    )  # fmt: skip
    return ObservationLayout(parts, joints, hidden)


def observe(layout: ObservationLayout, reference: Reference, slot: int, moment: Moment) -> np.ndarray:
    """(N, layout.size) float32, every number scaled to about 1 and clipped to +-8.

    Lengths are in metres and angles in radians before scaling; velocity, place error and target in the pelvis's own
    frame. The clocks run with the reference.
    """
    q, v, rows = moment.qpos, moment.qvel, moment.rows
    own = np.swapaxes(to_matrix(q[:, 3:7]), 1, 2)
    turn = log(multiply(conjugate(rows.q[:, 3:7]), q[:, 3:7]))
    clock = np.minimum(moment.step, reference.clip_steps + SETTLE_STEPS)
    angle = np.pi * np.minimum(clock / reference.clip_steps, 1.0)[:, None]
    slots = np.zeros((len(q), SLOTS))
    slots[:, slot] = 1.0
    parts = {
        "height": q[:, 2:3] - reference.standing_height,
        "up": own[:, :, 2],
        "velocity": _apply(own, v[:, :3]),
        "turning": 0.3 * v[:, 3:6],
        "place_error": 5.0 * _apply(own, q[:, :3] - rows.q[:, :3]),
        "heading_error": 3.0 * turn,
        "target": _apply(own, moment.target - q[:, :3]),
        "joint_error": 3.0 * (q[:, 7:] - rows.q[:, 7:]),
        "joint_velocity": 0.1 * v[:, 6:],
        "reference_velocity": 0.1 * rows.qd[:, 6:],
        "last_action": 0.5 * moment.last_action,
        "phase": np.concatenate([np.sin(angle), np.cos(angle), np.sin(2 * angle), np.cos(2 * angle)], axis=1),
        "to_impact": 0.05 * (clock[:, None] - reference.impact_step),
        "grid": moment.uv,
        "slot": slots,
    }
    ordered = np.concatenate([parts[name] for name, _ in layout.parts], axis=1)
    return np.clip(ordered, -CLIP, CLIP).astype(np.float32)


def servo_targets(layout: ObservationLayout, rows: Rows, action: np.ndarray) -> np.ndarray:
    """(N, n) rad: the reference's servo targets plus the scaled, clipped action."""
    return rows.control + layout.action_scale * np.clip(action, -ACTION_LIMIT, ACTION_LIMIT)


def require_equal(found: ObservationLayout, wanted: ObservationLayout, who: str) -> None:
    """Refuse a policy of another layout. Raises :class:`StudioError` naming the first difference."""
    for name in ("version", "parts", "joints", "action", "action_scale", "control_hz", "hidden"):
        if getattr(found, name) != getattr(wanted, name):
            raise StudioError(
                f"{who} cannot be used here",
                f"its observation layout differs in {name}",
                "Train it again with this version of Padwork",
            )


def _apply(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    return np.einsum("nij,nj->ni", matrix, vector)
