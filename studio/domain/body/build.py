"""The one body generator: a human of given measures as a MuJoCo spec."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from studio.domain.body.hinges import HINGES, is_welded
from studio.domain.body.proportions import lengths, masses
from studio.domain.body.sites import add_marker_sites, add_sole_sites, add_striker_sites
from studio.schema.body import Body

TIMESTEP = 0.005
FLOOR_FRICTION = (1.0, 0.005, 0.0001)
REFERENCE_STATURE = 1.70
CAPSULE, SPHERE, BOX = mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_BOX

OVERLAPPING = (("pelvis", "chest"), ("lumbar", "head"))
OVERLAPPING_SIDED = (
    ("chest", "upper_arm_"), ("lumbar", "upper_arm_"), ("lumbar", "thigh_"), ("head", "upper_arm_"),
    ("upper_arm_", "forearm_twist_"), ("upper_arm_", "hand_"), ("forearm_", "hand_"), ("shank_", "toe_"),
)  # fmt: skip
"""Parts two joints apart that overlap by construction; hands still meet head, chest and each other, legs each other."""


@dataclass(frozen=True)
class Frame:
    """What every part needs while the body is put together: lengths (m), masses (kg), thickness scale, variant."""

    length: dict[str, float]
    mass: dict[str, float]
    thick: float
    gloves: bool
    welded: bool


def build(body: Body, floor: bool = True, markers: bool = True, welded: bool = False) -> mujoco.MjSpec:
    """The body as an editable spec: 41 hinges and a free root (``welded``: 26), mass exactly ``body.mass``.

    Zero pose stands upright with straight legs, soles on z = 0, facing +x. ``floor`` adds the ground plane,
    ``markers`` the HALPE_26 sites. Sole and striker sites are always there. No actuators, no sensors.
    Raises ``ValueError`` for impossible measures.
    """
    frame = Frame(lengths(body), masses(body), body.stature / REFERENCE_STATURE, body.gloves, welded)
    spec = mujoco.MjSpec()
    spec.modelname = body.name
    spec.compiler.degree = False
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    if floor:
        spec.worldbody.add_geom(
            name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.05], friction=FLOOR_FRICTION, condim=3
        )
    parts = _add_trunk(spec, frame)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        parts |= _add_arm(parts["chest"], frame, side, sign)
        parts |= _add_leg(parts["pelvis"], frame, side, sign)
    add_sole_sites(parts, frame.length)
    add_striker_sites(parts, frame.length, frame.thick)
    if markers:
        add_marker_sites(parts, frame.length, frame.thick)
    _exclude_overlaps(spec)
    return spec


def _part(parent, frame: Frame, kind: str, side: str, pos) -> mujoco.MjsBody:
    name = f"{kind}_{side}" if side else kind
    body = parent.add_body(name=name, pos=pos)
    for hinge in HINGES.get(kind, ()):
        if frame.welded and is_welded(hinge.name):
            continue
        flip = -1.0 if side == "r" and hinge.mirrored else 1.0
        joint = body.add_joint(
            name=f"{hinge.name}_{side}" if side else hinge.name,
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[flip * a for a in hinge.axis],
            range=np.radians([hinge.low, hinge.high]),
            limited=True,
            armature=0.02,
        )
        joint.damping[0] = hinge.damping
    return body


def _capsule(body, start, end, radius: float, mass: float, *, what: str = "", **more) -> None:
    body.add_geom(
        name=_geom_name(body, what), type=CAPSULE, fromto=[*start, *end], size=[radius, 0, 0], mass=mass, **more
    )


def _sphere(body, centre, radius: float, mass: float, what: str = "") -> None:
    body.add_geom(name=_geom_name(body, what), type=SPHERE, pos=centre, size=[radius, 0, 0], mass=mass)


def _box(body, centre, half, mass: float) -> None:
    body.add_geom(name=_geom_name(body, ""), type=BOX, pos=centre, size=half, mass=mass, friction=FLOOR_FRICTION)


def _geom_name(body, what: str) -> str:
    return f"{body.name}_geom_{what}" if what else f"{body.name}_geom"


def _add_trunk(spec: mujoco.MjSpec, frame: Frame) -> dict[str, mujoco.MjsBody]:
    length, mass, g = frame.length, frame.mass, frame.thick
    trunk, hip = length["trunk"], length["hip_half"]
    pelvis = spec.worldbody.add_body(
        name="pelvis", pos=[0, 0, length["ankle_height"] + length["shank"] + length["thigh"]]
    )
    pelvis.add_freejoint(name="root")
    _capsule(pelvis, (0, -hip * 0.75, 0.03 * g), (0, hip * 0.75, 0.03 * g), 0.095 * g, mass["pelvis"])
    lumbar = _part(pelvis, frame, "lumbar", "", [0, 0, trunk * 0.22])
    _capsule(lumbar, (0, -0.05 * g, trunk * 0.16), (0, 0.05 * g, trunk * 0.16), 0.10 * g, mass["lumbar"])
    chest = _part(lumbar, frame, "chest", "", [0, 0, trunk * 0.33])
    _capsule(chest, (0, -0.075 * g, trunk * 0.25), (0, 0.075 * g, trunk * 0.25), 0.115 * g, mass["chest"])
    head = _part(chest, frame, "head", "", [0, 0, trunk * 0.45 + 0.035 * g])
    neck, radius = length["neck"], length["head_radius"]
    _capsule(head, (0, 0, 0), (0, 0, neck * 0.6), 0.05 * g, mass["head"] * 0.15, what="neck")
    _sphere(head, (0.015, 0, neck + radius), radius, mass["head"] * 0.85)
    return {"pelvis": pelvis, "lumbar": lumbar, "chest": chest, "head": head}


def _add_arm(chest, frame: Frame, side: str, sign: float) -> dict[str, mujoco.MjsBody]:
    length, mass, g = frame.length, frame.mass, frame.thick
    reach, upper, fore = length["shoulder_half"], length["upper_arm"], length["forearm"]
    clavicle = _part(chest, frame, "clavicle", side, [0, sign * 0.02 * g, length["trunk"] * 0.45])
    _capsule(
        clavicle, (0, sign * 0.03, 0), (0, sign * (reach - 0.03 * g), 0), 0.035 * g, mass["clavicle"],
        contype=0, conaffinity=0,
    )  # fmt: skip
    arm = _part(clavicle, frame, "upper_arm", side, [0, sign * (reach - 0.02 * g), 0])
    _capsule(arm, (0, 0, -0.04), (0, 0, -upper + 0.03), 0.045 * g, mass["upper_arm"])
    forearm = _part(arm, frame, "forearm", side, [0, 0, -upper])
    _capsule(forearm, (0, 0, -0.02), (0, 0, -fore * 0.55), 0.038 * g, mass["forearm"] * 0.6)
    twist = _part(forearm, frame, "forearm_twist", side, [0, 0, -fore * 0.55])
    _capsule(twist, (0, 0, -0.01), (0, 0, -fore * 0.40), 0.033 * g, mass["forearm"] * 0.4)
    hand = _part(twist, frame, "hand", side, [0, 0, -fore * 0.45])
    _sphere(hand, (0, 0, -length["hand"]), (0.065 if frame.gloves else 0.045) * g, mass["hand"])
    return {
        f"clavicle_{side}": clavicle, f"upper_arm_{side}": arm, f"forearm_{side}": forearm,
        f"forearm_twist_{side}": twist, f"hand_{side}": hand,
    }  # fmt: skip


def _add_leg(pelvis, frame: Frame, side: str, sign: float) -> dict[str, mujoco.MjsBody]:
    length, mass, g = frame.length, frame.mass, frame.thick
    foot_length, half_width, ankle = length["foot"], length["foot_width"] / 2, length["ankle_height"]
    thigh = _part(pelvis, frame, "thigh", side, [0, sign * length["hip_half"], 0])
    _capsule(thigh, (0, 0, -0.06), (0, 0, -length["thigh"] + 0.05), 0.068 * g, mass["thigh"])
    shank = _part(thigh, frame, "shank", side, [0, 0, -length["thigh"]])
    _capsule(shank, (0, 0, -0.03), (0, 0, -length["shank"] + 0.05), 0.048 * g, mass["shank"] * 0.85)
    _sphere(shank, (0.012, 0, 0), 0.058 * g, mass["shank"] * 0.15, "knee")
    foot = _part(shank, frame, "foot", side, [0, 0, -length["shank"]])
    # Box and toe span heel to tip: -0.22 .. 0.50 .. 0.78 of the foot from the ankle.
    _box(
        foot,
        (foot_length * 0.14, 0, -ankle * 0.55),
        (foot_length * 0.36, half_width, ankle * 0.45),
        mass["foot"] * 0.8,
    )
    toe = _part(foot, frame, "toe", side, [foot_length * 0.50, 0, -ankle * 0.70])
    _box(toe, (foot_length * 0.14, 0, 0), (foot_length * 0.14, half_width, ankle * 0.30), mass["foot"] * 0.2)
    return {f"thigh_{side}": thigh, f"shank_{side}": shank, f"foot_{side}": foot, f"toe_{side}": toe}


def _exclude_overlaps(spec: mujoco.MjSpec) -> None:
    for first, second in OVERLAPPING:
        spec.add_exclude(bodyname1=first, bodyname2=second)
    for side in "lr":
        for first, second in OVERLAPPING_SIDED:
            names = [n + side if n.endswith("_") else n for n in (first, second)]
            spec.add_exclude(bodyname1=names[0], bodyname2=names[1])
