"""The heavy bag: 40 kg on a strap."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Sequence

import mujoco

BAG_MASS, BAG_LENGTH, BAG_RADIUS, STRAP, STRAP_MASS = 40.0, 1.10, 0.175, 0.55, 1.0
SOLREF, SOLIMP = (0.02, 1.0), (0.3, 0.95, 0.06, 0.5, 2.0)
"""Contact of the leather. Measured with an 8 kg knee at 6 m/s: 2.6 to 2.8 kN, 35 to 38 ms, 42 to 44 N s at steps of
0.5 to 5 ms; stiffer direct forms change fourfold with the step. ``priority`` 1 keeps the body's own softness out."""


def add_bag(
    spec: mujoco.MjSpec,
    position: Sequence[float],
    *,
    mass: float = BAG_MASS,
    length: float = BAG_LENGTH,
    radius: float = BAG_RADIUS,
    strap: float = STRAP,
) -> mujoco.MjsBody:
    """Hang a bag from ``position`` (3,) m, its hook under the ceiling; returns the bag's body.

    Adds bodies ``bag_anchor`` and ``bag``, ball joints ``bag_top`` and ``bag_swivel``, geom ``bag_geom``, site
    ``bag_centre``. The bag reaches from ``strap`` to ``strap + length`` below the hook.
    """
    anchor = spec.worldbody.add_body(name="bag_anchor", pos=list(position))
    _ball(anchor, "bag_top")
    anchor.add_geom(
        name="bag_anchor_geom", type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[0, 0, 0, 0, 0, -strap],
        size=[0.01, 0, 0], mass=STRAP_MASS, contype=0, conaffinity=0,
    )  # fmt: skip
    bag = anchor.add_body(name="bag", pos=[0, 0, -strap])
    _ball(bag, "bag_swivel")
    bag.add_geom(
        name="bag_geom", type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[0, 0, -radius, 0, 0, -length + radius],
        size=[radius, 0, 0], mass=mass, solref=SOLREF, solimp=SOLIMP, friction=[0.6, 0.01, 0.0001], priority=1,
    )  # fmt: skip
    bag.add_site(name="bag_centre", pos=[0, 0, -length / 2], size=[0.02, 0, 0])
    return bag


def _ball(body: mujoco.MjsBody, name: str) -> None:
    joint = body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_BALL)
    joint.damping[0] = 2.0
