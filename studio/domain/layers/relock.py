"""Layers applied and the feet locked again, inside the layers' windows alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from studio.domain.body.build import build
from studio.domain.body.load import body_hash
from studio.domain.body.roles import roles as roles_of
from studio.domain.filters import runs
from studio.domain.fit.kinematics import ROOT_DOFS, Kinematics
from studio.domain.fit.residuals import CentreOfMass, Deviation, Floor, Joined, Limits, Orientations, Places
from studio.domain.fit.solver import Options, Residual, solve
from studio.domain.layers.compose import ROOT, Share, shares, with_layers
from studio.domain.layers.curve import within
from studio.domain.retarget.balance import FOLLOW, SOFTNESS, free_root, look_residual
from studio.domain.retarget.lock import MARGIN, PIN, ramps, smoothness
from studio.schema.body import Body
from studio.schema.errors import StudioError
from studio.schema.layers import Layer, Layers
from studio.schema.motion import Retarget

OPTIONS = Options(20, 1e-4, 1e-6, 0.4, MARGIN)

FIRM = 5 * PIN
"""Weight (1/m^2) of a sole's place and of the floor: firmer than in the lock, for the places are known to be within
reach of the retarget. With 25 degrees asked of any leg joint of a recorded kick and of an authored knee, soles slid by
at most 2.5 mm and none went more than 5 mm deeper than before (at a fifth of it 7 and 6)."""

ASKED = 40.0
"""Stiffness (1/rad^2) of a joint that a layer turns: the coach's wish comes before the look of the trunk, after the
soles. At the lock's own 6 a standing hip gave 4 of 10 degrees, at this 8."""

WALL = 10.0
"""Weight (1/rad^2) of a soft wall before the hard limits; it begins no farther from them than the retarget came."""

HEIGHT = 30.0
"""Weight (1/m^2) of the centre of mass's height, a hundredth of that along the floor: a knee that bends under the body
has to lower it, and the zero-moment point hardly minds."""

LEGS = ("hip", "knee", "ankle", "toe")
"""First words of the joints that answer a layer together with the root. Everything above them is where the layers put
it, so a layer of the upper body is kept whole."""

KEPT = 64
"""Solved pieces that are remembered: a layer that nobody touched is not solved again."""


@dataclass(frozen=True, eq=False)
class Relocked:
    """``retarget`` with the layers; ``shares``: what each of them asked and got; ``settled`` is false where the solve
    was hurried: within the limits and for the eye, not to be kept."""

    retarget: Retarget
    shares: tuple[Share, ...]
    settled: bool


