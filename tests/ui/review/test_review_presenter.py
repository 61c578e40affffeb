"""The review without a window."""

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.app.actions import in_scope
from studio.app.text import LANGUAGE
from studio.schema.errors import StudioError
from studio.ui.panes.frame_set import Pane
from studio.ui.presenters import review as module
from studio.ui.presenters.review import ReviewPresenter

PANES = (Pane("video", "a", 10, 10), Pane("fighter", "a", 10, 10))


def test_findings_are_listed_by_time(presenter: ReviewPresenter):
    assert [s.when for s in presenter.suspects] == ["0.07 – 0.10 s", "0.33 – 0.47 s", "0.67 – 0.70 s"]
    assert [s.repaired for s in presenter.suspects] == [False, False, True]
    assert presenter.open_count == 2
    assert "24 mm" in presenter.suspects[1].how_much and "20 mm" in presenter.suspects[1].how_much


def test_choosing_a_finding_goes_there(presenter: ReviewPresenter, qtbot: QtBot):
    presenter.transport.toggle()
    with qtbot.waitSignal(presenter.finding_chosen) as caught:
        presenter.choose(1)
    assert caught.args == [1] and presenter.transport.frame == 10 and not presenter.transport.playing
    presenter.choose(99)
    assert presenter.chosen == 1


def test_comma_and_period_walk_the_findings(presenter: ReviewPresenter):
    walk = presenter.commands
    frames = []
    for key in ("next_finding",) * 4 + ("previous_finding",) * 3:
        walk[key]()
        frames.append(presenter.transport.frame)
    assert frames == [2, 10, 20, 20, 10, 2, 2]
    presenter.transport.seek(15)
    walk["previous_finding"]()
    assert presenter.transport.frame == 10
    presenter.transport.seek(15)
    walk["next_finding"]()
    assert presenter.transport.frame == 20


def test_the_note_says_what_is_wrong_here(presenter: ReviewPresenter):
    assert "24 mm" in presenter.note(12)
    assert presenter.note(17) == "" and presenter.note(20) == "", "nothing, and something repaired"


def test_a_wish_is_one_moment(presenter: ReviewPresenter):
    presenter.transport.seek(7)
    wish = presenter.wish(PANES, (1, 2, 3), True)
    assert wish is not None and presenter.data is not None
    motion = presenter.data.retarget
    assert wish.frame == 7 and wish.time_s == presenter.data.clock.time(7)
    assert np.array_equal(wish.qpos, motion.qpos[7]) and wish.ghost is None
    presenter.commands["ghost"]()
    wish = presenter.wish(PANES, (1, 2, 3), True)
    assert wish is not None and np.array_equal(wish.ghost, motion.copied[7])
    presenter.transport.step(-1)
    assert presenter.wish(PANES, (0, 0, 0), False).direction == -1


def test_views_have_their_panes(presenter: ReviewPresenter, qtbot: QtBot):
    assert presenter.rows == ((("video", "a"), ("fighter", "a")), (("video", "b"), ("fighter", "b")))
    with qtbot.waitSignal(presenter.view_changed):
        presenter.commands["view_b"]()
    assert presenter.rows == ((("video", "b"), ("fighter", "b")),)
    presenter.commands["view_free"]()
    assert presenter.rows == ((("fighter", "free"),),)
    with pytest.raises(ValueError, match="no view"):
        presenter.set_view("top")


def test_the_free_camera_turns_within_bounds(presenter: ReviewPresenter):
    before = presenter.free
    presenter.orbit(20, 5)
    assert presenter.free.azimuth == (before.azimuth - 20) % 360 and presenter.free.elevation == before.elevation - 5
    presenter.orbit(0, 500)
    assert presenter.free.elevation == -85
    presenter.orbit(0, -500)
    assert presenter.free.elevation == 30
    for _ in range(50):
        presenter.zoom(0.5)
    assert presenter.free.distance == 1.2


def test_figures_have_names_and_units(presenter: ReviewPresenter):
    shown = {figure.name: figure.value for figure in presenter.figures}
    assert shown["Leg length, fighter : you"] == "1.13 ×"
    assert shown["Moved to lock the feet"] == "150 mm"
    assert all(value for value in shown.values())


@pytest.mark.parametrize("code", ["en", "ja"])
def test_every_word_is_there(presenter: ReviewPresenter, session, caplog, code: str):
    LANGUAGE.choose(code)
    for state in ("needs_eyes", "automatic", "approved", "stale", "locked", "ready"):
        session.state = state
        assert presenter.verdict
    assert presenter.figures and presenter.suspects
    assert not caplog.records, "a missing word is logged"


def test_only_what_waits_can_be_approved(presenter: ReviewPresenter, session):
    for state, can in (
        ("stale", False),
        ("ready", False),
        ("approved", False),
        ("automatic", True),
        ("needs_eyes", True),
    ):
        session.state = state
        assert presenter.can_approve is can
    presenter.commands["main"]()
    assert session.approved == [5] and not presenter.can_approve
    presenter.approve()
    assert session.approved == [5]


def test_nothing_can_be_approved_unseen(session):
    empty = ReviewPresenter(session)
    empty.approve()
    assert session.approved == [] and empty.wish(PANES, (0, 0, 0), False) is None and empty.suspects == ()


def test_every_key_of_the_page_is_answered(presenter: ReviewPresenter):
    later = {"mark", "next_mark", "copy_me", "his_body"}
    own = {action.id for action in in_scope("time", "look", "review")} - later - {"blink", "correct"}
    assert own <= presenter.commands.keys()
    for action_id in sorted(own):
        presenter.commands[action_id]()
    presenter.transport.pause()


def test_a_new_revision_is_read_and_the_moment_stays(presenter: ReviewPresenter, session, data, monkeypatch):
    read = []
    session.project = None
    monkeypatch.setattr(module, "load_review", lambda project, technique: read.append(technique) or data)
    presenter.load()
    presenter.transport.seek(11)
    session.states_changed.emit()
    assert read == ["kick"], "the same revision is not read again"
    session.revision = 2
    session.states_changed.emit()
    assert read == ["kick", "kick"] and presenter.transport.frame == 11


def test_what_cannot_be_read_is_told(session, monkeypatch):
    def refuse(project, technique):
        raise StudioError("The take cannot be shown", "a.mp4 is missing", "Copy it back")

    session.project = None
    monkeypatch.setattr(module, "load_review", refuse)
    presenter = ReviewPresenter(session)
    presenter.load()
    assert presenter.error is not None and presenter.error.why == "a.mp4 is missing"
    assert presenter.data is None


def test_the_strip_covers_the_take(session, data, qtbot: QtBot):
    presenter = ReviewPresenter(session)
    with qtbot.waitSignal(presenter.strip_made) as caught:
        presenter.use(data)
    strip = caught.args[0]
    assert len(strip) == 40 and all(picture.shape[0] == 60 for picture in strip)
    means = [picture.mean() for picture in strip]
    assert means == sorted(means) and means[-1] > means[0] + 100
