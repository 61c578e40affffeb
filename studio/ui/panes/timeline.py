"""The timeline: the same on every page in which time runs. It moves the transport and shows where it stands."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio.app.text import tr
from studio.app.transport import SPEEDS, Transport
from studio.ui import theme
from studio.ui.panes.lane_data import LaneData
from studio.ui.panes.lanes import Lanes
from studio.ui.widgets.buttons import GHOST, PLAIN, Button, Segment
from studio.ui.widgets.frames import Line, row
from studio.ui.widgets.words import Words, caption

SPEED_KEYS = tuple(f"timeline.speed.{name}" for name in ("s16", "s8", "s4", "s2", "one", "two"))
_ZOOM_IN, _WHOLE = 0.5, 1e6


class Timeline(QFrame):
    """148 px: transport, time, frame, speed, loop; below them the lanes. ``finding_asked`` steps -1 or +1 through the
    findings, ``finding_pressed`` names one of them."""

    finding_asked = Signal(int)
    finding_pressed = Signal(int)

    def __init__(self, transport: Transport) -> None:
        super().__init__()
        self.transport = transport
        self.setProperty("ground", "bg2")
        self.setFixedHeight(theme.metric("timeline"))
        self.lanes = Lanes()
        self._time, self._frame = Words("", "title", weight=600), Words("", "body", "text3")
        self._view = caption()
        self._speed = Segment(SPEED_KEYS, SPEEDS.index(transport.speed), height=24)
        self._play = _icon_button("play", "play", PLAIN)
        self._loop = Button("timeline.loop_off", "repeat", kind=GHOST, action="loop", height=24)
        self._build()
        self._wire()
        self._show_all()

    def show_data(self, data: LaneData) -> None:
        """What lies along the take."""
        self.lanes.show_data(data)
        self._show_view()

    def show_pictures(self, pictures: tuple[QImage, ...]) -> None:
        """The strip of pictures, evenly over the take."""
        self.lanes.show_pictures(pictures)

    def _build(self) -> None:
        transport = self.transport
        buttons = [
            (_icon_button("skip-previous", "first_frame"), transport.home),
            (_icon_button("step-backward", "previous_frame"), lambda: transport.step(-1)),
            (self._play, transport.toggle),
            (_icon_button("step-forward", "next_frame"), lambda: transport.step(1)),
            (_icon_button("skip-next", "last_frame"), transport.end),
        ]
        for button, does in buttons:
            button.clicked.connect(does)
        self._time.setMinimumWidth(70)
        self._frame.setMinimumWidth(78)
        self._finding = Button("timeline.finding", "triangle-outline", kind=GHOST, action="next_finding", height=24)
        self._finding.hint(", .")
        self._finding.clicked.connect(lambda: self.finding_asked.emit(1))
        zoom = _icon_button("magnify-plus-outline", "")
        zoom.clicked.connect(self._zoom)
        head = row(
            *(button for button, _ in buttons), 12, self._time, 4, self._frame, 8, self._speed, 8, self._loop, None,
            self._finding, 8, self._view, 4, zoom, gap=2, margins=(16, 0, 12, 0),
        )  # fmt: skip
        head.setFixedHeight(36)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (Line(), head, self.lanes):
            layout.addWidget(part)

    def _wire(self) -> None:
        transport = self.transport
        transport.frame_changed.connect(self._show_time)
        transport.playing_changed.connect(lambda on: self._play.change("pause" if on else "play"))
        transport.speed_changed.connect(lambda speed: self._speed.choose(SPEEDS.index(speed)))
        transport.loop_changed.connect(self._show_loop)
        transport.clock_changed.connect(self._show_all)
        self._speed.segment_chosen.connect(lambda place: transport.set_speed(SPEEDS[place]))
        self._loop.clicked.connect(transport.toggle_loop)
        self.lanes.scrubbed.connect(self._scrub)
        self.lanes.finding_pressed.connect(self.finding_pressed)
        self.lanes.view_changed.connect(self._show_view)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show_all()

    def _scrub(self, time_s: float) -> None:
        self.transport.pause()
        self.transport.seek_time(time_s)

    def _zoom(self) -> None:
        axis = self.lanes.axis
        narrow = axis.last_s - axis.first_s < 0.3 * (axis.end_s - axis.start_s)
        self.lanes.zoom(_WHOLE if narrow else _ZOOM_IN, self.transport.time)

    def _show_all(self) -> None:
        self._show_time(self.transport.frame)
        self._show_loop()
        self._show_view()

    def _show_time(self, frame: int) -> None:
        self._time.show_text(tr("unit.seconds", value=f"{self.transport.time:.3f}"))
        self._frame.show_text(tr("timeline.frame", number=frame))
        self.lanes.show_time(self.transport.time)

    def _show_loop(self) -> None:
        transport = self.transport
        span = tuple(transport.clock.time(frame) for frame in transport.loop_range)
        self.lanes.show_loop((span[0], span[1]) if transport.looping else None)
        if transport.looping:
            self._loop.say("timeline.loop", start=f"{span[0]:.2f}", end=f"{span[1]:.2f}")
        else:
            self._loop.say("timeline.loop_off")
        self._loop.kind = PLAIN if transport.looping else GHOST

    def _show_view(self) -> None:
        axis = self.lanes.axis
        whole = f"{axis.end_s - axis.start_s:.1f}"
        self._view.show_text(
            tr("timeline.whole", whole=whole)
            if axis.is_whole
            else tr("timeline.view", first=f"{axis.first_s:.1f}", last=f"{axis.last_s:.1f}", whole=whole)
        )


def _icon_button(icon: str, action: str, kind: str = GHOST) -> Button:
    button = Button("", icon, kind=kind, action=action, height=24)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