def relock(
    retarget: Retarget,
    layers: Layers,
    fighter: Body,
    on_progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Retarget:
    """The retarget with layers and its feet on the floor again. Frames outside every window that acts keep their bits;
    across a window's borders pose, speed and acceleration go on. See :class:`Relock`."""
    return Relock(retarget, fighter).solve(layers, on_progress, cancelled).retarget


class Relock:
    """One retarget made ready to be corrected again and again.

    What is minimised is the change against the retarget, so without an offset nothing moves: soles that stand stay
    where they stood, the centre of mass keeps its path over the feet, by which the motion was balanced (in the air too,
    where nothing could push it elsewhere), trunk and swinging legs look as the layers want them, joint limits are hard.
    Equal layers give equal bytes, whatever was solved before. Raises :class:`StudioError` for a motion of another body.
    """

    def __init__(self, retarget: Retarget, fighter: Body) -> None:
        if retarget.body_hash != body_hash(fighter):
            why = f"the motion was made for another {retarget.body}"
            raise StudioError("The layers cannot be applied", why, "Run stage 5 again")
        kinematics, roles = Kinematics(build(fighter).compile()), roles_of(fighter)
        frames = kinematics.forward(retarget.qpos)
        self.retarget = retarget
        self._kinematics = kinematics
        self._sites = kinematics.site_ids(roles.soles)
        self._soles = frames.site[:, self._sites]
        self._pinned = FIRM * np.repeat(ramps(retarget.contacts, retarget.fps)[..., None], 3, axis=2)
        self._path = kinematics.centre_of_mass(frames)
        stands = np.stack([foot.any(axis=1) for foot in np.split(retarget.contacts, 2, axis=1)], axis=1)
        self._look = look_residual(kinematics, retarget.qpos, stands, retarget.fps)
        room = np.minimum(retarget.qpos[:, ROOT:] - kinematics.low, kinematics.high - retarget.qpos[:, ROOT:])
        self._room = np.clip(room, 0.0, 2 * MARGIN)
        self._known: dict[tuple[Layer, ...], np.ndarray] = {}

    def solve(
        self,
        layers: Layers,
        on_progress: Callable[[float], None] | None = None,
        hurried: Callable[[], bool] | None = None,
    ) -> Relocked:
        """Apply ``layers``, which keep the rules of :mod:`studio.domain.layers.rules`. ``on_progress`` gets 0..1.
        ``hurried`` is asked between iterations: true ends the solve with what it has."""
        base, times = self.retarget, self.retarget.motion.times
        acting = tuple(layer for layer in layers.layers if layer.on and any(knot.value for knot in layer.knots))
        wanted = with_layers(base.qpos, base.joints, times, Layers(acting))
        touched = np.any([within(layer, times) for layer in acting], axis=0) if acting else np.zeros(len(times), bool)
        pieces = runs(touched)
        qpos, settled = base.qpos.copy(), True
        for number, (start, stop) in enumerate(pieces):
            here = tuple(layer for layer in acting if within(layer, times[start:stop]).any())
            found = self._known.get(here)
            if found is None:
                found, whole = self._piece(wanted, start, stop, {layer.joint for layer in here}, hurried)
                settled &= whole
                if whole:
                    self._remember(here, found)
            qpos[start:stop] = found
            if on_progress:
                on_progress((number + 1) / len(pieces))
        return Relocked(replace(base, qpos=qpos), shares(base.qpos, qpos, base.joints, times, layers), settled)

    def _piece(
        self, wanted: np.ndarray, start: int, stop: int, asked: set[str], hurried: Callable[[], bool] | None
    ) -> tuple[np.ndarray, bool]:
        """(n, nq) of the frames from ``start`` to ``stop``, and whether they are settled."""
        kinematics, hurry = self._kinematics, [False]

        def enough() -> bool:
            hurry[0] = hurried is not None and hurried()
            return hurry[0]

        piece = wanted[start:stop]
        found = solve(
            kinematics, piece, self._wishes(wanted, start, stop, asked), OPTIONS,
            locked=self._locked(piece), enough=enough,
        )  # fmt: skip
        return found.qpos, not hurry[0]

    def _wishes(self, wanted: np.ndarray, start: int, stop: int, asked: set[str]) -> tuple[Residual, ...]:
        kinematics, fps, span = self._kinematics, self.retarget.fps, slice(start, stop)
        piece, soles = wanted[span], self._soles[span]
        stiff = free_root(kinematics)
        for joint in asked:
            stiff[ROOT_DOFS + kinematics.joints.index(joint)] = ASKED
        bodies = self._look.bodies
        heavy = np.tile([FOLLOW, FOLLOW, HEIGHT], (stop - start, 1))
        return (
            Places(self._sites, soles, self._pinned[span]),
            Floor(self._sites, FIRM, np.minimum(soles[..., 2], 0.0)),
            Deviation(piece, stiff),
            Joined(piece, SOFTNESS * smoothness(kinematics, fps), start > 0, stop < len(wanted)),
            CentreOfMass(self._path[span], heavy),
            Orientations(bodies, kinematics.forward(piece).rotation[:, bodies], self._look.weights[span]),
            Limits(self._room[span], WALL),
        )

    def _locked(self, piece: np.ndarray) -> np.ndarray:
        """(nv,) bool: what is above the legs and within its limits."""
        kinematics = self._kinematics
        legs = kinematics.hinges(lambda joint: joint.startswith(LEGS))
        angle = piece[:, ROOT:]
        beyond = ((angle < kinematics.low + MARGIN) | (angle > kinematics.high - MARGIN)).any(axis=0)
        locked = ~legs
        locked[:ROOT_DOFS] = False
        locked[ROOT_DOFS:] &= ~beyond
        return locked

    def _remember(self, layers: tuple[Layer, ...], found: np.ndarray) -> None:
        if len(self._known) >= KEPT:
            del self._known[next(iter(self._known))]
        self._known[layers] = found
