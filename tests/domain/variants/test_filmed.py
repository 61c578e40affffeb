"""Stages 4 to 6 on a filmed man who raises his leg to the side: two phones, a calibration that is biased."""

from __future__ import annotations

import numpy as np

from studio.domain.body.build import build
from studio.domain.body.load import load_body
from studio.domain.body.roles import roles
from studio.domain.fit.kinematics import Kinematics
from studio.domain.fit.skeleton import fit_skeleton
from studio.domain.retarget import check
from studio.domain.retarget.balance import zmp_outside
from studio.domain.retarget.lock import find_pins
from studio.domain.retarget.retarget import figures, retarget
from studio.domain.space.triangulate import triangulate
from studio.domain.variants.events import facing
from studio.domain.variants.resolve import resolve_table
from studio.schema.camera import Rig
from studio.schema.project import Coach
from studio.schema.take import Sync
from studio.schema.technique import Grid, Technique

FIGHTER = load_body("fighter")


def test_a_man_becomes_a_fighter_who_stands_and_strikes(demo_rig, demo_keypoints) -> None:
    phones = ("cam01", "cam02")
    rig = demo_rig("original")
    points = triangulate(Rig(tuple(rig.camera(p) for p in phones)), demo_keypoints("heavy", *phones), Sync(), 60.0)
    fit, coach = fit_skeleton(points, Coach("coach", 1.72, 70.0))
    assert np.nanmedian(fit.residual) < 0.015 and fit.rejected.mean() < 0.08

    moved, found = retarget(fit, coach, FIGHTER)
    numbers = figures(moved, FIGHTER)
    assert numbers["slide_peak_mm"] < 10 and numbers["penetration_mm"] < 5 and numbers["limit_frames"] == 0
    assert [f.kind for f in found if f.kind != "balance"] == ["floor"], "his floor is 8 cm above the rig's"
    standing = np.array([moved.contacts[:, :4].any(axis=1), moved.contacts[:, 4:].any(axis=1)])
    assert standing[0, :80].all(), "the left foot carries him"
    assert not standing[1, 20:75].any() and standing[1, 82:].all(), "the right one is in the air, then lands"

    grid = Grid(("x", "z"), 0.05, (3, 3))
    technique = Technique("raise", "s", "t", "fighter", "foot_r", 0.0, 1.35, -facing(moved.motion), {}, grid)
    table, faults = resolve_table(technique, moved, FIGHTER)
    assert not [f for f in faults if f.kind in ("hit", "slide", "below_floor", "limit", "float", "neighbour")]
    assert table.hit_error.max() < 0.005
    kinematics, who = Kinematics(build(FIGHTER).compile()), roles(FIGHTER)
    pins = find_pins(kinematics, who, table.qpos[4], table.contacts, table.fps)
    off = zmp_outside(kinematics, table.qpos[4], pins, table.fps)
    assert np.nanmax(off) < 0.03 and (off > 0).mean() < 0.06
    foot = kinematics.forward(table.qpos[4]).site[:, kinematics.site_ids(["strike_foot_r"])[0]]
    assert foot[table.impact_frame, 2] > 0.28 and foot[table.impact_frame, 1] < -0.7, "to the right, off the floor"
    assert check.figures(kinematics, who, table.qpos[4], table.contacts, 60.0)["slide_peak_mm"] < 5
