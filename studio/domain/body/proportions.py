"""Lengths and masses of a body from its stature, its mass and what was measured."""

from __future__ import annotations

from studio.schema.body import Body

MASS_FRACTION = {
    "head": 0.0694,
    "chest": 0.1516,
    "clavicle": 0.0040,
    "lumbar": 0.1633,
    "pelvis": 0.1117,
    "upper_arm": 0.0271,
    "forearm": 0.0162,
    "hand": 0.0061,
    "thigh": 0.1416,
    "shank": 0.0433,
    "foot": 0.0137,
}
"""Part / whole, men: de Leva 1996, J. Biomech. 29, table 4. The shoulder girdles (0.4 % each, our own share) are
taken out of his upper trunk (15.96 %). Arms, legs and clavicles count twice; the sum is 1."""

LENGTH_FRACTION = {
    "shoulder_height": 0.818,
    "hip_height": 0.530,
    "knee_height": 0.285,
    "ankle_height": 0.039,
    "upper_arm": 0.186,
    "forearm": 0.146,
    "hand": 0.108,
    "foot": 0.152,
    "foot_width": 0.055,
    "shoulder_half": 0.129,
    "neck": 0.052,
    "head": 0.130,
}
"""Part / stature: Drillis and Contini 1966, as printed in Winter, Biomechanics and Motor Control, fig. 4.1."""

HIP_HALF = 0.0505
"""Half the distance of the hip centres / stature: 0.36 of the distance of the anterior superior iliac spines (Bell,
Pedersen and Brand 1990), which is about 0.14 of stature."""

GLENOHUMERAL = 0.80
"""Joint centre / acromion, distance from the midline: the centre lies about 35 mm inside the acromion."""

PALM = 0.5
"""Wrist to the middle of the closed fist / length of the stretched hand."""

SIDED = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shank", "foot")
MEASURES = (
    "thigh", "shank", "ankle_height", "trunk", "hip_half", "shoulder_half", "upper_arm", "forearm", "hand", "foot",
    "foot_width", "neck", "head_radius",
)  # fmt: skip


def lengths(body: Body) -> dict[str, float]:
    """Every length of the body in metres, keys :data:`MEASURES`.

    ``leg_ratio`` changes leg / trunk and leaves their sum; measured lengths win over both.
    Raises ``ValueError`` for an unknown measure or one that is not positive.
    """
    for name, value in body.measures.items():
        if name not in MEASURES or not value > 0:
            raise ValueError(f"measure {name} = {value}: expected one of {', '.join(MEASURES)}, positive, in metres")
    part = {name: share * body.stature for name, share in LENGTH_FRACTION.items()}
    leg, trunk = part["hip_height"], part["shoulder_height"] - part["hip_height"]
    new_trunk = (leg + trunk) / (1.0 + leg / trunk * body.leg_ratio)
    stretch = (leg + trunk - new_trunk - part["ankle_height"]) / (leg - part["ankle_height"])
    average = {
        "thigh": (part["hip_height"] - part["knee_height"]) * stretch,
        "shank": (part["knee_height"] - part["ankle_height"]) * stretch,
        "ankle_height": part["ankle_height"],
        "trunk": new_trunk,
        "hip_half": HIP_HALF * body.stature,
        "shoulder_half": part["shoulder_half"] * GLENOHUMERAL,
        "upper_arm": part["upper_arm"],
        "forearm": part["forearm"],
        "hand": part["hand"] * PALM,
        "foot": part["foot"],
        "foot_width": part["foot_width"],
        "neck": part["neck"],
        "head_radius": part["head"] / 2,
    }
    return average | body.measures


def leg_length(body: Body) -> float:
    """Hip centre to floor, standing straight (m)."""
    length = lengths(body)
    return length["thigh"] + length["shank"] + length["ankle_height"]


def masses(body: Body) -> dict[str, float]:
    """Mass (kg) of one part of each kind; with both sides of :data:`SIDED` they add up to ``body.mass``."""
    return {name: share * body.mass for name, share in MASS_FRACTION.items()}
