"""Stage 6: the base motion solved again for each target of the grid."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from studio.domain.body.build import build
from studio.domain.body.load import body_hash
from studio.domain.body.roles import roles as roles_of
from studio.domain.filters import bump
from studio.domain.fit.kinematics import Kinematics
from studio.domain.fit.residuals import Places
from studio.domain.fit.solver import Residual
from studio.domain.retarget.balance import Balanced, balance, free_root, lock_and_balance, zmp_outside
from studio.domain.retarget.contacts import rigid_contacts
from studio.domain.retarget.lock import Pins, find_pins, lock_feet, stiffness
from studio.domain.time import TakeClock
from studio.domain.variants import checks
from studio.domain.variants.events import IN_ORDER, NAMES, find_events, impact_frame
from studio.domain.variants.grid import grid_coordinates, offsets
from studio.domain.variants.settle import settle
from studio.domain.variants.trainable import steadied, trainable, welded
from studio.domain.variants.world import moved, technique_world
from studio.schema.body import Body, Roles
from studio.schema.errors import StudioError
from studio.schema.findings import Finding
from studio.schema.motion import Retarget
from studio.schema.technique import Technique
from studio.schema.variants import Table

SHORTEST, LONGEST = 0.25, 0.50
"""s over which the way to another target comes and goes: the time in the air, within these. A slow way swings the limb
less out of balance."""

HIT, WAY = 15000.0, 300.0
"""Weights (1/m^2) of the target at the impact and one frame around it, and of the bent way to it."""

CLEARANCE = 0.05
"""m that a swinging foot keeps off the floor: what a policy can miss without tripping."""

FREER = ("lumbar", "chest", "hip")
FREER_WEIGHT = 0.5
ENTRY_LOOK = 0.3
ENTRY_ROUNDS = 2
"""An entry has to look different; its balance starts from the base's own feedback."""

MIN_FRAMES = 10

AHEAD = np.array([1.0, 0.0, 0.0])
"""m from the chest to the target of a technique that strikes nothing: out of reach, where an opponent would stand."""


@dataclass(frozen=True, eq=False)
class Base:
    """The recorded motion in the technique's world, ``solved`` for the fighter's feet and, where ``balanced``, for his
    weight, with its ``contacts`` (T, S), clock, pins and moments."""

    solved: Balanced
    balanced: bool
    contacts: np.ndarray
    fps: float
    start_s: float
    pins: Pins
    events: dict[str, int]
    world: np.ndarray


