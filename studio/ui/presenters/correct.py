"""What the page of corrections shows: layers, the chosen joint's curve, the fighter with them, and what comes next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Signal

from studio.app import joints as joint_list
from studio.app.bending import Bending
from studio.app.correct_data import CorrectData, load_correct
from studio.app.correction import Correction, in_effect, without
from studio.app.layers import LayerEditor
from studio.app.pace import Pace
from studio.app.pictures import BESIDE_DEG, yaw_deg
from studio.app.review_data import make_strip
from studio.app.session import Session
from studio.app.solver import Solver
from studio.app.text import has, tr
from studio.app.transport import Transport
from studio.domain.cameras.mujoco_camera import FreeCamera
from studio.domain.time import TakeClock
from studio.schema.errors import StudioError
from studio.schema.layers import Layers
from studio.schema.motion import Retarget
from studio.ui.panes.curve_data import CurveBase, CurveEdit
from studio.ui.panes.frame_set import FIGHTER, VIDEO, Pane, Wish
from studio.ui.panes.lane_data import LaneData, Suspicion, contact_lanes
from studio.ui.panes.pictures import Arrangement
from studio.ui.presenters import correct_words as words
from studio.ui.presenters.presenter import technique_name
from studio.ui.presenters.sight import SightPresenter
from studio.ui.presenters.stage import Pair, StagePresenter

STAGE = 5
VIEWS = ("free", "a", "b")
NOTHING_YET = TakeClock(60.0, 0.0, 1)
ASK_MS = 60  # between two wishes while a hand moves: no more pictures are seen, and the cores are the window's


def editor_of(session: Session) -> LayerEditor:
    """The one editor of a session: its steps outlive the pages."""
    return session.findChild(LayerEditor) or LayerEditor(session, session)


class CorrectPresenter(SightPresenter):
    """``loaded`` when a take is here; ``base_changed`` after another joint, ``edit_changed`` after anything that bends
    its curve or the fighter, ``view_changed`` after another view; ``strip_made`` with the timeline's pictures;
    ``review_requested`` when the coach is to look at it. ``hand`` has the choice and the gestures."""

    loaded = Signal()
    base_changed = Signal()
    edit_changed = Signal()
    strip_made = Signal(object)
    review_requested = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session, VIEWS, VIEWS[0], ghost=True)
        self.transport = Transport(NOTHING_YET, self)
        self.stage = StagePresenter(session, STAGE)
        self.editor = editor_of(session)
        self.hand = Bending(self.editor, self.transport, self)
        self.data: CorrectData | None = None
        self.error: StudioError | None = None
        self._solver: Solver | None = None
        self._before: tuple[Layers, Retarget] | None = None
        self._asked = (-1, "")
        self._stand: float | None = None
        self._direction, self._last = 1, 0
        self._run_wanted = self._runs = False
        self._pace = Pace(ASK_MS, self._ask_solver, self)
        self._wire()

    def _wire(self) -> None:
        session, hand = self.session, self.hand
        hand.bent.connect(self._follow_hand)
        hand.settled.connect(self._settle)
        hand.chosen.connect(self._follow_choice)
        self.editor.history.changed.connect(self.changed)
        self.editor.saved.connect(self._run_if_saved)
        session.states_changed.connect(self._follow_stage)
        session.stage_finished.connect(self._stage_finished)
        session.stage_cancelled.connect(self._forget_run)
        self.stage.changed.connect(self.changed)
        self.transport.frame_changed.connect(self._head)

    # The take

    def load(self) -> None:
        """Read it beside; ``loaded`` when it is here, ``changed`` with an ``error`` where it cannot be read."""
        technique, project = self.session.technique, self.session.project
        self._asked = (self.session.stage(STAGE).revision, technique)
        self.session.tasks.ask(lambda: load_correct(project, technique), self.use, self._refused)

    def use(self, data: CorrectData) -> None:
        """Show this from now on. Moment, joint and layer stay where the new motion still has them."""
        first = self.data is None
        time = self.transport.time if self._stand is None else self._stand
        self.data, self.error, self._before = data, None, None
        self.transport.use(data.review.clock)
        fresh = self.session.stage(STAGE).state not in ("stale", "failed", "running")
        answer, answered = (data.review.retarget, data.layers) if fresh else (data.base, Layers())
        layers = self.editor.layers if self.editor.technique == self.session.technique else data.layers
        self.hand.state = Correction(data.base, layers, answer, answered, data.low, data.high)
        if first:
            time = self._begin_with(data, time)
            self._look_at(data)
        self.transport.seek_time(time)
        self._stand = None
        self.hand.keep_choice()
        self.loaded.emit()
        self.base_changed.emit()
        self.changed.emit()
        self._ask_solver()
        self.session.draw(lambda: make_strip(data.review), self.strip_made.emit)

    def _begin_with(self, data: CorrectData, time_s: float) -> float:
        """Choose the first layer, or the joint under the worst finding; the moment (s) to stand at."""
        asked_for, layers = self._stand is not None, self.hand.layers
        if layers and not asked_for:
            self.hand.choose_layer(layers[0].name)
            return layers[0].knots[0].time_s if layers[0].knots else layers[0].start_s
        base, found = data.base, data.review.findings
        here = [f for f in found if asked_for and f.start_s - 1e-6 <= time_s <= f.end_s + 1e-6]
        joint, moment = joint_list.suggested(here or found, base.joints, base.copied[:, 7:], base.qpos[:, 7:])
        self.hand.choose_joint(joint)
        if asked_for:
            return time_s
        place = 7 + base.joints.index(joint)
        away = np.abs(base.qpos[:, place] - base.copied[:, place])
        return float(base.motion.times[int(np.argmax(away))]) if moment is None else moment

    def _look_at(self, data: CorrectData) -> None:
        """Stand the free camera beside his front."""
        qpos, size = data.base.qpos, data.review.fighter.stature / 1.7
        x, y, _ = qpos[:, :3].mean(axis=0)
        azimuth = yaw_deg(qpos[0]) + 180 - BESIDE_DEG
        self.free = FreeCamera((float(x), float(y), 0.86 * size), 3.5 * size, azimuth, -9.0, 36.0)

    def _refused(self, error: StudioError) -> None:
        self.error = error
        self.changed.emit()

    def stand_at(self, time_s: float) -> None:
        """Stand at this moment, now or once the take is here."""
        if self.data is None:
            self._stand = time_s
        else:
            self.transport.seek_time(time_s)

    # The solver

    def open(self) -> None:
        """The page is in front: read the take, let the solver run."""
        self.stage.load()
        if self._solver is None and self.session.is_open and self.session.stage(STAGE).revision:
            self._start_solver()
        if self.data is None:
            self.load()
        else:
            self._follow_stage()
            self._ask_solver()

    def close(self) -> None:
        """The page is not in front any more: a gesture ends where it is, the solver ends."""
        self.transport.pause()
        self.hand.release()
        self._stop_solver()

    def _start_solver(self) -> None:
        self._solver = solver = Solver(self.session.project, self.session.technique, self)
        solver.solved.connect(lambda layers, answer, _: self._solved(layers, answer))
        solver.previewed.connect(self._previewed)
        solver.failed.connect(self._refused)

    def _stop_solver(self) -> None:
        if self._solver is not None:
            self._solver.close()
            self._solver.deleteLater()
            self._solver = None

    def _ask_solver(self) -> None:
        """Ask for what is not known: the motion with these layers, then the one before the edited layer."""
        state = self.hand.state
        if state is None:
            return
        if not in_effect(state.layers).layers:
            self.hand.state = replace(state, answer=state.base, answered=state.layers, whole=True)
        elif self._solver is not None:
            wanted = in_effect(self._others if state.settled else state.layers)
            if not state.settled or self._ghost_of(wanted) is None:
                self._solver.ask(wanted)

    def _solved(self, layers: Layers, answer: Retarget) -> None:
        state = self.hand.state
        if state is None or answer.qpos.shape != state.base.qpos.shape:
            return
        if layers == in_effect(self._others) and layers != in_effect(state.layers):
            self._before = (layers, answer)
        else:
            self.hand.state = replace(state, answer=answer, answered=layers, whole=True)
        self.error = None
        self.edit_changed.emit()
        if not self.hand.is_busy:
            self._ask_solver()
            self.changed.emit()

    def _previewed(self, layers: Layers, answer: Retarget) -> None:
        """Near enough for the eye while he drags on."""
        state = self.hand.state
        if state is not None and answer.qpos.shape == state.base.qpos.shape and not state.settled:
            self.hand.state = replace(state, answer=answer, answered=layers, whole=False)
            self.edit_changed.emit()

    @property
    def _others(self) -> Layers:
        """All layers but the edited one."""
        state = self.hand.state
        return without(state.layers, self.hand.layer_name) if state is not None else Layers()

    def _ghost_of(self, layers: Layers) -> Retarget | None:
        """The motion with these layers, where it is known."""
        if self.hand.state is not None and not layers.layers:
            return self.hand.state.base
        return self._before[1] if self._before is not None and self._before[0] == layers else None

    # Following

    def _follow_hand(self) -> None:
        self._pace.ask(now=not self.hand.is_busy)
        self.edit_changed.emit()

    def _settle(self) -> None:
        self._ask_solver()
        self.edit_changed.emit()
        self.changed.emit()

    def _follow_choice(self) -> None:
        self.base_changed.emit()
        self.changed.emit()
        if not self.hand.is_busy:
            self._ask_solver()

    def _follow_stage(self) -> None:
        """A new revision is read, and solved from; anything else only changes words."""
        now = (self.session.stage(STAGE).revision, self.session.technique)
        if self.data is not None and now != self._asked and self._solver is not None:
            self._stop_solver()
            self._start_solver()
            self.load()
        self.changed.emit()

    def _head(self, frame: int) -> None:
        if frame != self._last:
            self._direction, self._last = (1 if frame > self._last else -1), frame

    # What is seen

    @property
    def joint_name(self) -> str:
        return joint_list.joint_title(self.hand.joint) if self.hand.joint else ""

    @property
    def groups(self) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        """The joints by part of the body: its name, then each joint with its name."""
        if self.data is None:
            return ()
        parts = joint_list.grouped(self.data.base.joints)
        return tuple(
            (tr(f"correct.part.{part}"), tuple((joint, joint_list.joint_title(joint)) for joint in own))
            for part, own in parts
        )

    @property
    def lines(self) -> tuple[words.LayerLine, ...]:
        """The layers in words."""
        return tuple(words.layer_line(one) for one in self.hand.layers)

    @property
    def base(self) -> CurveBase | None:
        """What does not move while the chosen joint is bent."""
        if self.data is None or not self.hand.joint:
            return None
        motion, joint = self.data.base, self.hand.joint
        place = motion.joints.index(joint)
        events = tuple(
            (f"{tr(f'correct.event.{name}')} {time:.3f}", time)
            for name, time in self.data.events.items()
            if has(f"correct.event.{name}")
        )
        low, high = float(self.data.low[place]), float(self.data.high[place])
        return CurveBase(motion.motion.times, motion.copied[:, 7 + place], low, high, events)

    @property
    def edit(self) -> CurveEdit | None:
        """The chosen joint as it is bent."""
        state, hand = self.hand.state, self.hand
        if state is None or not hand.joint:
            return None
        layer, shown, asked = hand.layer, state.shown(hand.joint), state.asked(hand.joint)
        if layer is None:
            return CurveEdit(shown, asked, settled=state.settled, hint=tr("correct.hint"))
        at = np.array([knot.time_s for knot in layer.knots])
        under = state.others(layer.joint, layer.name, at) if len(at) else at
        knots = tuple((k.time_s, float(u) + k.value) for k, u in zip(layer.knots, under, strict=True))
        bubble = words.bubble(state, layer, hand.knot) if 0 <= hand.knot < len(knots) else ("", "")
        return CurveEdit(
            shown, asked, (layer.start_s, layer.end_s), knots, hand.knot, bubble, inside=words.window(layer),
            outside=words.unchanged(state), settled=state.settled,
        )  # fmt: skip

    @property
    def checks(self) -> tuple[Pair, ...]:
        return words.checks(self.hand.state, self.hand.layer) if self.hand.state is not None else ()

    @property
    def proof(self) -> str:
        """Whether anything changed where no layer is, in a sentence."""
        return words.outside(self.hand.state) if self.hand.state is not None else ""

    @property
    def arrangement(self) -> Arrangement:
        """Where the pictures of the view stand."""
        if self.view != "free":
            pair = {(VIDEO, self.view): (0, 0, 1, 1), (FIGHTER, self.view): (0, 1, 1, 1)}
            return Arrangement(pair, (1, 1))
        phones = self.data.review.phones if self.data is not None else ("a", "b")
        videos = {(VIDEO, phone): (k, 1, 1, 1) for k, phone in enumerate(phones)}
        return Arrangement({(FIGHTER, "free"): (0, 0, max(len(phones), 1), 1), **videos}, (7, 3))

    def wish(self, panes: tuple[Pane, ...], back: tuple[int, int, int], light: bool) -> Wish | None:
        """What is to be drawn for this moment; None before a take is here."""
        state, frame = self.hand.state, self.transport.frame
        if state is None or not panes:
            return None
        others = in_effect(self._others)
        ghost = self._ghost_of(others) or state.base
        return Wish(
            frame=frame,
            time_s=self.transport.time,
            panes=panes,
            qpos=state.pose(frame),
            ghost=ghost.qpos[frame] if self.ghost and in_effect(state.layers) != others else None,
            free=self.free,
            light=light,
            back=back,
            direction=self._direction,
        )

    @property
    def note(self) -> str:
        """The words at the foot of the fighter: what the edited layer asks here, and what came of it."""
        state, layer, time = self.hand.state, self.hand.layer, self.transport.time
        return words.note(state, layer, time) if state is not None and layer is not None else ""

    @property
    def lanes(self) -> LaneData:
        """What lies along the take."""
        if self.data is None:
            return LaneData("", 0.0, 1.0)
        review = self.data.review
        found = sorted(review.findings, key=lambda f: (f.start_s, f.end_s, f.kind))
        spans = tuple(Suspicion(f.start_s, f.end_s, f.repaired) for f in found)
        clock = review.clock
        return LaneData(
            technique_name(review.take.name), clock.start_s, clock.end_s, spans, (), contact_lanes(review.retarget)
        )

    def step_finding(self, direction: int) -> None:
        """To the start of the finding before or after this moment."""
        starts = sorted({f.start_s for f in self.data.review.findings}) if self.data is not None else []
        ahead = [start for start in starts if (start - self.transport.time) * direction > 1e-6]
        if ahead:
            self.transport.pause()
            self.transport.seek_time(min(ahead) if direction > 0 else max(ahead))

    def go_to_finding(self, place: int) -> None:
        """To a finding of the lanes, and to the joint under it."""
        if self.data is None:
            return
        found = sorted(self.data.review.findings, key=lambda f: (f.start_s, f.end_s, f.kind))[place]
        self.transport.pause()
        self.transport.seek_time(found.start_s)
        joint = joint_list.joint_of(found.subject, self.data.base.joints)
        if joint:
            self.hand.choose_joint(joint)

    # What comes next

    @property
    def is_dirty(self) -> bool:
        """Whether stage 5 has not been run with these layers."""
        if self.data is None:
            return False
        return self.session.stage(STAGE).state == "stale" or self.editor.layers != self.data.layers

    @property
    def can_run(self) -> bool:
        return self.is_dirty and self.stage.can_run and not self._run_wanted

    @property
    def is_running(self) -> bool:
        return self.stage.is_running

    @property
    def main_key(self) -> str:
        return "correct.run" if self.is_dirty or self.is_running else "correct.review"

    @property
    def needs_eyes(self) -> bool:
        """Whether the coach's look is due and nothing stands before it."""
        return not self.is_dirty and self.session.stage(STAGE).state == "needs_eyes"

    @property
    def next_line(self) -> str:
        """The state of stage 5 in a sentence."""
        if self.data is None:
            return ""
        if self.is_running:
            return tr("correct.next_running")
        if self.is_dirty:
            return tr("correct.next_stale" if self.stage.can_run else "correct.next_waits")
        if not self.hand.layers:
            return tr("correct.next_none")
        state = self.session.stage(STAGE).state
        return tr(f"correct.next_{'eyes' if state == 'needs_eyes' else 'done'}")

    def main(self) -> None:
        """Make the motion with these layers, then look at it; or look at it, where it is made."""
        self.hand.release()
        if not self.is_dirty:
            if self.data is not None and not self.is_running:
                self.review_requested.emit()
        elif self.can_run:
            self._run_wanted = True
            self._run_if_saved()

    def _run_if_saved(self) -> None:
        """Begin once everything that was committed is on disk."""
        if self._run_wanted and self.editor.idle:
            self._run_wanted = False
            self._runs = self.session.run(STAGE)
            self.changed.emit()

    def _stage_finished(self, stage: int, subject: str) -> None:
        if (stage, subject) == (STAGE, self.session.technique) and self._runs:
            self._runs = False
            if self.session.error(STAGE) is None:
                self.review_requested.emit()

    def _forget_run(self, stage: int, subject: str) -> None:
        if (stage, subject) == (STAGE, self.session.technique):
            self._run_wanted = self._runs = False

    @property
    def commands(self) -> dict[str, Callable[[], object]]:
        """What the keys of this page do, but for time's and those that need a widget."""
        hand = self.hand
        return {
            "main": self.main, "run": self.main, "give_up": hand.abort, "undo": hand.undo, "redo": hand.redo,
            "ghost": self.toggle_ghost, "review": self.review_requested.emit,
            **{f"view_{view}": lambda view=view: self.set_view(view) for view in VIEWS},
            "knot_up": lambda: hand.nudge(1, 0), "knot_down": lambda: hand.nudge(-1, 0),
            "knot_earlier": lambda: hand.nudge(0, -1), "knot_later": lambda: hand.nudge(0, 1),
            "previous_knot": lambda: hand.step_knot(-1), "next_knot": lambda: hand.step_knot(1),
            "add_knot": hand.add_knot, "remove_knot": hand.remove_knot,
            "wider": lambda: hand.widen(1), "narrower": lambda: hand.widen(-1),
            "add_layer": hand.add_layer, "remove_layer": hand.remove_layer, "layer_on": hand.toggle_layer,
            "previous_layer": lambda: hand.step_layer(-1), "next_layer": lambda: hand.step_layer(1),
            "previous_finding": lambda: self.step_finding(-1), "next_finding": lambda: self.step_finding(1),
        }  # fmt: skip
