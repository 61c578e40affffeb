"""The motion bent until the fighter can stand through it: the whole-clip solve follows a planned centre of mass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.ndimage import gaussian_filter1d

from studio.domain.findings import spans_over
from studio.domain.fit.kinematics import Kinematics
from studio.domain.fit.residuals import CentreOfMass, Orientations
from studio.domain.fit.solver import Options, Residual
from studio.domain.retarget.dynamics import ground_reaction, outside
from studio.domain.retarget.lock import MARGIN, Pins, lock_feet, stiffness, swing
from studio.domain.retarget.preview import LOWER, centre_path, foot_centres, height_path, pendulum_zmp, zmp_plan
from studio.schema.findings import Finding

FOLLOW = 3000.0
"""Weight (1/m^2) of the planned centre of mass."""

OPTIONS = Options(40, 1e-3, 1e-4, 0.4, MARGIN)
ROUNDS = 4
FEEDBACK, FEEDBACK_MAX, FEEDBACK_SIGMA_S = 0.8, 0.4, 0.5 / 60
"""The pendulum ignores limbs that swing; the difference to the multibody zero-moment point is fed back into the plan so
often (dynamic filter, Kajita et al. 2003), by this share, at most so far (m), smoothed so wide (s)."""

ROOT_HEIGHT = 0.05
"""Stiffness of the root's height while the centre of mass has its own plan."""

SOFTNESS = 50.0
"""How much slower corrections come and go than in the plain lock: a foot let go within two frames kicks the body. On
a filmed leg raise the zero-moment point left the soles by 168 mm at 1, by 13 mm at 30 to 100."""

LOOK = {"pelvis": 4.0, "chest": 4.0}
SWING = {"thigh": 8.0, "shank": 8.0}
TIP = {"foot": 4.0, "toe": 1.0}
"""Weights (1/rad^2) on the reference's orientations: what the coach sees; a leg only while it is in the air."""

OUTSIDE_MM = 30.0
"""How far the zero-moment point may lie outside the soles before it is shown."""


@dataclass(frozen=True, eq=False)
class Balanced:
    """``qpos`` (T, nq); ``path`` (T, 3) m, the centre of mass it follows; ``correction`` (T, 2) m, what was fed back
    into the plan; ``outside`` (T,) m of the zero-moment point off the soles, NaN in flight."""

    qpos: np.ndarray
    path: np.ndarray
    correction: np.ndarray
    outside: np.ndarray