def resolve_table(
    technique: Technique,
    retarget: Retarget,
    body: Body,
    on_progress: Callable[[float], None] | None = None,
    *,
    balanced: bool = True,
) -> tuple[Table, tuple[Finding, ...]]:
    """Every entry of the technique's grid, its faults relative to the base and to its neighbours as findings.

    Where nothing strikes there is one entry, the base itself, whatever the grid; its target is a place that nobody
    needs to reach, 1 m in front of the first pose's chest. ``balanced`` False leaves out the balance pass: feet locked,
    nothing about what the ground must give, to be compared with.
    Raises :class:`StudioError` when the motion is another body's, the window leaves the take, the striker or a moment
    is unknown, moments are out of order or outside the window, or the grid cannot be used.
    """
    report = on_progress or (lambda _: None)
    kinematics, roles = Kinematics(build(body).compile()), roles_of(body)
    _check(technique, retarget, body, roles)
    base = make_base(kinematics, roles, technique, retarget, balanced=balanced)
    solved = (
        _solve(kinematics, roles, technique, base, report) if technique.striker else _stand(kinematics, roles, base)
    )
    table = Table(
        technique.name, body.name, body_hash(body), base.fps, base.start_s, kinematics.joints, roles.soles,
        technique.striker, base.events["impact"],
        {name: base.start_s + k / base.fps for name, k in base.events.items()},
        solved.uv, solved.targets, solved.qpos, base.contacts, solved.hit_error, base.world,
    )  # fmt: skip
    centre = solved.qpos[len(solved.qpos) // 2]
    found = [f for k in range(len(solved.qpos)) for f in checks.check_entry(kinematics, roles, table, k, centre)]
    report(1.0)
    return table, tuple(found + checks.neighbour_findings(table))


def make_base(
    kinematics: Kinematics, roles: Roles, technique: Technique, retarget: Retarget, *, balanced: bool = True
) -> Base:
    """The technique's window, turned to its heading, brought to rest at both ends and balanced there.

    Joints that the fighter in training does not have are zero. Its moments are found; given ones win. ``start_s`` is
    that of the first added frame. Raises :class:`StudioError` for moments that are not in order.
    """
    first, last = _window(technique, retarget)
    window = retarget.qpos[first : last + 1]
    world = technique_world(window[0], technique.heading_deg)
    turned = steadied(moved(window, world), retarget.fps)
    touching = retarget.contacts[first : last + 1]
    reference, touching, added = settle(kinematics, trainable(kinematics, turned), touching, retarget.fps)
    contacts = rigid_contacts(touching, retarget.fps)
    pins = find_pins(kinematics, roles, reference, contacts, retarget.fps, clear=CLEARANCE)
    if balanced:
        solved = lock_and_balance(
            kinematics, reference, pins, retarget.fps, rest=True, lower=0.0, locked=welded(kinematics)
        )
    else:
        solved = lock_only(kinematics, reference, pins, retarget.fps)
    start_s = retarget.start_s + (first - added) / retarget.fps
    clock = TakeClock(retarget.fps, start_s, len(reference))
    given = {name: clock.frame(at) for name, at in technique.events.items()}
    inside = slice(added, added + len(window))
    impact = given.get("impact", added + impact_frame(kinematics, roles, solved.qpos[inside], technique.striker))
    events = find_events(kinematics, roles, solved.qpos, contacts, striker=technique.striker, impact=impact)
    events |= given
    _check_order(technique, events, clock)
    return Base(solved, balanced, contacts, retarget.fps, start_s, pins, events, world)


@dataclass(frozen=True, eq=False)
class _Solved:
    """The entries: fields as in :class:`studio.schema.variants.Table`."""

    uv: np.ndarray
    targets: np.ndarray
    qpos: np.ndarray
    hit_error: np.ndarray


def _solve(
    kinematics: Kinematics, roles: Roles, technique: Technique, base: Base, report: Callable[[float], None]
) -> _Solved:
    """Every target of the grid."""
    impact, moves = base.events["impact"], offsets(technique.grid)
    site = kinematics.site_ids([roles.strikers[technique.striker]])
    path = kinematics.forward(base.solved.qpos).site[:, site]
    entries, errors = [], []
    for number, move in enumerate(moves):
        qpos = _entry(kinematics, base, site, path, move)
        hit = kinematics.forward(qpos[impact : impact + 1]).site[0, site[0]]
        entries.append(qpos)
        errors.append(float(np.linalg.norm(hit - (path[impact, 0] + move))))
        report(0.9 * (number + 1) / len(moves))
    coordinates = grid_coordinates(technique.grid)
    return _Solved(coordinates, path[impact, 0] + moves, np.stack(entries), np.array(errors))


def _stand(kinematics: Kinematics, roles: Roles, base: Base) -> _Solved:
    """The base alone, with a target out of reach."""
    qpos = base.solved.qpos
    chest = kinematics.forward(qpos[:1]).body[0, kinematics.body_ids([roles.chest])[0]]
    return _Solved(np.zeros((1, 2)), (chest + AHEAD)[None], qpos[None], np.zeros(1))


def _entry(kinematics: Kinematics, base: Base, site: np.ndarray, path: np.ndarray, move: np.ndarray) -> np.ndarray:
    """(T, nq) nearest to the base, and balanced like it, whose striker passes ``move`` (3,) m beside its place."""
    impact, times = base.events["impact"], np.arange(len(path)) / base.fps
    before, after = (
        float(np.clip(abs(impact - base.events[name]) / base.fps, SHORTEST, LONGEST)) for name in ("lift_off", "land")
    )
    share = bump(times, impact / base.fps, before, after)
    weight = np.where(share > 0.02, WAY, 0.0)
    weight[max(impact - 1, 0) : impact + 2] = HIT
    weights = np.broadcast_to(weight[:, None, None], path.shape)
    target = Places(site, path + share[:, None, None] * move, weights)
    if not base.balanced:
        weights = _entry_stiffness(kinematics, stiffness(kinematics))
        return lock_only(kinematics, base.solved.qpos, base.pins, base.fps, more=(target,), weights=weights).qpos
    return balance(
        kinematics, base.solved.qpos, base.pins, base.fps, rest=True, lower=0.0, look=ENTRY_LOOK, rounds=ENTRY_ROUNDS,
        correction=base.solved.correction, more=(target,), weights=_entry_stiffness(kinematics, free_root(kinematics)),
        locked=welded(kinematics),
    ).qpos  # fmt: skip


def lock_only(
    kinematics: Kinematics,
    reference: np.ndarray,
    pins: Pins,
    fps: float,
    *,
    more: Sequence[Residual] = (),
    weights: np.ndarray | None = None,
) -> Balanced:
    """``reference`` (T, nq) with its feet locked and nothing done for its balance."""
    qpos = lock_feet(kinematics, reference, pins, fps, more=more, weights=weights, locked=welded(kinematics)).qpos
    path = kinematics.centre_of_mass(kinematics.forward(qpos))
    return Balanced(qpos, path, np.zeros((len(qpos), 2)), zmp_outside(kinematics, qpos, pins, fps))


def _entry_stiffness(kinematics: Kinematics, weights: np.ndarray) -> np.ndarray:
    """(nv,) the hips and the spine bend to another target more easily than in the lock."""
    weights[kinematics.hinges(lambda joint: joint.startswith(FREER))] = FREER_WEIGHT
    return weights


def _check(technique: Technique, retarget: Retarget, body: Body, roles: Roles) -> None:
    what = f"The table of {technique.name} cannot be made"
    if retarget.body_hash != body_hash(body):
        raise StudioError(what, f"the motion was made for another {retarget.body}", "Run stage 5 again")
    if technique.striker and technique.striker not in roles.strikers:
        known = ", ".join(roles.strikers)
        raise StudioError(what, f"{body.name} has no striker {technique.striker}", f"Use one of {known}")
    half = 0.5 / retarget.fps
    for name, at in technique.events.items():
        if name not in NAMES:
            raise StudioError(what, f"there is no moment {name}", f"Name one of {', '.join(NAMES)}")
        if not technique.start_s - half <= at <= technique.end_s + half:
            raise StudioError(what, f"its {name} at {at:.2f} s is outside its window", "Move it between start and end")


def _check_order(technique: Technique, events: dict[str, int], clock: TakeClock) -> None:
    for first, second in pairwise(IN_ORDER):
        if events[first] > events[second]:
            raise StudioError(
                f"The table of {technique.name} cannot be made",
                f"{second} at {clock.time(events[second]):.2f} s comes before {first} at "
                f"{clock.time(events[first]):.2f} s",
                "Correct the events in technique.toml",
            )


def _window(technique: Technique, retarget: Retarget) -> tuple[int, int]:
    """First and last frame, inclusive."""
    clock = TakeClock(retarget.fps, retarget.start_s, len(retarget.qpos))
    half = 0.5 / retarget.fps
    if technique.start_s < clock.start_s - half or technique.end_s > clock.end_s + half:
        window = f"{technique.start_s:.2f}..{technique.end_s:.2f} s"
        why = f"its window {window} leaves the take, {clock.start_s:.2f}..{clock.end_s:.2f} s"
        raise StudioError(f"The table of {technique.name} cannot be made", why, "Move its start or end into the take")
    first, last = clock.frame(technique.start_s), clock.frame(technique.end_s)
    if last - first + 1 < MIN_FRAMES:
        why = f"its window holds {last - first + 1} frames"
        raise StudioError(f"The table of {technique.name} cannot be made", why, f"Use at least {MIN_FRAMES}")
    return first, last
