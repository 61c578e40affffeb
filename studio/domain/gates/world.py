"""The one physical world of training and gate: the fighter with position servos, a floor, a heavy bag, and sensors."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np

from studio.domain.body.bag import BAG_LENGTH, BAG_RADIUS, STRAP, add_bag
from studio.domain.body.build import build
from studio.domain.body.roles import roles
from studio.domain.gates.sensors import add_sensors
from studio.schema.body import Body
from studio.schema.errors import StudioError

FLOOR, STRIKING = 1, 2
"""Contact bits: soles meet the floor, the striking limb meets the bag, and nothing else meets anything."""
SOLE_PARTS = ("foot_l", "toe_l", "foot_r", "toe_r")
STRIKING_PARTS = {
    "knee": ("thigh", "shank"),
    "shin": ("thigh", "shank", "foot"),
    "foot": ("shank", "foot", "toe"),
    "fist": ("forearm", "forearm_twist", "hand"),
    "elbow": ("upper_arm", "forearm", "forearm_twist"),
}
"""Striker to the parts of its limb that may touch the bag."""
HOOK = (1.0, 0.0, 2.3)
BELOW_TARGET = 0.35
LOWEST = 0.15
PULLED_CLOSER = 0.04
"""Metres by which the bag's skin is nearer than the target: a knee that only reached the skin gave 9 N s instead of
27 (measured with this bag)."""
AWAY = 6.0
"""Metres the bag is moved for the air: the same scene, the same number of unknowns."""


@dataclass(frozen=True)
class Gains:
    """Servo gains by the first word of a joint's name: stiffness N m / rad, force limit N m.

    ``lag``: damping / stiffness in seconds, how far the servo follows behind a moving target; ``damping`` N m s / rad
    and ``armature`` kg m^2 of every joint. The defaults landed a knee 12 of 12 times in a two-core training; ankles
    need a sum well over m g h, about 700 N m / rad, or he falls while he stands still.
    """

    stiffness: dict[str, float] = field(
        default_factory=lambda: {
            "lumbar": 800.0, "chest": 800.0, "shoulder": 200.0, "elbow": 120.0,
            "hip": 1000.0, "knee": 1000.0, "ankle": 900.0,
        }
    )  # fmt: skip
    force: dict[str, float] = field(
        default_factory=lambda: {
            "lumbar": 300.0, "chest": 300.0, "shoulder": 80.0, "elbow": 60.0,
            "hip": 300.0, "knee": 300.0, "ankle": 200.0,
        }
    )  # fmt: skip
    lag: float = 0.06
    damping: float = 0.5
    armature: float = 0.05


def build_world(body: Body, striker: str = "knee_r", gains: Gains | None = None) -> mujoco.MjModel:
    """The compiled world: qpos = root (7), the body's 26 trained hinges, then the bag's two ball joints (8).

    ``striker`` is a role of the body ("knee_r", "foot_l", ...); its limb may touch the bag, its site is sensed. Empty:
    nothing may touch the bag, and no site is sensed; sizes stay the same. 5 ms, implicitfast. The bag hangs at a
    default place: :func:`hang_bag` moves it. Raises :class:`StudioError` for an unknown striker.
    """
    if striker and striker not in roles(body).strikers:
        known = ", ".join(sorted(roles(body).strikers))
        raise StudioError(f"{striker} cannot strike", f"{body.name} has no such part", f"Choose one of {known}")
    spec = build(body, floor=True, markers=False, welded=True)
    spec.option.iterations, spec.option.ls_iterations = 10, 20
    for pair in list(spec.excludes):
        spec.delete(pair)
    _add_servos(spec, gains or Gains())
    add_bag(spec, HOOK)
    _choose_contacts(spec, striking_bodies(striker))
    add_sensors(spec, body, striker, _geoms_of(spec, striking_bodies(striker)), _geoms_of(spec, SOLE_PARTS))
    return spec.compile()


def striking_bodies(striker: str) -> tuple[str, ...]:
    """Bodies of the striking limb, e.g. "knee_r" gives thigh_r and shank_r; none for an empty striker."""
    if not striker:
        return ()
    kind, side = striker.rsplit("_", 1)
    return tuple(f"{part}_{side}" for part in STRIKING_PARTS[kind])


def hang_bag(model: mujoco.MjModel, target: np.ndarray, direction: np.ndarray, air: bool = False) -> None:
    """Put the bag where ``target`` (3,) m is met from the inside, ``direction`` (2,) on the floor pointing outwards.

    Its skin is a little nearer than the target and its lower end below it. ``air``: far away instead.
    """
    low = max(LOWEST, float(target[2]) - BELOW_TARGET)
    out = BAG_RADIUS - PULLED_CLOSER + (AWAY if air else 0.0)
    place = np.asarray(target[:2]) + np.asarray(direction) * out
    model.body_pos[model.body("bag_anchor").id] = (place[0], place[1], low + STRAP + BAG_LENGTH)


def _add_servos(spec: mujoco.MjSpec, gains: Gains) -> None:
    for joint in spec.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_HINGE:
            continue
        kind = joint.name.split("_")[0]
        joint.damping[0], joint.armature = gains.damping, gains.armature
        servo = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=gains.stiffness[kind], kv=gains.stiffness[kind] * gains.lag)
        servo.forcerange = [-gains.force[kind], gains.force[kind]]
        servo.forcelimited = True


def _choose_contacts(spec: mujoco.MjSpec, striking: tuple[str, ...]) -> None:
    for geom in spec.geoms:
        part = geom.parent.name
        geom.contype = STRIKING if part in striking else 0
        geom.conaffinity = FLOOR if part in SOLE_PARTS else 0
        if geom.name == "floor":
            geom.contype, geom.conaffinity = FLOOR, 0
        elif geom.name == "bag_geom":
            geom.contype, geom.conaffinity = 0, STRIKING


def _geoms_of(spec: mujoco.MjSpec, parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(geom.name for geom in spec.geoms if geom.parent.name in parts)
