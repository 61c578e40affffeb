"""Named points on a body: keypoint markers, sole points, striking points."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Mapping

import mujoco

SITE_RADIUS = 0.015
SOLE_POINTS = ("heel", "ball_in", "ball_out", "toe_tip")
STRIKERS = ("knee", "shin", "foot", "fist", "elbow")

Parts = Mapping[str, mujoco.MjsBody]
Lengths = Mapping[str, float]


def _site(body: mujoco.MjsBody, name: str, pos) -> None:
    body.add_site(name=name, pos=pos, size=[SITE_RADIUS, 0, 0])


def add_sole_sites(parts: Parts, length: Lengths) -> None:
    """``heel_ ball_in_ ball_out_ toe_tip_`` + side: corners of the sole, on the floor in the zero pose."""
    foot, half_width, ankle = length["foot"], length["foot_width"] / 2, length["ankle_height"]
    for side, sign in (("l", 1.0), ("r", -1.0)):
        _site(parts[f"foot_{side}"], f"heel_{side}", [-foot * 0.22, 0, -ankle])
        _site(parts[f"foot_{side}"], f"ball_in_{side}", [foot * 0.48, -sign * half_width, -ankle])
        _site(parts[f"foot_{side}"], f"ball_out_{side}", [foot * 0.48, sign * half_width, -ankle])
        _site(parts[f"toe_{side}"], f"toe_tip_{side}", [foot * 0.28, 0, -ankle * 0.30])


def add_striker_sites(parts: Parts, length: Lengths, thick: float) -> None:
    """``strike_knee_ strike_shin_ strike_foot_ strike_fist_ strike_elbow_`` + side: where a strike lands."""
    for side in "lr":
        _site(parts[f"shank_{side}"], f"strike_knee_{side}", [0.06 * thick, 0, 0])
        _site(parts[f"shank_{side}"], f"strike_shin_{side}", [0.05 * thick, 0, -length["shank"] * 0.6])
        _site(parts[f"foot_{side}"], f"strike_foot_{side}", [length["foot"] * 0.30, 0, -length["ankle_height"] * 0.5])
        _site(parts[f"hand_{side}"], f"strike_fist_{side}", [0, 0, -length["hand"] - 0.05 * thick])
        _site(parts[f"forearm_{side}"], f"strike_elbow_{side}", [-0.04 * thick, 0, 0])


def add_marker_sites(parts: Parts, length: Lengths, thick: float) -> None:
    """HALPE_26 without eyes and ears, at the joint centres and on the feet and head, before any calibration."""
    foot, ankle, trunk = length["foot"], length["ankle_height"], length["trunk"]
    neck, radius = length["neck"], length["head_radius"]
    _site(parts["pelvis"], "Hip", [0, 0, 0])
    _site(parts["chest"], "Neck", [0, 0, trunk * 0.45])
    _site(parts["head"], "Head", [0, 0, neck + radius * 2.0])
    _site(parts["head"], "Nose", [0.10 * thick, 0, neck + radius * 0.8])
    for side, sign in (("l", 1.0), ("r", -1.0)):
        name = side.upper()
        for marker, part in (
            ("Shoulder", "upper_arm"), ("Elbow", "forearm"), ("Wrist", "hand"),
            ("Hip", "thigh"), ("Knee", "shank"), ("Ankle", "foot"),
        ):  # fmt: skip
            _site(parts[f"{part}_{side}"], name + marker, [0, 0, 0])
        _site(parts[f"foot_{side}"], f"{name}Heel", [-foot * 0.22, 0, -ankle * 0.75])
        _site(parts[f"toe_{side}"], f"{name}BigToe", [foot * 0.24, -sign * length["foot_width"] * 0.25, 0])
        _site(parts[f"toe_{side}"], f"{name}SmallToe", [foot * 0.15, sign * length["foot_width"] * 0.4, 0])
