"""What the coach of the sample does: a rear knee from the guard, and standing in it."""

from __future__ import annotations

from studio.domain.synthetic.curves import Choreography, Curve
from studio.domain.synthetic.stance import GUARD, PELVIS
from studio.schema.body import Body

COACH = Body("coach", 1.72, 70.0, gloves=False)

BEGIN_S, LEAD_S, AFTER_S = 1.0, 0.55, 0.52
"""When he begins (s), after the claps; how much earlier his weight begins to shift; how long he stands at last."""

LIFT_S, HIT_S, APEX_S, LAND_S, END_S = 0.40, 0.63, 0.82, 1.26, 2.08
"""When the foot leaves, the knee hits, is highest, the foot lands, and he stands in his guard again, s from where he
begins."""

STANCE_S = 2.6
"""How long he is filmed in his guard."""


def knee() -> Choreography:
    """The standing knee: the weight goes onto the front foot, the rear heel leaves first, the knee is driven up and
    forward with the hip behind it while the guard stays, and the foot goes back to where it came from."""
    legs = {
        "hip_pitch_r": _way(
            -8, (0.38, 2), (0.50, -20), (HIT_S, -72), (0.70, -92), (APEX_S, -97), (0.98, -68), (1.14, -22)
        ),
        "knee_r": _way(24, (0.40, 40), (0.52, 96), (HIT_S, 118), (APEX_S, 112), (0.98, 92), (1.14, 44)),
        "hip_roll_r": _way(0, (0.40, 2), (HIT_S, 8), (APEX_S, 9), (1.05, 4)),
        "ankle_pitch_r": _way(-14, (0.40, 14), (0.54, 36), (APEX_S, 38), (1.05, 14)),
    }
    body = {
        "lumbar_pitch": _hold("lumbar_pitch", (0.36, 5), (HIT_S, 0), (APEX_S, 1)),
        "chest_pitch": _hold("chest_pitch", (0.36, 7), (HIT_S, 2), (APEX_S, 3)),
        "chest_yaw": _hold("chest_yaw", (0.36, -6), (HIT_S, -12), (APEX_S, -14)),
        "neck_yaw": _hold("neck_yaw", (0.36, 24), (HIT_S, 4), (APEX_S, 2)),
        "neck_pitch": _hold("neck_pitch", (HIT_S, 12), (APEX_S, 12)),
        "shoulder_pitch_r": _hold("shoulder_pitch_r", (HIT_S, -26), (APEX_S, -24)),
        "shoulder_pitch_l": _hold("shoulder_pitch_l", (HIT_S, -54), (APEX_S, -56)),
    }
    pelvis = {
        "yaw": _turn("yaw", (0.32, -25), (HIT_S, -2), (APEX_S, 11), (1.05, -8)),
        "pitch": _turn("pitch", (0.32, 4), (HIT_S, -14), (APEX_S, -18), (1.05, -4)),
        "z": _turn("z", (0.30, 0.015), (0.50, 0.055), (0.95, 0.060), (1.20, 0.015)),
    }
    lifted = {"r": ((LIFT_S, LAND_S),)}
    return Choreography(
        END_S, {**legs, **body}, pelvis, lifted, lead_s=LEAD_S, before_s=BEGIN_S - LEAD_S, after_s=AFTER_S
    )


def standing() -> Choreography:
    """In the guard, the weight swaying from foot to foot a little."""
    turning = {"yaw": tuple((at, PELVIS["yaw"] + by) for at, by in ((0.2, 0), (0.8, 2.0), (1.6, -2.0), (2.4, 0)))}
    sway = {
        "x": ((0.2, 0.0), (0.8, 0.020), (1.6, -0.020), (2.4, 0.0)),
        "y": ((0.2, 0.0), (0.8, 0.014), (1.6, -0.014), (2.4, 0.0)),
        "z": ((0.2, 0.0), (0.6, -0.006), (1.1, 0.0), (1.7, -0.006), (2.4, 0.0)),
    }
    return Choreography(STANCE_S, {}, turning, sway=sway)


def _way(rest: float, *moments: tuple[float, float]) -> Curve:
    """From ``rest`` through ``moments`` (s, value) back to rest at the landing."""
    return ((0.10, rest), *((at, float(value)) for at, value in moments), (LAND_S, rest))


def _hold(joint: str, *moments: tuple[float, float]) -> Curve:
    """The same for a joint of the upper body, from and to the guard, a little later."""
    rest = GUARD.get(joint, 0.0)
    return ((0.10, rest), *((at, float(value)) for at, value in moments), (LAND_S + 0.15, rest))


def _turn(axis: str, *moments: tuple[float, float]) -> Curve:
    """The same for the pelvis, later still."""
    rest = PELVIS[axis]
    return ((0.10, rest), *((at, float(value)) for at, value in moments), (LAND_S + 0.25, rest))
