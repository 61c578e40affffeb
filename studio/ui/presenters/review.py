"""What the page of the retarget shows and does: one moment in several pictures, findings, figures, the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import Signal

from studio.app import findings, units
from studio.app.pictures import telling_frame
from studio.app.review_data import ReviewData, load_review, make_strip
from studio.app.session import Session
from studio.app.text import tr
from studio.app.transport import Transport
from studio.domain.time import TakeClock
from studio.schema.errors import StudioError
from studio.schema.findings import Finding
from studio.ui.panes.frame_set import FIGHTER, VIDEO, Pane, Wish
from studio.ui.panes.lane_data import LaneData, Suspicion, contact_lanes
from studio.ui.presenters.presenter import technique_name
from studio.ui.presenters.sight import SightPresenter
from studio.ui.presenters.stage import Pair, finding_line

STAGE = 5
VIEWS = ("a", "b", "both", "free")
NOTHING_YET = TakeClock(60.0, 0.0, 1)

_FIGURES = (
    ("slide", "slide_peak_mm", "mm", 1), ("below_floor", "penetration_mm", "mm", 1),
    ("penetration", "self_penetration_mm", "mm", 0), ("root_moved", "root_moved_mm", "mm", 0),
    ("joint_moved", "joint_moved_deg", "degrees", 1), ("balance", "zmp_outside_mm", "mm", 0),
    ("fit", "fit_mm", "mm", 1),
)  # fmt: skip


@dataclass(frozen=True)
class Suspect:
    """A finding as the list shows it."""

    when: str
    what: str
    how_much: str
    repaired: bool


class ReviewPresenter(SightPresenter):
    """``loaded`` when a take is here, ``view_changed`` after another view, ghost or turn of the free camera,
    ``finding_chosen`` with its place or -1, ``strip_made`` with the pictures of the timeline."""

    loaded = Signal()
    finding_chosen = Signal(int)
    strip_made = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__(session, VIEWS, "both", ghost=False)
        self.transport = Transport(NOTHING_YET, self)
        self.data: ReviewData | None = None
        self.chosen = -1
        self.error: StudioError | None = None
        self._direction = 1
        self._asked = (-1, "")
        self._stand: float | None = None
        session.states_changed.connect(self._follow)
        session.stage_approved.connect(lambda *_: self.changed.emit())
        self.transport.frame_changed.connect(self._head)
        self._last = 0

    def load(self) -> None:
        """Read the take beside; ``loaded`` when it is here, ``changed`` with an ``error`` where it cannot be read."""
        technique = self.session.technique
        self._asked = (self.session.stage(STAGE).revision, technique)
        self.session.tasks.ask(lambda: load_review(self.session.project, technique), self._take, self._refused)

    def use(self, data: ReviewData) -> None:
        """Show this from now on. The moment stays where the new motion still has it."""
        self._asked = (self.session.stage(STAGE).revision, self.session.technique)
        self._take(data)

    def _take(self, data: ReviewData) -> None:
        time = self.transport.time if self.data is not None else data.clock.start_s
        if self._stand is not None:
            time, self._stand = self._stand, None
        self.data, self.error = data, None
        self.transport.use(data.clock)
        self.transport.seek_time(time)
        root = data.retarget.qpos[:, :3].mean(axis=0)
        self.free = replace(self.free, lookat=(float(root[0]), float(root[1]), float(root[2]) * 0.92), distance=4.2)
        self.chosen = -1
        self.loaded.emit()
        self.changed.emit()
        self.session.draw(lambda: make_strip(data), self.strip_made.emit)

    def _refused(self, error: StudioError) -> None:
        self.error = error
        self.changed.emit()

    def _follow(self) -> None:
        """A new revision is read; anything else only changes words."""
        now = (self.session.stage(STAGE).revision, self.session.technique)
        if self.data is not None and now != self._asked:
            self.load()
        self.changed.emit()

    def _head(self, frame: int) -> None:
        if frame != self._last:
            self._direction, self._last = (1 if frame > self._last else -1), frame

    def stand_at(self, time_s: float) -> None:
        """Stand at this moment, now or once the take is here."""
        if self.data is None:
            self._stand = time_s
        else:
            self.transport.seek_time(time_s)

    @property
    def telling_frame(self) -> int:
        """Where the pose is farthest from the first."""
        return 0 if self.data is None else telling_frame(self.data.retarget.qpos)

    # What is seen

    @property
    def rows(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Kind and phone of each picture, row by row."""
        if self.view == "free":
            return (((FIGHTER, "free"),),)
        phones = ("a", "b") if self.view == "both" else (self.view,)
        return tuple(((VIDEO, phone), (FIGHTER, phone)) for phone in phones)

    def wish(self, panes: tuple[Pane, ...], back: tuple[int, int, int], light: bool) -> Wish | None:
        """What is to be drawn for this moment; None before a take is here."""
        if self.data is None or not panes:
            return None
        frame, motion = self.transport.frame, self.data.retarget
        return Wish(
            frame=frame,
            time_s=self.transport.time,
            panes=panes,
            qpos=motion.qpos[frame],
            ghost=motion.copied[frame] if self.ghost else None,
            free=self.free,
            light=light,
            back=back,
            direction=self._direction,
        )

    def note(self, frame: int) -> str:
        """The words at the foot of the fighter: what is suspicious at this frame."""
        if self.data is None:
            return ""
        time = self.data.clock.time(frame)
        here = [f for f in self._sorted() if f.start_s - 1e-6 <= time <= f.end_s + 1e-6 and not f.repaired]
        if self.chosen >= 0 and self._sorted()[self.chosen] in here:
            here = [self._sorted()[self.chosen]]
        line = finding_line(here[0]) if here else None
        return f"{line.what}  {units.with_unit(here[0].value, here[0].unit)}" if line else ""

    # Findings

    def _sorted(self) -> tuple[Finding, ...]:
        return tuple(sorted(self.data.findings, key=lambda f: (f.start_s, f.end_s, f.kind))) if self.data else ()

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        """The findings by time, in words."""
        lines = ((finding, finding_line(finding)) for finding in self._sorted())
        return tuple(
            Suspect(
                line.when,
                findings.kind_name(finding.kind),
                f"{findings.subject_name(finding.subject)} · {line.how_much}",
                line.repaired,
            )
            for finding, line in lines
        )

    @property
    def open_count(self) -> int:
        return sum(not finding.repaired for finding in self._sorted())

    def choose(self, place: int) -> None:
        """Go to a finding of the list."""
        found = self._sorted()
        if 0 <= place < len(found):
            self.chosen = place
            self.transport.pause()
            self.transport.seek_time(found[place].start_s)
            self.finding_chosen.emit(place)

    def step_finding(self, direction: int) -> None:
        """To the finding before or after: from the chosen one, or from this moment."""
        found = self._sorted()
        if not found:
            return
        if self.chosen >= 0 and abs(found[self.chosen].start_s - self.transport.time) < 0.5 / self.transport.clock.fps:
            self.choose(min(max(self.chosen + direction, 0), len(found) - 1))
            return
        starts = np.array([finding.start_s for finding in found])
        ahead = np.flatnonzero((starts - self.transport.time) * direction > 1e-6)
        if len(ahead):
            self.choose(int(ahead[0] if direction > 0 else ahead[-1]))

    @property
    def lanes(self) -> LaneData:
        """What lies along the take."""
        if self.data is None:
            return LaneData("", 0.0, 1.0)
        clock = self.data.clock
        return LaneData(
            technique_name(self.data.take.name),
            clock.start_s,
            clock.end_s,
            tuple(Suspicion(f.start_s, f.end_s, f.repaired) for f in self._sorted()),
            (),
            contact_lanes(self.data.retarget),
        )

    @property
    def figures(self) -> tuple[Pair, ...]:
        """The numbers of the motion, with their names."""
        if self.data is None:
            return ()
        known = [entry for entry in _FIGURES if entry[1] in self.data.figures]
        shown = [
            Pair(
                tr(f"review.figure.{name}"),
                tr(f"review.value.{unit}", value=units.number(self.data.figures[key], digits)),
            )
            for name, key, unit, digits in known
        ]
        scale = tr("review.value.times", value=units.number(self.data.retarget.root_scale, 2))
        return (*shown, Pair(tr("review.figure.root_scale"), scale))

    # The verdict

    @property
    def state(self) -> str:
        return self.session.stage(STAGE).state

    @property
    def can_approve(self) -> bool:
        """A look is due, or only a machine has passed it on; never before there is something to look at."""
        return self.data is not None and self.state in ("needs_eyes", "automatic")

    @property
    def verdict(self) -> str:
        """The sentence under the button."""
        known = {"needs_eyes": "looked", "automatic": "automatic", "approved": "done", "stale": "stale"}
        return tr(f"review.{known.get(self.state, 'locked')}")

    def approve(self) -> None:
        if self.can_approve:
            self.session.approve(STAGE)

    @property
    def commands(self) -> dict[str, Callable[[], object]]:
        """What the keys of this page do."""
        go = self.transport
        return {
            "main": self.approve,
            "play": go.toggle, "back": lambda: go.shuttle(-1), "pause": go.pause, "forward": lambda: go.shuttle(1),
            "previous_frame": lambda: go.step(-1), "next_frame": lambda: go.step(1),
            "ten_back": lambda: go.step(-10), "ten_forward": lambda: go.step(10),
            "first_frame": go.home, "last_frame": go.end, "slower": go.slower, "faster": go.faster,
            "loop_in": go.loop_in, "loop_out": go.loop_out, "loop": go.toggle_loop,
            "previous_finding": lambda: self.step_finding(-1), "next_finding": lambda: self.step_finding(1),
            **{f"view_{view}": lambda view=view: self.set_view(view) for view in VIEWS},
            "ghost": self.toggle_ghost,
        }  # fmt: skip
