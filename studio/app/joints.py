"""Joints as a coach looks for them: by part of the body, and the one that a finding points at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from studio.app.findings import severity, subject_name
from studio.schema.findings import Finding
from studio.schema.layers import Layer

GROUPS = (
    ("trunk", ("lumbar", "chest")), ("head", ("neck",)),
    ("arm_l", ("clavicle", "shoulder", "elbow", "forearm", "wrist")),
    ("arm_r", ("clavicle", "shoulder", "elbow", "forearm", "wrist")), ("leg_l", ("hip", "knee", "ankle", "toe")),
    ("leg_r", ("hip", "knee", "ankle", "toe")),
)  # fmt: skip
"""Parts of the body, each with the first words of its joints."""

_MOVED_BY = {
    "heel": "ankle_pitch", "ball_in": "ankle_pitch", "ball_out": "ankle_pitch", "toe_tip": "ankle_pitch",
    "foot": "ankle_pitch", "shank": "knee", "shin": "knee", "thigh": "hip_pitch", "hand": "wrist_flexion",
    "fist": "elbow", "upper_arm": "shoulder_pitch",
}  # fmt: skip
"""Parts that findings name, each with the joint that moves it."""
_MIDDLE = {"pelvis": "lumbar_pitch", "lumbar": "lumbar_pitch", "chest": "chest_pitch", "head": "neck_pitch"}


def grouped(joints: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The joints by part of the body, in the order of a list; parts without one are left out."""
    found = []
    for name, stems in GROUPS:
        side = name[-2:] if name[-2:] in ("_l", "_r") else ""
        own = tuple(joint for stem in stems for joint in joints if _is_part(joint, stem, side))
        if own:
            found.append((name, own))
    return tuple(found)


def group_of(joint: str) -> str:
    """The part of the body that a joint belongs to."""
    return next(name for name, own in grouped((joint,)) if joint in own)


def joint_of(subject: str, joints: Sequence[str]) -> str:
    """The joint that a finding's subject is or is moved by; empty where none is."""
    stem, side = (subject[:-2], subject[-2:]) if subject[-2:] in ("_l", "_r") else (subject, "")
    for name in (subject, _MOVED_BY.get(stem, "") + side, _MIDDLE.get(subject, "")):
        if name in joints:
            return name
    return ""


def suggested(
    findings: Sequence[Finding], joints: Sequence[str], capture: np.ndarray, fighter: np.ndarray
) -> tuple[str, float | None]:
    """The joint to begin with and a moment (s), or None for any: that of the worst open finding which names one, else
    the joint whose angle (T, n) rad of the fighter is farthest from the capture's."""
    for finding in sorted((f for f in findings if not f.repaired), key=lambda f: -severity(f)):
        joint = joint_of(finding.subject, joints)
        if joint:
            return joint, finding.start_s
    away = np.abs(fighter - capture).max(axis=0)
    return joints[int(np.argmax(away))], None


def joint_title(joint: str) -> str:
    """ "hip_pitch_r" is "Right hip, forward and back"."""
    words = subject_name(joint)
    return words[:1].upper() + words[1:]


def layer_title(layer: Layer) -> str:
    """What the coach said of a layer where he did, else its joint; with the number that its name has behind."""
    if layer.words:
        return layer.words
    number = layer.name.removeprefix(layer.joint).strip()
    return f"{joint_title(layer.joint)} {number}".strip() if number.isdigit() or not number else layer.name


def _is_part(joint: str, stem: str, side: str) -> bool:
    return joint.split("_", maxsplit=1)[0] == stem and joint.endswith(side)
