"""The layers of the chosen technique under the coach's hand: gestures, undo and redo, on disk when a gesture ends."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from studio.app.session import Session
from studio.app.tasks import Tasks
from studio.app.undo import History
from studio.domain.body.hinges import hinge_names
from studio.domain.layers import edit
from studio.domain.layers.rules import checked
from studio.schema.errors import StudioError
from studio.schema.layers import Layer, Layers


class LayerEditor(QObject):
    """Every change is a gesture: :meth:`begin`, any number of changes, :meth:`commit` or :meth:`abort`. A change
    outside of one is a gesture by itself. Only a commit, an undo or a redo touches the disk, in a thread of its own and
    in their order; what was committed is there within a second.

    ``layers_changed``: what is to be shown is another, also while a gesture lasts. ``saved``: the layers of a technique
    are on disk. Errors go to the session's ``failed``.
    """

    layers_changed = Signal()
    saved = Signal(str)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.history = History(self)
        self._session = session
        self._writer = Tasks(self)
        self._kept: dict[str, Layers] = {}
        self._technique = self._asked = ""
        self._shown = Layers()
        self._gesture: tuple[str, str] | None = None
        session.project_opened.connect(self._forget)
        session.technique_chosen.connect(lambda _: self._load())
        session.states_changed.connect(self._load)
        session.closing.connect(self._writer.wait)
        if session.is_open:
            self._load()

    @property
    def technique(self) -> str:
        """Whose layers they are; empty until they were read."""
        return self._technique

    @property
    def layers(self) -> Layers:
        """As they are to be shown, with the gesture that is under way."""
        return self._shown

    @property
    def is_dragging(self) -> bool:
        """Whether a gesture is under way."""
        return self._gesture is not None

    @property
    def idle(self) -> bool:
        """Whether everything that was committed is on disk."""
        return self._writer.idle

    def layer(self, name: str) -> Layer:
        """One of them. Raises ``KeyError``."""
        return edit.find(self._shown, name)

    def begin(self, what: str = "change", name: str = "") -> None:
        """Start a gesture. ``what``: its words, a key below ``layers.undo``; ``name``: of the layer. One that is still
        under way is committed first."""
        self.commit()
        if self._technique:
            self._gesture = (what, name)

    def drag(self, layers: Layers) -> None:
        """Show ``layers``; nothing is written before :meth:`commit`. Ignored outside of a gesture."""
        if self._gesture is not None and layers != self._shown:
            self._shown = layers
            self.layers_changed.emit()

    def commit(self) -> None:
        """End the gesture: one step that can be undone, and on disk. A gesture that changed nothing leaves no step."""
        gesture, self._gesture = self._gesture, None
        technique, after = self._technique, self._shown
        before = self._kept.get(technique, Layers())
        if gesture is None or after == before:
            return
        try:
            checked(after, hinge_names())
        except StudioError as error:
            self._show(before)
            self._session.failed.emit(error)
            return
        self.history.do(
            f"layers.undo.{gesture[0]}",
            {"name": gesture[1]},
            lambda: self._keep(technique, before),
            lambda: self._keep(technique, after),
        )

    def abort(self) -> None:
        """End the gesture as if it had not begun."""
        if self._gesture is not None:
            self._gesture = None
            self._show(self._kept.get(self._technique, Layers()))

    def undo(self) -> None:
        """Take the last step back; of a gesture under way, the gesture."""
        if self._gesture is not None:
            self.abort()
        else:
            self.history.undo()

    def redo(self) -> None:
        """Take the step that was taken back once more; not within a gesture."""
        if self._gesture is None:
            self.history.redo()

    def add(self, layer: Layer) -> str:
        """Add a layer, its name with a number behind it where another has it; returns the name."""
        name = edit.free_name(self._shown, layer.name)
        self._change("add", name, Layers((*self._shown.layers, replace(layer, name=name))))
        return name

    def remove(self, name: str) -> None:
        self._change("remove", name, Layers(tuple(one for one in self._shown.layers if one.name != name)))

    def rename(self, name: str, new: str) -> str:
        """Give a layer another name, with a number behind it where another has it; returns the name."""
        others = Layers(tuple(one for one in self._shown.layers if one.name != name))
        new = edit.free_name(others, new)
        self._edit("rename", name, lambda layer: replace(layer, name=new))
        return new

    def say(self, name: str, words: str) -> None:
        """Keep what the coach said of a layer."""
        self._edit("words", name, lambda layer: replace(layer, words=words))

    def turn(self, name: str, on: bool) -> None:
        """Let a layer act or not."""
        self._edit("on" if on else "off", name, lambda layer: replace(layer, on=on))

    def move_knot(self, name: str, index: int, time_s: float, value: float) -> None:
        """Move a knot to ``time_s`` (s) and ``value`` (rad), as far as its neighbours allow."""
        self._edit("knot", name, lambda layer: edit.move_knot(layer, index, time_s, value))

    def add_knot(self, name: str, time_s: float, value: float) -> None:
        self._edit("add_knot", name, lambda layer: edit.add_knot(layer, time_s, value))

    def remove_knot(self, name: str, index: int) -> None:
        self._edit("remove_knot", name, lambda layer: edit.remove_knot(layer, index))

    def set_window(self, name: str, start_s: float, end_s: float) -> None:
        """Change when a layer acts (s), never past its knots."""
        self._edit("window", name, lambda layer: edit.set_window(layer, start_s, end_s))

    def shift(self, name: str, by_s: float) -> None:
        """Move a whole layer in time."""
        self._edit("window", name, lambda layer: edit.shift(layer, by_s))

    def _edit(self, what: str, name: str, change: edit.Change) -> None:
        self._change(what, name, edit.changed(self._shown, name, change))

    def _change(self, what: str, name: str, layers: Layers) -> None:
        if self._gesture is not None:
            self.drag(layers)
            return
        self.begin(what, name)
        self.drag(layers)
        self.commit()

    def _keep(self, technique: str, layers: Layers) -> None:
        """What a step does: remember, show, write."""
        self._kept[technique] = layers
        if technique == self._technique:
            self._show(layers)
        project = self._session.project
        self._writer.ask(
            lambda: project.write_layers(technique, layers),
            lambda _: self._written(technique),
            self._session.failed.emit,
        )

    def _written(self, technique: str) -> None:
        self.saved.emit(technique)
        self._session.refresh()

    def _show(self, layers: Layers) -> None:
        if layers != self._shown:
            self._shown = layers
            self.layers_changed.emit()

    def _forget(self) -> None:
        """Another project was opened."""
        self._gesture, self._technique, self._asked, self._kept = None, "", "", {}
        self.history.clear()
        self._show(Layers())

    def _load(self) -> None:
        """Turn to the session's technique. What was read once is known better here than on disk."""
        wanted = self._session.technique
        if wanted == self._asked or not self._session.is_open:
            return
        self.abort()
        self._technique, self._asked = "", wanted
        if not wanted:
            self._show(Layers())
        elif wanted in self._kept:
            self._turn_to(wanted)
        else:
            project = self._session.project
            self._session.ask(lambda _: project.layers(wanted), lambda layers: self._loaded(wanted, layers))

    def _loaded(self, technique: str, layers: Layers) -> None:
        self._kept.setdefault(technique, layers)
        if technique == self._session.technique:
            self._turn_to(technique)

    def _turn_to(self, technique: str) -> None:
        self._technique = technique
        self.history.choose(technique)
        self._shown = self._kept[technique]
        self.layers_changed.emit()
