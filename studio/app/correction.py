"""A motion under correction: what its layers ask for, and what is known of the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from studio.domain.layers.compose import ROOT
from studio.domain.layers.curve import offset, within
from studio.schema.layers import Layer, Layers
from studio.schema.motion import Retarget


def in_effect(layers: Layers) -> Layers:
    """The layers that change anything."""
    return Layers(tuple(layer for layer in layers.layers if layer.on and any(k.value for k in layer.knots)))


def without(layers: Layers, name: str) -> Layers:
    """All layers but one."""
    return Layers(tuple(layer for layer in layers.layers if layer.name != name))


@dataclass(frozen=True, eq=False)
class Correction:
    """``base``: the motion without layers; ``layers``: those that are asked for; ``answer``: the motion solved with
    ``answered``, which may be older ones. ``low``, ``high`` (n,) rad limits of the joints. ``whole`` is false where the
    answer is for the eye alone. A joint's curves are worked out once: do not write into them."""

    base: Retarget
    layers: Layers
    answer: Retarget
    answered: Layers
    low: np.ndarray
    high: np.ndarray
    whole: bool = True
    _asked: dict[str, np.ndarray] = field(default_factory=dict, init=False, repr=False)
    _shown: dict[str, np.ndarray] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def settled(self) -> bool:
        """Whether the answer is that of the layers, not of older ones."""
        return self.whole and in_effect(self.layers) == in_effect(self.answered)

    def asked(self, joint: str) -> np.ndarray:
        """(T,) rad: the joint as the layers want it, before the feet are locked again."""
        if joint not in self._asked:
            column = self.base.qpos[:, self._column(joint)]
            self._asked[joint] = column + _total(self.layers, joint, self._times)
        return self._asked[joint]

    def others(self, joint: str, name: str, times: np.ndarray) -> np.ndarray:
        """(K,) rad: the joint at ``times`` (K,) s as every layer but ``name`` wants it."""
        start = np.interp(times, self._times, self.base.qpos[:, self._column(joint)])
        return start + _total(without(self.layers, name), joint, times)

    def shown(self, joint: str) -> np.ndarray:
        """(T,) rad: the joint as solved; where the answer is of older layers, what was asked since lies over it."""
        if joint not in self._shown:
            self._shown[joint] = self._shown_now(joint)
        return self._shown[joint]

    def _shown_now(self, joint: str) -> np.ndarray:
        times, solved = self._times, self.answer.qpos[:, self._column(joint)]
        if self.settled:
            return solved
        changed = _total(self.layers, joint, times) - _total(self.answered, joint, times)
        return np.where(changed == 0.0, solved, self._kept(joint, solved + changed))

    def pose(self, frame: int) -> np.ndarray:
        """(nq,) the fighter at one frame, as :meth:`shown` has his joints."""
        pose = self.answer.qpos[frame].copy()
        if self.settled:
            return pose
        time = self._times[frame : frame + 1]
        for joint in {layer.joint for layer in (*self.layers.layers, *self.answered.layers)}:
            changed = float((_total(self.layers, joint, time) - _total(self.answered, joint, time))[0])
            if changed:
                column = self._column(joint)
                pose[column] = float(self._kept(joint, pose[column : column + 1] + changed)[0])
        return pose

    def asked_and_got(self, layer: Layer, time_s: float) -> tuple[float, float]:
        """What a layer asks at a moment and what came of it, rad. What all layers of a joint miss together is missing
        from each."""
        moment, times = np.array([time_s]), self._times
        wanted = float(offset(layer, moment)[0]) if layer.on else 0.0
        missing = np.interp(time_s, times, self.asked(layer.joint)) - np.interp(time_s, times, self.shown(layer.joint))
        return wanted, wanted - float(missing)

    @cached_property
    def outside(self) -> tuple[int, int]:
        """Of the answer: frames outside every layer's window, and how many of them differ from the base in any bit."""
        times = self._times
        inside = np.zeros(len(times), bool)
        for layer in in_effect(self.answered).layers:
            inside |= within(layer, times)
        same = (self.answer.qpos == self.base.qpos).all(axis=1)
        return int((~inside).sum()), int((~inside & ~same).sum())

    def room(self, joint: str, window: tuple[float, float]) -> float:
        """The least distance (rad) of the shown joint to its limits within a window (s)."""
        times, angle = self._times, self.shown(joint)
        inside = (times >= window[0]) & (times <= window[1])
        place = self.base.joints.index(joint)
        near = np.minimum(angle - self.low[place], self.high[place] - angle)
        return float(near[inside].min()) if inside.any() else float(near.min())

    @cached_property
    def _times(self) -> np.ndarray:
        return self.base.motion.times

    def _column(self, joint: str) -> int:
        return ROOT + self.base.joints.index(joint)

    def _kept(self, joint: str, angle: np.ndarray) -> np.ndarray:
        place = self.base.joints.index(joint)
        return np.clip(angle, self.low[place], self.high[place])


def _total(layers: Layers, joint: str, times: np.ndarray) -> np.ndarray:
    total = np.zeros(len(times))
    for layer in layers.layers:
        if layer.joint == joint and layer.on and layer.knots:
            total += offset(layer, times)
    return total
