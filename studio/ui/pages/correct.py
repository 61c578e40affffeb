"""The page of corrections: the fighter beside the phones, a joint's curve that is bent by hand, the layers."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QMenu, QVBoxLayout, QWidget

from studio.app.text import tr
from studio.domain.picture.dress import dressed_fighter
from studio.schema.errors import StudioError
from studio.ui import theme
from studio.ui.pages.page import NARROW, Inspector, Page, Split, Toolbar, is_language_change, laid_out
from studio.ui.pages.review import CORRECT, PLACES, REVIEW
from studio.ui.panes.curve import CurvePane
from studio.ui.panes.frame_set import FrameSet, image
from studio.ui.panes.pictures import Pictures
from studio.ui.panes.timeline import Timeline
from studio.ui.presenters.correct import VIEWS, CorrectPresenter
from studio.ui.widgets.buttons import EYES, GHOST, PRIMARY, Button, Segment
from studio.ui.widgets.film import time_commands
from studio.ui.widgets.frames import Bar, Line, column, row, scrolled
from studio.ui.widgets.layer_row import LayerRow
from studio.ui.widgets.legend import Legend, Sample
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.pairs import Pairs
from studio.ui.widgets.words import SectionHead, Shortened, Words, caption

_PICTURES, _CURVE = 56, 44
"""How the pictures and the curve share the height."""
_LEGEND = (
    Sample("correct.legend.fighter", "text", 2.0),
    Sample("correct.legend.asked", "text2", 1.0),
    Sample("correct.legend.capture", "before", 1.5, dashed=True),
)


class CorrectPage(Page):
    """Pictures are drawn by a thread and layers solved by a process that live while the page is in front."""

    def __init__(self, presenter: CorrectPresenter) -> None:
        super().__init__()
        self.presenter = presenter
        self.timeline = Timeline(presenter.transport)
        self.pictures, self.curve = Pictures(lambda _: presenter.note), CurvePane()
        self.place = Segment(PLACES, CORRECT)
        self.views = Segment(tuple(f"correct.view_{view}" for view in VIEWS), VIEWS.index(presenter.view))
        self.undo = Button("correct.undo", "undo", kind=GHOST, action="undo")
        self.redo = Button("", "undo", kind=GHOST, action="redo")
        self.ghost = Button("review.ghost", "ghost-outline", kind=GHOST, action="ghost")
        self.joint = Button("", "chevron-down", action="joints")
        self.add_knot = Button("correct.add_knot", "plus", kind=GHOST, action="add_knot")
        self.remove_knot = Button("correct.remove_knot", "close", kind=GHOST, action="remove_knot")
        self.add_layer = Button("", "plus", kind=GHOST, action="add_layer")
        self.remove_layer = Button("correct.remove", "close", action="remove_layer", wide=True)
        self.said = QLineEdit()
        self.main = Button("correct.run", "layers-outline", kind=PRIMARY, action="main", wide=True, height=36)
        self.main.setObjectName("main")
        self.notice = Notice()
        self.proof, self.next = Words("", "caption", "text2", wrap=True), Words("", "caption", "text3", wrap=True)
        self.bar, self.doing, self.left_ = Bar(), Shortened("", "body", "text2"), caption()
        self.stop = Button("top.stop", "stop", action="stop")
        self._list, self.checks = QVBoxLayout(), Pairs()
        self._rows: list[LayerRow] = []
        self._nothing = Words("correct.no_layers", tone="text2", wrap=True)
        self._refreshing = QTimer(self, interval=0, singleShot=True)
        self._refreshing.timeout.connect(self._refresh)
        self._fault: StudioError | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._build()
        self._wire()
        self.commands = {**time_commands(presenter.transport), **presenter.commands, "joints": self.choose_joint}
        self._refresh()

    def opened(self) -> None:
        """Read the take where it is not here yet; draw and solve."""
        self.presenter.open()
        if self.presenter.data is not None:
            self._start()
        self.setFocus()

    def left(self) -> None:
        """Pause, end a gesture where it is, give the drawing context and the solver back."""
        self.presenter.close()
        self.pictures.stop()

    def stand_at(self, time_s: float) -> None:
        self.presenter.stand_at(time_s)

    # Building

    def _build(self) -> None:
        self.ghost.setCheckable(True)
        self.ghost.setChecked(self.presenter.ghost)
        toolbar = Toolbar("", self.undo, self.redo, self.views, self.ghost, head=self.place)
        self.sentence = toolbar.sentence
        head = row(
            self.joint, 8, Legend(*_LEGEND), None, self.add_knot, self.remove_knot, gap=4, margins=(16, 0, 12, 0)
        )
        head.setFixedHeight(40)
        body = QWidget()
        lower = column(head, (self.curve, 1), gap=0)
        laid_out(body, toolbar, self.notice, (self.pictures, _PICTURES), Line(), (lower, _CURVE))
        laid_out(self, (Split(body, self._inspector()), 1), self.timeline)
        self.pictures.arrange(self.presenter.arrangement)

    def _inspector(self) -> Inspector:
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(2)
        self._list.addWidget(self._nothing)
        self._list.addStretch(1)
        layers = QFrame()
        layers.setLayout(self._list)
        head = row(SectionHead("correct.layers"), None, self.add_layer)
        head.setFixedHeight(32)
        self.said.setMaxLength(120)
        self.job = column(row((self.doing, 1), self.left_), 8, self.bar, 8, self.stop, gap=0)
        self._edited = column(Line(), 12, SectionHead("correct.edited"), 8, self.said, 8, self.remove_layer, 12, gap=0)
        self._checked = column(Line(), 12, SectionHead("correct.checks"), 4, self.checks, 8, self.proof, 12, gap=0)
        return Inspector(
            head, (scrolled(layers), 1), 8, self._edited, self._checked, Line(), 12, self.job, self.main, 8, self.next
        )

    def _wire(self) -> None:
        shown, hand, curve, pictures = self.presenter, self.presenter.hand, self.curve, self.pictures
        shown.loaded.connect(self._take_in)
        shown.changed.connect(self._refreshing.start)
        shown.base_changed.connect(self._show_joint)
        shown.edit_changed.connect(self._show_edit)
        shown.view_changed.connect(self._follow_view)
        shown.strip_made.connect(lambda strip: self.timeline.show_pictures(tuple(image(p) for p in strip)))
        shown.stage.progressed.connect(self._show_progress)
        shown.transport.frame_changed.connect(lambda _: self._show_time())
        shown.review_requested.connect(lambda: self.page_requested.emit("review", shown.transport.time))
        self.place.segment_chosen.connect(self._go)
        self.views.segment_chosen.connect(lambda place: shown.set_view(VIEWS[place]))
        self.ghost.toggled.connect(shown.set_ghost)
        self.undo.clicked.connect(hand.undo)
        self.redo.clicked.connect(hand.redo)
        self.joint.clicked.connect(self.choose_joint)
        self.add_knot.clicked.connect(hand.add_knot)
        self.remove_knot.clicked.connect(hand.remove_knot)
        self.add_layer.clicked.connect(hand.add_layer)
        self.remove_layer.clicked.connect(hand.remove_layer)
        self.said.editingFinished.connect(lambda: hand.say(self.said.text()))
        self.main.clicked.connect(shown.main)
        self.stop.clicked.connect(shown.stage.cancel)
        curve.knot_pressed.connect(hand.press_knot)
        curve.edge_pressed.connect(hand.press_edge)
        curve.curve_pressed.connect(hand.press_curve)
        curve.dragged.connect(hand.drag)
        curve.released.connect(hand.release)
        curve.widened.connect(hand.widen)
        curve.scrubbed.connect(self._scrub)
        curve.zoomed.connect(self.timeline.lanes.zoom)
        self.timeline.lanes.view_changed.connect(self._follow_time_view)
        self.timeline.finding_asked.connect(shown.step_finding)
        self.timeline.finding_pressed.connect(shown.go_to_finding)
        pictures.pictures_wanted.connect(self._ask)
        pictures.set_shown.connect(self._settle)
        pictures.failed.connect(self._show_fault)
        pictures.orbited.connect(shown.orbit)
        pictures.zoomed.connect(shown.zoom)

    # Showing

    def _take_in(self) -> None:
        self.timeline.show_data(self.presenter.lanes)
        self.pictures.arrange(self.presenter.arrangement)
        self.pictures.stop()
        self._start()

    def _start(self) -> None:
        data = self.presenter.data
        if data is not None and not self.pictures.is_drawing and self.isVisible():
            self.set_ready(False)
            self._fault = None
            fighter, review = data.review.fighter, data.review
            self.pictures.start(lambda: dressed_fighter(fighter), review.sources(), 1 / review.clock.fps)

    def _show_joint(self) -> None:
        base = self.presenter.base
        self.joint.show_text(self.presenter.joint_name)
        if base is not None:
            self.curve.show_base(base)
            self._follow_time_view()
            self._show_edit()

    def _show_edit(self) -> None:
        edit = self.presenter.edit
        if not self.presenter.hand.is_busy and self.curve.is_held:
            self.curve.let_go()
        if edit is not None:
            self.curve.show_edit(edit)
            self.curve.show_time(self.presenter.transport.time)
        self._ask()

    def _show_time(self) -> None:
        self.curve.show_time(self.presenter.transport.time)
        self._ask()

    def _refresh(self) -> None:
        shown = self.presenter
        self.notice.show_error(shown.error or self._fault)
        self._fill()
        self._show_history()
        self.proof.show_text(shown.proof)
        self.next.show_text(shown.next_line)
        running = shown.is_running
        self.job.setVisible(running)
        self.main.setVisible(not running)
        self.main.say(shown.main_key)
        self.main.change("eye-outline" if shown.main_key == "correct.review" else "layers-outline")
        self._paint_main(EYES if shown.needs_eyes else PRIMARY)
        self.main.setEnabled(shown.can_run or (shown.data is not None and not shown.is_dirty))
        self._show_progress()
        if shown.error is not None:
            self.set_ready(True)

    def _paint_main(self, kind: str) -> None:
        self.main.kind = kind
        self.main.setProperty("violet", kind == EYES)
        self.main.update()

    def _show_history(self) -> None:
        """What can be taken back, in words where there is room; the page's sentence as long as nothing was done."""
        history = self.presenter.editor.history
        self.undo.setEnabled(history.can_undo)
        self.redo.setEnabled(history.can_redo)
        self.redo.setVisible(history.can_redo)
        if history.can_redo:
            self.redo.setToolTip(tr("correct.redo_tip", what=history.redo_text))
        if history.can_undo and self.window().width() >= NARROW:
            self.undo.show_text(history.undo_text)
        else:
            self.undo.say("correct.undo")
        self.undo.setToolTip(tr("correct.undo_tip", what=history.undo_text) if history.can_undo else tr("correct.undo"))
        self.sentence.show_text("" if history.can_undo else tr("correct.sentence"))

    def _show_progress(self) -> None:
        if self.presenter.is_running:
            fraction, doing, left = self.presenter.stage.progress
            self.bar.fill(fraction)
            self.doing.show_text(doing)
            self.left_.show_text(left)

    def _fill(self) -> None:
        shown, hand = self.presenter, self.presenter.hand
        lines = shown.lines
        while len(self._rows) < len(lines):
            self._add_row(len(self._rows))
        while len(self._rows) > len(lines):
            gone = self._rows.pop()
            self._list.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for line, made in zip(lines, self._rows, strict=True):
            made.show_layer(line.title, line.detail, line.amount, line.on)
            made.light(line.name == hand.layer_name)
        self._name_free()
        layer = hand.layer
        self._checked.setVisible(bool(lines))
        self._nothing.setVisible(not lines)
        self._edited.setVisible(layer is not None)
        self.add_layer.setEnabled(shown.data is not None)
        self.remove_knot.setEnabled(layer is not None and 0 <= hand.knot < len(layer.knots))
        self.add_knot.setEnabled(shown.data is not None)
        if layer is not None and not self.said.hasFocus():
            self.said.setText(layer.words)
        self.said.setPlaceholderText(tr("correct.say"))
        self.checks.show_pairs(tuple((check.name, check.value) for check in shown.checks))

    def _add_row(self, place: int) -> None:
        made = LayerRow()
        made.pressed.connect(lambda: self._press_row(place))
        made.turned.connect(lambda: self.presenter.hand.toggle_layer(self.presenter.lines[place].name))
        self._rows.append(made)
        self._list.insertWidget(place, made)

    def _press_row(self, place: int) -> None:
        self.presenter.hand.choose_layer(self.presenter.lines[place].name)

    def _follow_view(self) -> None:
        shown = self.presenter
        self.views.choose(VIEWS.index(shown.view))
        if self.ghost.isChecked() != shown.ghost:
            self.ghost.setChecked(shown.ghost)
        self._name_free()
        if set(shown.arrangement.places) != set(self.pictures.panes):
            self.pictures.arrange(shown.arrangement)
        else:
            self._ask()

    def _name_free(self) -> None:
        """What the free view shows: the fighter as he was, or corrected, with what the ghost behind him is."""
        bent, ghost = bool(self.presenter.hand.layers), self.presenter.ghost
        self.pictures.name_free("panes.free" if not bent else "correct.free_ghost" if ghost else "correct.free")

    def _follow_time_view(self) -> None:
        axis = self.timeline.lanes.axis
        self.curve.show_view(axis.first_s, axis.last_s)

    # Doing

    def _scrub(self, time_s: float) -> None:
        self.presenter.transport.pause()
        self.presenter.transport.seek_time(time_s)

    def _go(self, place: int) -> None:
        if place == REVIEW:
            self.place.choose(CORRECT)
            self.presenter.review_requested.emit()

    def choose_joint(self) -> None:
        """Offer the joints below their button."""
        self.joint_menu().popup(self.joint.mapToGlobal(self.joint.rect().bottomLeft()))

    def joint_menu(self) -> QMenu:
        """The joints by part of the body, the chosen one ticked."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chosen = self.presenter.hand.joint
        for part, joints in self.presenter.groups:
            below = menu.addMenu(part)
            for joint, name in joints:
                action = below.addAction(name, lambda joint=joint: self.presenter.hand.choose_joint(joint))
                action.setCheckable(True)
                action.setChecked(joint == chosen)
        return menu

    # Drawing

    def _ask(self) -> None:
        ground = theme.token("bg0")
        back = (ground.red(), ground.green(), ground.blue())
        self.pictures.ask(self.presenter.wish(self.pictures.wanted(), back, theme.THEME.name == "light"))

    def _show_fault(self, error: StudioError) -> None:
        """A picture cannot be drawn."""
        self._fault = error
        self.notice.show_error(error)
        self.set_ready(True)

    def _settle(self, drawn: FrameSet) -> None:
        self.set_ready(set(drawn.images) == set(self.pictures.wanted()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_history()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_language_change(event):
            self.pictures.speak()
            self._show_joint()
            self._refresh()
