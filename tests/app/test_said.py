"""Clauses of stages, store and jobs are said in the language of the window; the list and the code go together."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from studio.app.said import STAGES, is_known, said, sentence
from studio.app.text import LANGUAGE, words
from studio.store.catalog import CATALOG

ROOT = Path(__file__).resolve().parents[2] / "studio"
SPOKEN = (
    "stages",
    "jobs",
    "app",
    "domain/video",
    "domain/cameras",
    "domain/pose",
    "domain/space",
    "domain/sync",
    "domain/layers",
    "store",
)
ELSEWHERE = {"samples.py"}
"""Copying a sample is a thing of the command line."""
KANA = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def plain():
    LANGUAGE.choose("en")
    yield
    LANGUAGE.choose("en")


def calls(*folders: str) -> list[ast.Call]:
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py") if path.name not in ELSEWHERE]
    return [n for path in paths for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]


def name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def clause(node: ast.expr) -> str | None:
    """A text as it may be said, "7" for what it is filled with; None where it is no text of the code."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
    return None


def clauses(found: list[ast.Call], places: slice) -> set[str]:
    texts = {clause(node) for call in found for node in call.args[places]}
    return {text for text in texts if text and text != "7"}


def test_every_progress_text_of_a_stage_is_known():
    steps = [c for c in calls("stages", "domain/pose") if name(c) in ("progress", "part", "on_progress")]
    texts = {text for text in clauses(steps, slice(0, 3)) if re.search("[a-z]{3}", text)}
    assert len(texts) >= 12 and "Locking the feet" in texts
    assert {text for text in texts if not is_known(text)} == set()


def test_every_error_a_person_meets_in_the_window_is_known():
    texts = clauses([c for c in calls(*SPOKEN) if name(c) == "StudioError"], slice(0, 3))
    assert len(texts) > 120
    assert {text for text in texts if not is_known(text)} == set()


def test_every_reason_of_a_state_is_known():
    answers = [c for c in calls("store") if name(c) in ("_answer", "_obstacle")]
    tree = [ast.parse((ROOT / "store" / file).read_text()) for file in ("states.py", "fingerprint.py", "catalog.py")]
    texts = {clause(node.value) for t in tree for node in ast.walk(t) if isinstance(node, ast.Return) and node.value}
    spoken = {text for text in texts if text and " " in text and text != "7"}
    assert answers and "there is nothing to build on yet" in spoken
    assert {text for text in spoken if not is_known(text)} == set()


def test_the_titles_of_the_stages_are_those_of_the_catalog():
    assert {entry.title: entry.number for entry in CATALOG} == STAGES


def test_every_clause_says_another_thing_in_japanese():
    japanese = words("ja")
    known = [key for key in words("en") if key.startswith("said.") and key.count(".") == 2]
    assert len(known) > 150
    assert all(KANA.search(japanese[key]) for key in known)


@pytest.mark.parametrize(
    ("spoken", "japanese"),
    [
        ("Phone a: frame 40 of 100", "スマホ A：100 フレーム中 40"),
        ("stage 6 (Variants) of kick waits for your eyes", "kick の段階 6（バリエーション）が確認を待っています"),
        ("b.mp4 changed", "b.mp4が変わりました"),
        ("body and technique.toml changed", "骨格とtechnique.tomlが変わりました"),
        (
            "the approval of 2026-10-23 was taken back: body changed since",
            "2026-10-23 の承認は無効になりました。その後骨格が変わりました",
        ),
        ("does not pass (hit, fall)", "不合格の行：サンドバッグに当たる、転倒"),
        ("Starting on this computer", "このコンピュータで開始しています"),
        ("a.mp4 is missing: it should be in /gym", "a.mp4 がありません：/gym にあるはずです"),
    ],
)  # fmt: skip
def test_clauses_are_said_with_what_they_are_filled_with(spoken, japanese):
    LANGUAGE.choose("ja")
    assert said(spoken) == japanese


def test_english_stays_but_rows_get_their_names():
    assert said("b.mp4 changed") == "b.mp4 changed"
    assert said("stage 6 (Variants) of kick is stale") == "stage 6 (Variants) of kick is stale"
    assert said("does not pass (lifted_again)") == "does not pass (Foot lifts again)"


def test_the_coachs_own_words_are_left_alone():
    LANGUAGE.choose("ja")
    assert said("leans back: after the knee") == "leans back: after the knee"
    assert not is_known("leans back after the knee")


def test_a_sentence_begins_and_ends_like_one():
    assert sentence("it has not run") == "It has not run."
    assert sentence("a.mp4 is missing") == "a.mp4 is missing."
    LANGUAGE.choose("ja")
    assert sentence("it has not run") == "まだ実行されていません。"
    assert sentence("errno 5") == "Errno 5."
    assert sentence("") == ""


EVERYWHERE = ("schema", "domain", "store", "remote", "stages", "jobs", "app")


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "filling", ["7", "there, but no SSH server answers at this port", "a and b", "x, y", "your eyes"]
)
def test_no_sentence_of_any_part_shows_a_key_instead_of_words(language, filling, caplog):
    LANGUAGE.choose(language)
    found = clauses([c for c in calls(*EVERYWHERE) if name(c) == "StudioError"], slice(0, 3))
    steps = clauses([c for c in calls("stages") if name(c) in ("progress", "part", "_answer")], slice(0, 3))
    patterns = [text for key, text in words("en").items() if key.startswith("said.") and key.count(".") == 2]
    filled = {re.sub(r"{\w+}", filling, text) for text in patterns}
    texts = {text.replace("7", filling) for text in found | steps} | filled
    assert len(texts) > 500
    assert all(sentence(text) for text in texts if text.strip(". "))
    assert [record.getMessage() for record in caplog.records] == [], "a key that has no words is shown as it is"


@pytest.mark.parametrize(
    "spoken",
    [
        "it is there, but no SSH server answers at this port",
        "it is not what was asked for",
        "it is no machine that trains",
    ],
)
def test_it_is_a_state_only_where_it_is_one(spoken):
    for language in ("en", "ja"):
        LANGUAGE.choose(language)
        assert "state." not in sentence(spoken)
    LANGUAGE.choose("en")
    assert sentence(spoken) == f"{spoken[:1].upper()}{spoken[1:]}."
    assert said("it is stale") == "it is Out of date" and said("it is needs your eyes") == "it is Needs your eyes"
