"""The edited layer under the coach's hand: knots and window edges by mouse, wheel and keys, each a gesture."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from studio.app.correction import Correction, without
from studio.app.joints import layer_title
from studio.app.layers import LayerEditor
from studio.app.transport import Transport
from studio.domain.layers import edit as edits
from studio.domain.layers.rules import LEAST_GAP_S, LONGEST_WORDS, MOST_KNOTS, MOST_LAYERS
from studio.schema.layers import Knot, Layer, Layers

FALLOFF_S = 0.15
"""How far a new layer reaches before and after its first knot."""
NUDGE_RAD = math.radians(0.5)
BURST_MS = 350
"""Turns of the wheel and held keys that follow each other within this time are one step."""


@dataclass(frozen=True)
class Grip:
    """What is under his hand: "knot" or "edge" with its number, and the knot's time (s) when he took it."""

    kind: str
    number: int
    time_s: float = 0.0


class Bending(QObject):
    """Which joint, layer and knot are chosen, and what is done to them. ``chosen`` after another choice, ``bent`` while
    something moves, ``settled`` after a gesture has ended. Without a ``state`` nothing happens."""

    chosen = Signal()
    bent = Signal()
    settled = Signal()

    def __init__(self, editor: LayerEditor, transport: Transport, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.editor, self.transport = editor, transport
        self.state: Correction | None = None
        self.joint, self.layer_name, self.knot = "", "", -1
        self._grip: Grip | None = None
        self._burst = QTimer(self, interval=BURST_MS, singleShot=True)
        self._burst.timeout.connect(self._end_burst)
        editor.layers_changed.connect(self._take)

    @property
    def is_busy(self) -> bool:
        """Whether a gesture is under way."""
        return self.editor.is_dragging

    @property
    def layers(self) -> tuple[Layer, ...]:
        return self.state.layers.layers if self.state is not None else ()

    @property
    def layer(self) -> Layer | None:
        """The layer that is edited."""
        return next((one for one in self.layers if one.name == self.layer_name), None)

    def _take(self) -> None:
        """The editor shows other layers: the choice stays where it still can."""
        if self.state is not None:
            self.state = replace(self.state, layers=self.editor.layers)
            if not self.is_busy:
                self.keep_choice()
            self.bent.emit()

    def keep_choice(self) -> None:
        """The chosen layer and knot, where they are still there."""
        if self.layer is None:
            own = [one.name for one in self.layers if one.joint == self.joint]
            self.layer_name = own[-1] if own else ""
        count = len(self.layer.knots) if self.layer is not None else 0
        self.knot = min(self.knot, count - 1) if self.knot >= 0 else (0 if count == 1 else -1)

    def choose_layer(self, name: str) -> None:
        """Edit this layer from now on; the moment goes to its first knot where it lies elsewhere."""
        layer = next((one for one in self.layers if one.name == name), None)
        if layer is None or name == self.layer_name:
            return
        self.release()
        self.layer_name, self.joint, self.knot = name, layer.joint, 0 if layer.knots else -1
        if not layer.start_s <= self.transport.time <= layer.end_s:
            self.transport.pause()
            self.transport.seek_time(layer.knots[0].time_s if layer.knots else layer.start_s)
        self.chosen.emit()

    def step_layer(self, direction: int) -> None:
        names = [one.name for one in self.layers]
        if names:
            place = names.index(self.layer_name) + direction if self.layer_name in names else 0
            self.choose_layer(names[min(max(place, 0), len(names) - 1)])

    def choose_joint(self, joint: str) -> None:
        """Show this joint; of its layers the last is edited."""
        if self.state is None or joint not in self.state.base.joints or joint == self.joint:
            return
        self.release()
        own = [one for one in self.layers if one.joint == joint]
        self.joint, self.layer_name = joint, own[-1].name if own else ""
        self.knot = 0 if own and len(own[-1].knots) == 1 else -1
        self.chosen.emit()

    def add_layer(self) -> None:
        """A new layer of this joint around this moment, with one knot that changes nothing yet."""
        self._end_burst()
        if self._can_add:
            self._start_layer(self.transport.time, None)
            self.release()

    @property
    def _can_add(self) -> bool:
        return self.state is not None and bool(self.joint) and len(self.layers) < MOST_LAYERS

    def remove_layer(self) -> None:
        layer = self.layer
        if layer is not None:
            self._one_step("remove", layer, without(self.state.layers, layer.name) if self.state else Layers())

    def toggle_layer(self, name: str = "") -> None:
        """Let a layer act or not; the edited one where none is named."""
        layer = next((one for one in self.layers if one.name == (name or self.layer_name)), None)
        if layer is not None and self.state is not None:
            turned = edits.changed(self.state.layers, layer.name, lambda one: replace(one, on=not one.on))
            self._one_step("off" if layer.on else "on", layer, turned)

    def say(self, said: str) -> None:
        """Keep what the coach says of the edited layer."""
        layer = self.layer
        if layer is not None and self.state is not None and said.strip() != layer.words:
            said = said.strip()[:LONGEST_WORDS]
            told = edits.changed(self.state.layers, layer.name, lambda one: replace(one, words=said))
            self._one_step("words", layer, told)

    def _one_step(self, what: str, layer: Layer, layers: Layers) -> None:
        self.release()
        self.editor.begin(what, layer_title(layer))
        self.editor.drag(layers)
        self.editor.commit()
        self._settle()

    def _settle(self) -> None:
        """After a gesture: words and lists are those of what was kept."""
        self.keep_choice()
        self.settled.emit()

    # Gestures

    def press_knot(self, number: int) -> None:
        """Take a knot."""
        layer = self.layer
        self._end_burst()
        if layer is None or not 0 <= number < len(layer.knots):
            return
        self.editor.begin("knot", layer_title(layer))
        self.knot, self._grip = number, Grip("knot", number, layer.knots[number].time_s)
        self._go(layer.knots[number].time_s)
        self.bent.emit()

    def press_edge(self, number: int) -> None:
        """Take the start (0) or the end (1) of the window."""
        layer = self.layer
        self._end_burst()
        if layer is not None:
            self.editor.begin("window", layer_title(layer))
            self._grip = Grip("edge", number)

    def press_curve(self, time_s: float, angle: float) -> None:
        """Set a knot there and take it; without a layer, a new one around it."""
        self._end_burst()
        layer, state = self.layer, self.state
        if state is None or not self.joint:
            return
        if layer is None:
            if self._can_add:
                self._start_layer(time_s, angle)
        elif len(layer.knots) < MOST_KNOTS:
            self._start_knot(layer, self._snapped(time_s), angle)

    def _start_layer(self, time_s: float, angle: float | None) -> None:
        """Begin a gesture with a new layer whose only knot is under the hand; ``angle`` None asks for no change."""
        assert self.state is not None
        clock = self.transport.clock
        room = max(2 / clock.fps, LEAST_GAP_S)
        at = self._snapped(min(max(time_s, clock.start_s + room), clock.end_s - room))
        name = edits.free_name(self.state.layers, self.joint)
        start, end = max(at - FALLOFF_S, clock.start_s), min(at + FALLOFF_S, clock.end_s)
        layer = Layer(name, self.joint, self._snapped(start), self._snapped(end))
        value = 0.0 if angle is None else self._value(layer, at, angle)
        layer = replace(layer, knots=(Knot(at, value),))
        self.editor.begin("add", layer_title(layer))
        self.layer_name, self.knot, self._grip = name, 0, Grip("knot", 0, at)
        self.editor.drag(Layers((*self.state.layers.layers, layer)))
        self._go(at)
        self.chosen.emit()

    def _start_knot(self, layer: Layer, time_s: float, angle: float) -> None:
        assert self.state is not None
        more = edits.add_knot(layer, time_s, self._value(layer, time_s, angle))
        if more == layer:
            return
        number = next(k for k, knot in enumerate(more.knots) if knot not in layer.knots)
        self.editor.begin("add_knot", layer_title(layer))
        self.knot, self._grip = number, Grip("knot", number, more.knots[number].time_s)
        self.editor.drag(edits.changed(self.state.layers, layer.name, lambda _: more))
        self._go(more.knots[number].time_s)

    def drag(self, time_s: float, angle: float, hold: bool) -> None:
        """Move what was taken. ``hold``: a knot keeps its time."""
        grip, layer = self._grip, self.layer
        if grip is None or layer is None or self.state is None:
            return
        if grip.kind == "edge":
            self._show(layer, self._with_edge(layer, grip.number, time_s))
            return
        at = grip.time_s if hold else self._snapped(time_s)
        at = edits.move_knot(layer, grip.number, at, 0.0).knots[grip.number].time_s
        self._show(layer, edits.move_knot(layer, grip.number, at, self._value(layer, at, angle)))
        self._go(at)

    def release(self) -> None:
        """Let go: the gesture is a step, and on disk within a second."""
        self._burst.stop()
        if self._grip is not None or self.editor.is_dragging:
            self._grip = None
            self.editor.commit()
            self._settle()

    def abort(self) -> None:
        """Give the gesture up: everything is as it was."""
        self._burst.stop()
        self._grip = None
        self.editor.abort()
        self._settle()

    def undo(self) -> None:
        """Take the last step back; of a gesture under the hand, the gesture."""
        if self._grip is None:
            self._end_burst()
        self._grip = None
        self.editor.undo()
        self._settle()

    def redo(self) -> None:
        self._end_burst()
        self.editor.redo()
        self._settle()

    def widen(self, frames: int, edge: int = -1) -> None:
        """Move an edge outwards (inwards below 0) by some frames, or both."""
        layer = self.layer
        if layer is not None and self._grip is None:
            step, wider = frames / self.transport.clock.fps, layer
            for number, moment in ((0, layer.start_s - step), (1, layer.end_s + step)):
                if edge in (-1, number):
                    wider = self._with_edge(wider, number, moment)
            self._in_burst("window", layer, wider)

    def nudge(self, steps: int, frames: int) -> None:
        """Move the chosen knot by half degrees and by frames."""
        layer = self.layer
        if layer is not None and self._grip is None and 0 <= self.knot < len(layer.knots) and self.state is not None:
            knot = layer.knots[self.knot]
            at = self._snapped(knot.time_s + frames / self.transport.clock.fps) if frames else knot.time_s
            angle = self._angle_of(layer, knot) + steps * NUDGE_RAD
            value = self._value(layer, knot.time_s, angle) if steps else knot.value
            self._in_burst("knot", layer, edits.move_knot(layer, self.knot, at, value))
            if self.layer is not None:
                self._go(self.layer.knots[self.knot].time_s)

    def add_knot(self) -> None:
        """A knot at this moment, on the curve as it is; without a layer, a new one around it."""
        self._end_burst()
        layer, state = self.layer, self.state
        if state is None or not self.joint:
            return
        if layer is None:
            self.add_layer()
        elif len(layer.knots) < MOST_KNOTS:
            time = self.transport.time
            angle = float(np.interp(time, state.base.motion.times, state.asked(self.joint)))
            self._start_knot(layer, time, angle)
            self.release()

    def remove_knot(self) -> None:
        """Without the chosen knot; a layer without knots goes too."""
        layer = self.layer
        if layer is None or not 0 <= self.knot < len(layer.knots) or self.state is None:
            return
        if len(layer.knots) == 1:
            self.remove_layer()
            return
        fewer = edits.remove_knot(layer, self.knot)
        self.knot = max(0, self.knot - 1)
        self._one_step("remove_knot", layer, edits.changed(self.state.layers, layer.name, lambda _: fewer))

    def step_knot(self, direction: int) -> None:
        """Choose the knot before or after, and stand there."""
        layer = self.layer
        if layer is not None and layer.knots:
            self.knot = min(max(self.knot + direction, 0), len(layer.knots) - 1)
            self._go(layer.knots[self.knot].time_s)
            self.settled.emit()

    def _in_burst(self, what: str, layer: Layer, changed: Layer) -> None:
        """One of several small changes that follow each other: together they are one step."""
        if not self._burst.isActive():
            self.editor.begin(what, layer_title(layer))
        self._burst.start()
        self._show(layer, changed)

    def _end_burst(self) -> None:
        if self._burst.isActive() or self.editor.is_dragging:
            self.release()

    def _show(self, layer: Layer, changed: Layer) -> None:
        assert self.state is not None
        self.editor.drag(edits.changed(self.state.layers, layer.name, lambda _: changed))

    def _with_edge(self, layer: Layer, number: int, time_s: float) -> Layer:
        clock = self.transport.clock
        at = self._snapped(min(max(time_s, clock.start_s), clock.end_s))
        return edits.set_window(layer, *((at, layer.end_s) if number == 0 else (layer.start_s, at)))

    def _value(self, layer: Layer, time_s: float, angle: float) -> float:
        """What a knot must add so that the joint is asked for ``angle`` (rad), which is kept within its limits."""
        assert self.state is not None
        place = self.state.base.joints.index(layer.joint)
        angle = min(max(angle, float(self.state.low[place])), float(self.state.high[place]))
        return angle - float(self.state.others(layer.joint, layer.name, np.array([time_s]))[0])

    def _angle_of(self, layer: Layer, knot: Knot) -> float:
        assert self.state is not None
        return float(self.state.others(layer.joint, layer.name, np.array([knot.time_s]))[0]) + knot.value

    def _snapped(self, time_s: float) -> float:
        return self.transport.clock.snap(time_s)

    def _go(self, time_s: float) -> None:
        self.transport.pause()
        self.transport.seek_time(time_s)
