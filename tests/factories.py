"""Authored techniques for tests: a slow leg raise to the side and a knee, as tables of the fighter; a stance."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from studio.domain.body.build import build
from studio.domain.body.load import body_hash, load_body
from studio.domain.body.roles import roles
from studio.domain.fit.kinematics import Kinematics
from studio.domain.fit.residuals import Acceleration, CentreOfMass, Deviation, Floor, Places
from studio.domain.fit.solver import Options, solve
from studio.domain.gates.rollout import Scene, make_scene
from studio.domain.policy.observation import make_layout
from studio.domain.policy.reference import make_reference
from studio.domain.retarget.balance import balance as balance_clip
from studio.domain.retarget.lock import find_pins, lock_feet
from studio.domain.rotations import exp
from studio.domain.variants.resolve import resolve_table
from studio.domain.variants.trainable import welded
from studio.schema.body import Body
from studio.schema.codec import pack, to_plain
from studio.schema.motion import Retarget
from studio.schema.technique import Grid, Technique
from studio.schema.training import TeacherSpec
from studio.schema.variants import Table

FPS = 60.0
START_S = 0.5
STANCE = {
    "hip_roll": 0.05, "ankle_roll": -0.05, "knee": 0.15, "hip_pitch": -0.08, "ankle_pitch": -0.07,
    "shoulder_pitch": -0.5, "elbow": 1.6, "shoulder_roll": 0.2,
}  # fmt: skip
TECHNIQUES = {
    # raised joint angles at the top, when the foot leaves, is highest, lands, and the end (s)
    "raise": ({"hip_roll": 1.15, "knee": 0.1, "ankle_roll": -0.1, "hip_pitch": -0.1}, (0.5, 1.05, 1.6, 1.9)),
    "knee": ({"hip_pitch": -1.5, "knee": 1.9, "ankle_pitch": 0.4, "hip_roll": 0.0}, (0.5, 0.95, 1.4, 1.8)),
}
SUPPORT_WEIGHT, COM_WEIGHT = 4000.0, 3000.0


@functools.cache
def make_table(side: str = "l", what: str = "raise", balance: str = "shifted", entries: int = 1) -> tuple[Table, Body]:
    """A table of the fighter who raises his leg (or knee) of ``side``.

    ``balance``: "shifted" brings the centre of mass over the standing foot before the other one leaves, with no regard
    to what the ground must give for it (the zero-moment point leaves the soles by 20 cm); "copied" leaves it where the
    angles put it, as a plain copy of another body's motion does; "planned" as stage 6 does it, so that the feet can
    hold it. ``entries``: 1, or 9 on a 3 x 3 grid (the raise a little lower or higher, further front or back).
    """
    body = load_body("fighter")
    kinematics = Kinematics(build(body).compile())
    grid = [(0.0, 0.0)] if entries == 1 else [(u, v) for u in (-1.0, 0.0, 1.0) for v in (-1.0, 0.0, 1.0)]
    striker = f"{'foot' if what == 'raise' else 'knee'}_{side}"
    solved = [_motion(kinematics, side, what, balance, uv) for uv in grid]
    qpos = np.stack([q for q, _ in solved])
    contacts = solved[0][1]
    times = TECHNIQUES[what][1]
    impact = round(times[1] * FPS)
    site = kinematics.site_ids([roles(body).strikers[striker]])[0]
    targets = np.stack([kinematics.forward(q[impact : impact + 1]).site[0, site] for q in qpos])
    names = ("start", "lift_off", "impact", "land", "end")
    events: dict[str, float] = dict(zip(names, [START_S + t for t in (0.0, *times)], strict=True))
    events["upright"] = events["impact"] + 0.1
    return Table(
        technique=f"{what}-{side}",
        body=body.name,
        body_hash=body_hash(body),
        fps=FPS,
        start_s=START_S,
        joints=kinematics.joints,
        soles=roles(body).soles,
        striker=striker,
        impact_frame=impact,
        events=events,
        uv=np.array(grid),
        targets=targets,
        qpos=qpos,
        contacts=contacts,
        hit_error=np.zeros(len(grid)),
        world=np.eye(4),
    ), body  # fmt: skip


def _motion(kinematics, side, what, balance, uv):
    top, (lift, high, land, end) = TECHNIQUES[what]
    times = np.arange(round(end * FPS) + 1) / FPS
    amount = PchipInterpolator([0, lift, high, land, end], [0, 0, 1, 0, 0])(times)
    amount = gaussian_filter1d(amount, 3, mode="nearest")
    qpos = np.tile(_stance(kinematics), (len(times), 1))
    for name, angle in top.items():
        column = 7 + kinematics.joints.index(f"{name}_{side}")
        more = {"hip_roll": 0.12 * uv[1], "hip_pitch": -0.12 * (uv[0] if what == "raise" else uv[1])}.get(name, 0.0)
        qpos[:, column] += amount * (angle + more - STANCE.get(name, 0.0))
    lean = np.zeros((len(times), 3))
    lean[:, 0] = (0.18 if side == "r" else -0.18) * -amount if what == "raise" else 0.0
    for k, turn in enumerate(exp(lean)):
        qpos[k, 3:7] = turn
    standing = (times < lift) | (times > land)
    over = PchipInterpolator([0, 0.05, lift - 0.1, land + 0.1, land + 0.25, 9], [0, 0, 1, 1, 0, 0])(times)
    shift = gaussian_filter1d(over, 4, mode="nearest") if balance == "shifted" else None
    locked, contacts = _locked(kinematics, qpos, side, standing, shift=shift), _contacts(standing, side)
    return (_planned(kinematics, locked, contacts) if balance == "planned" else locked), contacts


def _planned(kinematics, qpos, contacts):
    pins = find_pins(kinematics, roles(load_body("fighter")), qpos, contacts, FPS)
    return balance_clip(kinematics, qpos, pins, FPS, rest=True, lower=0.0, locked=welded(kinematics)).qpos


def _stance(kinematics) -> np.ndarray:
    q = kinematics.model.qpos0.copy()
    for name, angle in STANCE.items():
        for side in "lr":
            q[7 + kinematics.joints.index(f"{name}_{side}")] = angle
    q[2] -= kinematics.forward(q[None]).site[0, _soles(kinematics, "lr")][:, 2].min()
    return q


def _soles(kinematics, sides: str) -> np.ndarray:
    points = ("heel", "ball_in", "ball_out", "toe_tip")
    return kinematics.site_ids([f"{p}_{s}" for s in sides for p in points])


def _contacts(standing: np.ndarray, side: str) -> np.ndarray:
    left, right = (standing, np.ones_like(standing)) if side == "l" else (np.ones_like(standing), standing)
    return np.repeat(np.stack([left, right], 1), 4, axis=1)


def _locked(kinematics, qpos, side, standing, *, shift):
    other = "r" if side == "l" else "l"
    soles = _soles(kinematics, other + side)
    places = np.repeat(kinematics.forward(qpos[:1]).site[:, soles], len(qpos), axis=0)
    places[..., 2] = 0.0
    weights = np.full((len(qpos), 8, 3), SUPPORT_WEIGHT)
    weights[~standing, 4:] = 0.0
    stiff = np.full(kinematics.model.nv, 5.0)
    stiff[:3] = 0.0
    for i, name in enumerate(kinematics.joints):
        stiff[6 + i] = {"ankle": 0.05, "hip": 0.5, "knee": 0.5, "lumbar": 1.0}.get(name.split("_")[0], 5.0)
        if name in (f"hip_roll_{side}", f"hip_pitch_{side}", f"knee_{side}"):
            stiff[6 + i] = 20.0
    residuals = [
        Deviation(qpos, stiff),
        Acceleration(np.full(kinematics.model.nv, 300.0)),
        Places(soles, places, weights),
        Floor(soles, 2000.0),
    ]
    if shift is not None:
        both, one = places[0, :, :2].mean(0), places[0, :4, :2].mean(0)
        goal = np.concatenate([both + shift[:, None] * (one - both), np.zeros((len(qpos), 1))], axis=1)
        residuals.append(CentreOfMass(goal, np.tile([COM_WEIGHT, COM_WEIGHT, 0.0], (len(qpos), 1))))
    return solve(kinematics, qpos, residuals, Options(iterations=30, tolerance=1e-4, margin=0.02)).qpos


def stance_motion(seconds: float) -> Retarget:
    """The fighter standing in his guard, swaying forward and back by a centimetre once a second."""
    body = load_body("fighter")
    kinematics, names = Kinematics(build(body).compile()), roles(body).soles
    times = np.arange(round(seconds * FPS) + 1) / FPS
    qpos = np.tile(_stance(kinematics), (len(times), 1))
    qpos[:, 0] += 0.01 * np.sin(2 * np.pi * times)
    contacts = np.ones((len(times), len(names)), bool)
    pins = find_pins(kinematics, roles(body), np.repeat(qpos[:1], len(times), axis=0), contacts, FPS)
    locked = lock_feet(kinematics, qpos, pins, FPS).qpos
    return Retarget(
        body.name, body_hash(body), FPS, 0.0, kinematics.joints, names, 1.0, locked, qpos, contacts,
    )  # fmt: skip


@functools.cache
def raise_scene(entries: int = 1) -> Scene:
    """The scene of the balanced left leg raise, slot 1."""
    table, body = make_table(entries=entries)
    reference = make_reference(table, body)
    return make_scene(body, reference, make_layout(reference.joints), 1)


@functools.cache
def stance_table() -> Table:
    """The table of a second of standing."""
    technique = Technique("stance", "gym", "stance", "fighter", "", 0.0, 1.0, grid=Grid(counts=(1, 1)))
    return resolve_table(technique, stance_motion(1.0), load_body("fighter"))[0]


def write_order(
    folder: Path, preset: str = "quick", seed: int = 1, *, table: Table | None = None, **settings: object
) -> Path:
    """A run's folder with spec.json, table.npz and body.json for a table of the fighter, the one-entry raise if it is
    left out."""
    raised, body = make_table()
    table = table or raised
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "table.npz", **pack(table))  # type: ignore[arg-type]
    sha = hashlib.sha256((folder / "table.npz").read_bytes()).hexdigest()
    spec = TeacherSpec(table.technique, preset, seed, sha, dict(settings))
    (folder / "spec.json").write_text(json.dumps(to_plain(spec)))
    (folder / "body.json").write_text(json.dumps(to_plain(body)))
    return folder
