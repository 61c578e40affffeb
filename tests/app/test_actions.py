"""The table of actions: complete in words, and no key means two things at once."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtGui import QKeySequence

from studio.app import text
from studio.app.actions import ACTIONS, SCOPES, in_scope, shown, tooltip
from studio.app.settings import Settings, load, save

TOGETHER = (
    ("window", "time", "look", "review"), ("window", "time", "look", "correct"), ("window", "time", "teacher"),
    ("window", "time", "gate"), ("window", "time", "student"), ("window", "home"),
)  # fmt: skip


@pytest.mark.parametrize("action", ACTIONS.values(), ids=lambda action: action.id)
def test_every_action_has_key_text_and_tooltip_in_both_languages(action):
    assert action.scope in SCOPES
    assert action.keys
    for sequence in action.keys:
        assert QKeySequence(sequence).toString() == sequence
    for code in text.LANGUAGES:
        assert text.words(code)[action.text_key]
        assert len(text.words(code)[action.tip_key]) > 5


def test_no_key_means_two_things_where_they_are_both_in_reach():
    for scopes in TOGETHER:
        for one, other in combinations(in_scope(*scopes), 2):
            assert not set(one.keys) & set(other.keys), (one.id, other.id)


def test_keys_read_as_they_are_printed():
    assert shown("Ctrl+Return") == "Ctrl ↵"
    assert ACTIONS["next_frame"].key == "→"
    assert tooltip("play") == "Play and pause  [Space]"


def test_settings_come_back(tmp_path):
    path = tmp_path / "deep" / "settings.json"
    save(Settings(theme="light", language="ja", last_project="/x"), path)
    assert load(path) == Settings(theme="light", language="ja", last_project="/x")
    assert [p.name for p in path.parent.iterdir()] == ["settings.json"]


@pytest.mark.parametrize("broken", ["", "[]", "{", '{"theme": "pink", "language": 3}'])
def test_settings_that_cannot_be_used_give_the_defaults(tmp_path, broken):
    path = tmp_path / "settings.json"
    path.write_text(broken)
    assert load(path) == Settings()
