"""Everything a person can ask for, as one table: it feeds menus, palette, tooltips, the key sheet and the tests.

The words of action ``x`` are the texts ``action.x.name`` and ``action.x.tip``.
"""

from __future__ import annotations

from dataclasses import dataclass

from studio.app.text import tr


@dataclass(frozen=True)
class Action:
    """``keys``: key sequences in Qt's portable form, the first is the one that is shown. ``scope``: "window" is
    everywhere; "time" is every page with a timeline, "look" the two pages of stage 5; others are the pages "review",
    "correct", "teacher", "gate", "student", "home".
    ``hold``: done while the key is down."""

    id: str
    keys: tuple[str, ...]
    icon: str
    scope: str
    hold: bool = False

    @property
    def text_key(self) -> str:
        return f"action.{self.id}.name"

    @property
    def tip_key(self) -> str:
        return f"action.{self.id}.tip"

    @property
    def text(self) -> str:
        return tr(self.text_key)

    @property
    def tip(self) -> str:
        return tr(self.tip_key)

    @property
    def key(self) -> str:
        """The first key as it stands on a button: "Ctrl ↵", "Space", "["."""
        return shown(self.keys[0]) if self.keys else ""


SCOPES = ("window", "time", "look", "review", "correct", "teacher", "gate", "student", "home")

_TABLE = (
    Action("main", ("Ctrl+Return", "Ctrl+Enter"), "eye-check-outline", "window"),
    Action("palette", ("Ctrl+K",), "magnify", "window"),
    Action("keys", ("F1",), "keyboard-outline", "window"),
    Action("home", ("Alt+Home",), "home-outline", "window"),
    Action("stage_1", ("Alt+1",), "cellphone", "window"),
    Action("stage_2", ("Alt+2",), "target", "window"),
    Action("stage_3", ("Alt+3",), "link-variant", "window"),
    Action("stage_4", ("Alt+4",), "gesture", "window"),
    Action("stage_5", ("Alt+5",), "karate", "window"),
    Action("stage_6", ("Alt+6",), "layers-outline", "window"),
    Action("stage_7", ("Alt+7",), "brain", "window"),
    Action("stage_8", ("Alt+8",), "table-check", "window"),
    Action("stage_9", ("Alt+9",), "school-outline", "window"),
    Action("machines", ("Alt+0",), "server", "window"),
    Action("run", ("Ctrl+R",), "play", "window"),
    Action("stop", ("Ctrl+.",), "stop", "window"),
    Action("theme", ("Ctrl+Shift+L",), "eye-outline", "window"),
    Action("language", ("Ctrl+Shift+J",), "comment-text-outline", "window"),
    Action("open", ("Ctrl+O",), "folder-plus-outline", "window"),
    Action("quit", ("Ctrl+Q",), "close", "window"),
    Action("card_1", ("1",), "eye-outline", "home"),
    Action("card_2", ("2",), "eye-outline", "home"),
    Action("card_3", ("3",), "eye-outline", "home"),
    Action("play", ("Space",), "play", "time"),
    Action("back", ("J",), "step-backward", "time"),
    Action("pause", ("K",), "pause", "time"),
    Action("forward", ("L",), "step-forward", "time"),
    Action("previous_frame", ("Left",), "step-backward", "time"),
    Action("next_frame", ("Right",), "step-forward", "time"),
    Action("ten_back", ("Shift+Left",), "step-backward", "time"),
    Action("ten_forward", ("Shift+Right",), "step-forward", "time"),
    Action("first_frame", ("Home",), "skip-previous", "time"),
    Action("last_frame", ("End",), "skip-next", "time"),
    Action("slower", ("[",), "play-speed", "time"),
    Action("faster", ("]",), "play-speed", "time"),
    Action("loop_in", ("I",), "repeat", "time"),
    Action("loop_out", ("O",), "repeat", "time"),
    Action("loop", ("/",), "repeat", "time"),
    Action("previous_finding", (",",), "triangle-outline", "time"),
    Action("next_finding", (".",), "triangle", "time"),
    Action("view_a", ("1",), "cellphone", "look"),
    Action("view_b", ("2",), "cellphone", "look"),
    Action("view_both", ("3",), "swap-horizontal", "review"),
    Action("view_free", ("4",), "karate", "look"),
    Action("ghost", ("G",), "ghost-outline", "look"),
    Action("blink", ("T",), "swap-horizontal", "review", hold=True),
    Action("correct", ("E",), "vector-curve", "review"),
    Action("review", ("R",), "eye-outline", "correct"),
    Action("undo", ("Ctrl+Z",), "undo", "correct"),
    Action("redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "redo", "correct"),
    Action("give_up", ("Esc",), "close", "correct"),
    Action("joints", ("Ctrl+J",), "vector-curve", "correct"),
    Action("add_knot", ("A",), "plus", "correct"),
    Action("remove_knot", ("Del", "Backspace"), "close", "correct"),
    Action("previous_knot", ("Ctrl+Left",), "skip-previous", "correct"),
    Action("next_knot", ("Ctrl+Right",), "skip-next", "correct"),
    Action("knot_up", ("Up",), "arrow-up", "correct"),
    Action("knot_down", ("Down",), "arrow-down", "correct"),
    Action("knot_earlier", ("Alt+Left",), "step-backward", "correct"),
    Action("knot_later", ("Alt+Right",), "step-forward", "correct"),
    Action("wider", ("Ctrl+Up",), "chart-bell-curve", "correct"),
    Action("narrower", ("Ctrl+Down",), "chart-bell-curve", "correct"),
    Action("add_layer", ("Ctrl+L",), "layers-plus", "correct"),
    Action("remove_layer", ("Ctrl+Del",), "close", "correct"),
    Action("layer_on", ("H",), "eye-outline", "correct"),
    Action("previous_layer", ("PgUp",), "arrow-up", "correct"),
    Action("next_layer", ("PgDown",), "arrow-down", "correct"),
    Action("previous_clip", ("Ctrl+Left",), "skip-previous", "teacher"),
    Action("next_clip", ("Ctrl+Right",), "skip-next", "teacher"),
    Action("cell_left", ("Ctrl+Left",), "skip-previous", "gate"),
    Action("cell_right", ("Ctrl+Right",), "skip-next", "gate"),
    Action("cell_up", ("Ctrl+Up",), "arrow-up", "gate"),
    Action("cell_down", ("Ctrl+Down",), "arrow-down", "gate"),
    Action("wrong", ("M",), "comment-text-outline", "gate"),
    Action("try_left", ("Ctrl+Left",), "skip-previous", "student"),
    Action("try_right", ("Ctrl+Right",), "skip-next", "student"),
    Action("row_up", ("Ctrl+Up",), "arrow-up", "student"),
    Action("row_down", ("Ctrl+Down",), "arrow-down", "student"),
    Action("not_good", ("M",), "comment-text-outline", "student"),
)

ACTIONS: dict[str, Action] = {action.id: action for action in _TABLE}

_SIGNS = {"Return": "↵", "Enter": "↵", "Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}


def shown(sequence: str) -> str:
    """A portable key sequence as it is printed: "Ctrl+Return" is "Ctrl ↵"."""
    return " ".join(_SIGNS.get(part, part) for part in sequence.split("+"))


def in_scope(*scopes: str) -> tuple[Action, ...]:
    """The actions of these scopes, in the order of the table."""
    return tuple(action for action in _TABLE if action.scope in scopes)


def tooltip(action_id: str) -> str:
    """What a button's tooltip says: the sentence, then the key."""
    action = ACTIONS[action_id]
    return f"{action.tip}  [{action.key}]" if action.key else action.tip
