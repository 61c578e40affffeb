"""Which hinges every body has: axes, ranges, damping.

Zero pose: standing, arms hanging, palms in; x forward, y left, z up. On the right side the yaw and roll axes are
mirrored, so equal angles on both sides are a mirrored pose. Orders: hips yaw-roll-pitch (ZXY), shoulders
yaw-pitch-roll (ZYX): of all orders these stay farthest from gimbal lock in kicks and punches (measured on three
recorded clips: the sine of the middle angle's distance to lock is at least 0.77 for hips, 0.27 for shoulders).
"""

from __future__ import annotations

from dataclasses import dataclass

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BEND = (0.0, -1.0, 0.0)
MIDDLE = ("lumbar", "chest", "head")
"""Parts that there are only once."""
WELDED = ("neck", "clavicle", "forearm_twist", "wrist", "toe")
"""First words of the hinges that the training variant welds: keypoints do not see them."""


@dataclass(frozen=True)
class Hinge:
    """One degree of freedom. ``axis`` is the left side's; ``low`` and ``high`` in degrees; ``damping`` N m s / rad."""

    name: str
    axis: tuple[float, float, float]
    low: float
    high: float
    damping: float = 2.0
    mirrored: bool = False


HINGES: dict[str, tuple[Hinge, ...]] = {
    "lumbar": (
        Hinge("lumbar_yaw", Z, -30, 30, 4.0),
        Hinge("lumbar_roll", X, -30, 30, 4.0),
        Hinge("lumbar_pitch", Y, -25, 45, 4.0),
    ),
    "chest": (
        Hinge("chest_yaw", Z, -40, 40, 4.0),
        Hinge("chest_roll", X, -25, 25, 4.0),
        Hinge("chest_pitch", Y, -25, 40, 4.0),
    ),
    "head": (
        Hinge("neck_yaw", Z, -75, 75, 1.0),
        Hinge("neck_roll", X, -45, 45, 1.0),
        Hinge("neck_pitch", Y, -55, 60, 1.0),
    ),
    "clavicle": (
        Hinge("clavicle_protraction", Z, -25, 25, 3.0, True),
        Hinge("clavicle_elevation", X, -10, 35, 3.0, True),
    ),
    "upper_arm": (
        Hinge("shoulder_yaw", Z, -130, 130, 2.0, True),
        Hinge("shoulder_pitch", Y, -180, 90),
        Hinge("shoulder_roll", X, -60, 175, 2.0, True),
    ),
    "forearm": (Hinge("elbow", BEND, 0, 150, 1.0),),
    "forearm_twist": (Hinge("forearm_twist", Z, -90, 90, 0.5, True),),
    "hand": (
        Hinge("wrist_flexion", (-1.0, 0.0, 0.0), -60, 60, 0.5, True),
        Hinge("wrist_deviation", Y, -25, 30, 0.5),
    ),
    "thigh": (
        Hinge("hip_yaw", Z, -55, 65, 3.0, True),
        Hinge("hip_roll", X, -40, 95, 3.0, True),
        Hinge("hip_pitch", Y, -140, 40, 3.0),
    ),
    "shank": (Hinge("knee", Y, 0, 150),),
    "foot": (
        Hinge("ankle_pitch", Y, -40, 60, 1.0),
        Hinge("ankle_roll", X, -30, 30, 1.0, True),
    ),
    "toe": (Hinge("toe", Y, -65, 35, 0.5),),
}
"""Body part to its hinges, parent side first. Ranges are those of healthy men, widened a little so that a fit is not
pushed by them."""


def is_welded(joint: str) -> bool:
    """Whether the training variant welds this joint."""
    return joint.startswith(WELDED)


def hinge_names() -> tuple[str, ...]:
    """Every hinge of a body, both sides', in no order that matters."""
    return tuple(
        f"{hinge.name}{side}"
        for part, hinges in HINGES.items()
        for side in (("",) if part in MIDDLE else ("_l", "_r"))
        for hinge in hinges
    )