def balance(
    kinematics: Kinematics,
    reference: np.ndarray,
    pins: Pins,
    fps: float,
    *,
    rest: bool,
    lower: float = LOWER,
    look: float = 1.0,
    rounds: int = ROUNDS,
    correction: np.ndarray | None = None,
    more: Sequence[Residual] = (),
    weights: np.ndarray | None = None,
    locked: np.ndarray | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> Balanced:
    """Lock the feet of ``reference`` (T, nq) and carry the centre of mass where the feet can hold it.

    ``rest``: the clip starts and ends standing still. ``lower``: share of its height the centre of mass gives up.
    ``look``: factor on the wish to look like the reference. ``correction`` (T, 2) of a similar motion shortens the way.
    ``more`` residuals join in; ``locked`` (nv,) joints stay.
    """
    plan = _plan(kinematics, reference, pins, fps, lower)
    wishes = (look_residual(kinematics, reference, plan.stands, fps, look), *more)
    stiff = free_root(kinematics) if weights is None else weights
    follow = partial(
        lock_feet, kinematics, reference, pins, fps, weights=stiff, locked=locked, softness=SOFTNESS, options=OPTIONS
    )
    qpos, path, known = reference, plan.com, np.zeros_like(plan.zmp) if correction is None else correction
    for number in range(rounds + 1):
        path = plan.path(known, fps, rest)
        qpos = follow(start=qpos, more=(follow_residual(path), *wishes)).qpos
        if on_progress:
            on_progress((number + 1) / (rounds + 1))
        if number < rounds:
            astray = ground_reaction(kinematics, qpos, fps).zmp - pendulum_zmp(path[:, :2], plan.height, fps)
            known = known + FEEDBACK * (_tamed(astray, fps) - known)
    return Balanced(qpos, path, known, zmp_outside(kinematics, qpos, pins, fps))


def lock_and_balance(
    kinematics: Kinematics,
    reference: np.ndarray,
    pins: Pins,
    fps: float,
    *,
    rest: bool,
    lower: float = LOWER,
    locked: np.ndarray | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> Balanced:
    """Lock the feet, then balance; the balanced motion is kept only where it leaves the soles less than the plain lock.

    A flying kick, or feet that the contacts missed, have no plan that helps.
    """
    report = on_progress or (lambda _: None)
    plain = lock_feet(kinematics, reference, pins, fps, locked=locked, on_progress=lambda f: report(0.3 * f)).qpos
    off = zmp_outside(kinematics, plain, pins, fps)
    better = balance(
        kinematics, plain, pins, fps, rest=rest, lower=lower, locked=locked,
        on_progress=lambda f: report(0.3 + 0.7 * f),
    )  # fmt: skip
    if _astray(better.outside) < _astray(off):
        return better
    com = kinematics.centre_of_mass(kinematics.forward(plain))
    return Balanced(plain, com, np.zeros((len(com), 2)), off)


def follow_residual(path: np.ndarray) -> CentreOfMass:
    """The wish that the centre of mass follows ``path`` (T, 3) m."""
    return CentreOfMass(path, np.full(path.shape, FOLLOW))


def look_residual(
    kinematics: Kinematics, reference: np.ndarray, stands: np.ndarray, fps: float, share: float = 1.0
) -> Orientations:
    """The wish that trunk and swinging legs look as in ``reference`` (T, nq); ``stands`` (T, 2) left and right foot.

    ``share`` loosens it, except for the foot of a swinging leg, which nothing else holds.
    """
    wanted = {name: share * weight for name, weight in LOOK.items()}
    for side in "lr":
        wanted |= {f"{part}_{side}": share * weight for part, weight in SWING.items()}
        wanted |= {f"{part}_{side}": weight for part, weight in TIP.items()}
    weights = np.tile(list(wanted.values()), (len(reference), 1))
    for column, name in enumerate(wanted):
        if name not in LOOK:
            weights[:, column] *= swing(stands[:, "lr".index(name[-1])], fps)
    bodies = kinematics.body_ids(list(wanted))
    return Orientations(bodies, kinematics.forward(reference).rotation[:, bodies], weights)


def free_root(kinematics: Kinematics) -> np.ndarray:
    """(nv,) stiffness of the lock with the root's place left to the centre of mass."""
    weights = stiffness(kinematics)
    weights[:2], weights[2] = 0.0, ROOT_HEIGHT
    return weights


def zmp_outside(kinematics: Kinematics, qpos: np.ndarray, pins: Pins, fps: float) -> np.ndarray:
    """(T,) m of the zero-moment point off the standing soles, negative inside, NaN in flight."""
    zmp = ground_reaction(kinematics, qpos, fps).zmp
    return outside(zmp, pins.targets[..., :2], pins.weights > 0)


def balance_figures(off: np.ndarray) -> dict[str, float]:
    """Of ``off`` (T,) m: the farthest outside (mm) and the share of frames outside at all (0..1)."""
    known = off[np.isfinite(off)]
    if not len(known):
        return {"zmp_outside_mm": 0.0, "zmp_outside_share": 0.0}
    return {
        "zmp_outside_mm": 1e3 * float(max(known.max(), 0.0)),
        "zmp_outside_share": float((known > 0).mean()),
    }


def balance_findings(off: np.ndarray, times: np.ndarray) -> list[Finding]:
    """Spans in which the ground would have to push beside the soles: what no teacher can follow exactly."""
    values = 1e3 * np.nan_to_num(off, nan=-1.0)
    return spans_over(values, times, "balance", "zero-moment point", unit="mm", limit=OUTSIDE_MM)


@dataclass(frozen=True, eq=False)
class _Plan:
    """``stands`` (T, 2) left and right foot; ``zmp`` (T, 2) m, where the ground should push, with ``weight`` (T,);
    ``com`` (T, 3) m of the reference; ``up`` (T,) m, the height that the centre of mass gets."""

    stands: np.ndarray
    zmp: np.ndarray
    weight: np.ndarray
    com: np.ndarray
    up: np.ndarray

    @property
    def height(self) -> float:
        """That of the pendulum (m)."""
        return float(self.up.mean())

    def path(self, correction: np.ndarray, fps: float, rest: bool) -> np.ndarray:
        """(T, 3) m of the centre of mass, the plan moved back by ``correction`` (T, 2) m."""
        near = self.com[:, :2]
        flat = centre_path(self.zmp - correction, self.weight, self.height, fps, rest=rest, near=near)
        return np.column_stack([flat, self.up])


def _plan(kinematics: Kinematics, reference: np.ndarray, pins: Pins, fps: float, lower: float) -> _Plan:
    centres, stands = foot_centres(pins.targets[..., :2], pins.weights > 0)
    zmp, weight = zmp_plan(centres, stands)
    com = kinematics.centre_of_mass(kinematics.forward(reference))
    return _Plan(stands, zmp, weight, com, height_path(com[:, 2], fps, lower))


def _tamed(astray: np.ndarray, fps: float) -> np.ndarray:
    bounded = np.clip(astray, -FEEDBACK_MAX, FEEDBACK_MAX)
    return gaussian_filter1d(bounded, FEEDBACK_SIGMA_S * fps, axis=0, mode="nearest")


def _astray(off: np.ndarray) -> float:
    """Mean distance (m) off the soles, at most half a metre per frame so that one frame does not decide."""
    known = off[np.isfinite(off)]
    return float(np.clip(known, 0.0, 0.5).mean()) if len(known) else np.inf
