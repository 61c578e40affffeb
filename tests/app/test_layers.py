"""The coach's layers under his hand: gestures, undo and redo, what is on disk and when."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from studio.app.layers import LayerEditor
from studio.app.session import Session
from studio.app.text import LANGUAGE
from studio.schema.errors import StudioError
from studio.schema.layers import Knot, Layer, Layers
from studio.store import atomic
from studio.store.project import Project

KNEE = Layer("higher", "knee_r", 0.2, 0.6, (Knot(0.4, 0.1),))


@pytest.fixture
def session(gym, qtbot):
    made = Session()
    with qtbot.waitSignal(made.states_changed, timeout=20_000):
        made.open(gym)
    yield made
    made.close()


@pytest.fixture
def editor(session, qtbot):
    made = LayerEditor(session)
    qtbot.waitUntil(lambda: made.technique == "right-knee", timeout=5000)
    return made


def on_disk(session, editor, qtbot) -> bytes:
    qtbot.waitUntil(lambda: editor.idle, timeout=5000)
    path = session.project.layout.layers_toml("right-knee")
    return path.read_bytes() if path.exists() else b""


def test_a_gesture_is_one_step_and_touches_the_disk_once(session, editor, qtbot, monkeypatch):
    written, write = [], Project.write_layers
    monkeypatch.setattr(
        Project, "write_layers", lambda self, name, layers: (written.append(layers), write(self, name, layers))
    )
    editor.add(KNEE)
    editor.begin("knot", "higher")
    for k in range(50):
        editor.move_knot("higher", 0, 0.4 + k * 1e-3, 0.01 * k)
        assert editor.is_dragging and editor.layer("higher").knots[0].value == pytest.approx(0.01 * k)
    assert len(written) <= 1
    editor.commit()
    on_disk(session, editor, qtbot)
    assert len(written) == 2 and session.project.layers("right-knee") == editor.layers == written[1]
    editor.undo()
    assert editor.layers == Layers((KNEE,)), "the whole gesture at once"
    assert editor.history.can_undo and editor.history.can_redo


def test_undone_and_redone_the_file_has_the_same_bytes(session, editor, qtbot):
    states = [on_disk(session, editor, qtbot)]
    for change in (
        lambda: editor.add(KNEE),
        lambda: editor.move_knot("higher", 0, 0.41, -0.2),
        lambda: editor.add_knot("higher", 0.5, 0.15),
        lambda: editor.set_window("higher", 0.1, 0.7),
        lambda: editor.shift("higher", 0.05),
        lambda: editor.rename("higher", "knee, higher"),
        lambda: editor.say("knee, higher", "ひざをもっと高く"),
        lambda: editor.turn("knee, higher", False),
        lambda: editor.add(replace(KNEE, joint="elbow_l")),
        lambda: editor.remove_knot("knee, higher", 0),
        lambda: editor.remove("knee, higher"),
    ):
        change()
        states.append(on_disk(session, editor, qtbot))
    assert len(set(states)) == len(states) and states[0] == b""
    for wanted in reversed(states[:-1]):
        editor.undo()
        assert on_disk(session, editor, qtbot) == wanted
    assert not editor.history.can_undo and not session.project.layout.layers_toml("right-knee").exists()
    for wanted in states[1:]:
        editor.redo()
        assert on_disk(session, editor, qtbot) == wanted


def test_an_aborted_or_empty_gesture_leaves_nothing(session, editor, qtbot):
    editor.add(KNEE)
    before = on_disk(session, editor, qtbot)
    editor.begin("knot", "higher")
    editor.move_knot("higher", 0, 0.3, 1.0)
    editor.abort()
    editor.begin("knot", "higher")
    editor.commit()
    editor.turn("higher", True)
    assert editor.layers == Layers((KNEE,)) and on_disk(session, editor, qtbot) == before
    editor.undo()
    assert editor.layers == Layers() and not editor.history.can_undo
    editor.redo()
    editor.begin("knot", "higher")
    editor.move_knot("higher", 0, 0.3, 1.0)
    editor.undo()
    assert editor.layers == Layers((KNEE,)), "undo within a gesture takes the gesture back"


def test_steps_are_told_in_the_language_of_the_window(editor):
    name = editor.add(KNEE)
    assert editor.add(KNEE) == "higher 2"
    editor.turn(name, False)
    assert editor.history.undo_text == "Turn higher off" and editor.history.redo_text == ""
    editor.undo()
    LANGUAGE.choose("ja")
    try:
        assert (editor.history.undo_text, editor.history.redo_text) == ("higher 2 を追加", "higher をオフ")
    finally:
        LANGUAGE.choose("en")


def test_what_was_committed_is_on_disk_when_the_window_closes(session, editor, gym):
    for k in range(20):
        editor.add(replace(KNEE, name=f"layer {k}"))
    session.close()
    assert len(Project.open(gym).layers("right-knee").layers) == 20


def test_a_file_that_cannot_be_used_is_said_and_left_alone(session, qtbot):
    path = session.project.layout.layers_toml("right-knee")
    atomic.write_bytes(path, b"schema_version = 1\nlayers = [3]\n")
    with qtbot.waitSignal(session.failed, timeout=5000) as said:
        editor = LayerEditor(session)
    assert isinstance(said.args[0], StudioError)
    editor.add(KNEE)
    assert editor.layers == Layers() and path.read_bytes() == b"schema_version = 1\nlayers = [3]\n"


def test_a_full_disk_is_said_and_the_next_gesture_writes_all(session, editor, qtbot, monkeypatch):
    def full(self, technique, layers):
        raise StudioError("layers.toml could not be written", "the disk is full", "Free some space")

    with monkeypatch.context() as patch, qtbot.waitSignal(session.failed, timeout=5000):
        patch.setattr(Project, "write_layers", full)
        editor.add(KNEE)
    editor.add(KNEE)
    on_disk(session, editor, qtbot)
    assert len(session.project.layers("right-knee").layers) == 2


def test_another_project_begins_without_steps_and_the_first_keeps_its_layers(session, editor, gym, tmp_path, qtbot):
    second = shutil.copytree(gym, tmp_path / "second", ignore=shutil.ignore_patterns(".studio"))
    editor.add(KNEE)
    session.open(second)
    assert editor.layers == Layers() and not editor.history.can_undo
    qtbot.waitUntil(lambda: editor.technique == "right-knee", timeout=5000)
    assert editor.layers == Layers()
    editor.add(replace(KNEE, name="second"))
    on_disk(session, editor, qtbot)
    assert Project.open(gym).layers("right-knee") == Layers((KNEE,))
    assert Project.open(second).layers("right-knee") == Layers((replace(KNEE, name="second"),))
    editor.undo()
    assert on_disk(session, editor, qtbot) == b"" and not editor.history.can_undo


def test_a_changed_layer_shows_stage_5_as_stale_and_undone_as_it_was(session, editor, qtbot):
    before = session.stage(5).state
    editor.add(KNEE)
    qtbot.waitUntil(lambda: session.stage(5).state == "stale", timeout=20_000)
    editor.undo()
    qtbot.waitUntil(lambda: session.stage(5).state == before == "approved", timeout=20_000)
