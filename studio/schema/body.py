"""A body as data: its measures and which named part plays which role."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Body:
    """A simulated body made by the generator.

    ``stature`` m, ``mass`` kg; ``leg_ratio`` multiplies leg length / trunk length of the average person of that
    stature; ``measures`` overrides single lengths (m) by name: thigh, shank, ankle_height, trunk, hip_half,
    shoulder_half, upper_arm, forearm, hand, foot, foot_width, neck, head_radius.
    """

    name: str
    stature: float
    mass: float
    leg_ratio: float = 1.0
    measures: dict[str, float] = field(default_factory=dict)
    gloves: bool = True


@dataclass(frozen=True)
class Roles:
    """Names in the compiled model by role. Sides are "l" and "r".

    ``soles``: the eight sole sites, left heel, ball inside, ball outside, toe, then right. ``strikers``: role (as a
    technique names it: "knee_r", "shin_l", "fist_r", "elbow_l", "foot_r" ...) to site.
    """

    root: str
    pelvis: str
    chest: str
    head: str
    feet: dict[str, str]
    soles: tuple[str, ...]
    strikers: dict[str, str]
