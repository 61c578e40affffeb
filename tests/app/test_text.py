"""Both languages say everything, with the same blanks to fill in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from studio.app import text, units

ROOT = Path(__file__).resolve().parents[2]
FORMS = (".one", ".other")


def plain(key: str) -> str:
    return next((key.removesuffix(form) for form in FORMS if key.endswith(form)), key)


@pytest.fixture(autouse=True)
def english():
    text.LANGUAGE.choose("en")
    yield
    text.LANGUAGE.choose("en")


def test_every_key_is_said_in_both_languages():
    keys = {code: {plain(key) for key in text.words(code)} for code in text.LANGUAGES}
    assert keys["en"] == keys["ja"]
    assert len(keys["en"]) > 100


def test_both_languages_fill_in_the_same_blanks():
    english, japanese = text.words("en"), text.words("ja")
    for key in english.keys() & japanese.keys():
        assert text.slots(english[key]) == text.slots(japanese[key]), key


def test_every_key_that_the_code_asks_for_exists():
    asked = set()
    for path in (ROOT / "studio").rglob("*.py"):
        asked |= set(re.findall(r"""\btr\(\s*"([\w.]+)"[,)]""", path.read_text(encoding="utf-8")))
    assert asked, "the code asks for no words at all"
    assert sorted(key for key in asked if not text.has(key)) == []


def test_japanese_is_japanese_and_english_is_not():
    kana = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
    names = {"top.language_ja", "top.language_en", "app.name"}
    for key, value in text.words("en").items():
        assert key in names or not kana.search(value), key
    spoken = [k for k, v in text.words("ja").items() if re.search(r"[A-Za-z]{4,}(?![}\w]*})", v) and not kana.search(v)]
    assert set(spoken) <= names


def test_a_count_picks_its_form(monkeypatch):
    monkeypatch.setattr(text, "words", lambda code: {"dog.one": "a dog", "dog.other": "{count} dogs"})
    assert text.tr("dog", count=1) == "a dog"
    assert text.tr("dog", count=3) == "3 dogs"


def test_an_unknown_key_is_shown_and_logged(caplog):
    assert text.tr("no.such.key") == "no.such.key"
    assert "no.such.key" in caplog.text


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError, match="xx"):
        text.LANGUAGE.choose("xx")


def test_the_language_changes_live(qtbot):
    with qtbot.waitSignal(text.LANGUAGE.language_changed) as caught:
        text.LANGUAGE.choose("ja")
    assert caught.args == ["ja"]
    assert units.seconds(1.5, 1) == "1.5 秒"


def test_two_files_may_not_say_the_same_key(tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text('[x]\ny = "z"\n')
    monkeypatch.setattr(text, "resource", lambda *parts: tmp_path)
    with pytest.raises(ValueError, match=r"b.toml says x\.y"):
        text.words.__wrapped__("en")


@pytest.mark.parametrize(
    ("made", "read"),
    [
        (units.seconds(7.1169), "7.117 s"),
        (units.seconds(-0.0001, 1), "0.0 s"),
        (units.centimetres(-0.081), "−8.1 cm"),
        (units.millimetres(0.0112), "11 mm"),
        (units.degrees(0.5236), "30.0°"),
        (units.span(1, 1, 2), "1.00 s"),
        (units.span(1, 1.4, 2), "1.00 – 1.40 s"),
        (units.length_of_time(59.6), "1:00"),
        (units.length_of_time(3725), "1:02:05"),
        (units.steps(13_040_000), "13.0 M"),
        (units.steps(24_300), "24.3 k"),
        (units.number(float("nan")), "–"),
        (units.with_unit(0.081, "m"), "8.1 cm"),
        (units.with_unit(14.2, "deg"), "14.2°"),
        (units.with_unit(3, "px"), "3 px"),
        (units.moment("not a time"), "not a time"),
    ],
)
def test_quantities_read_as_a_person_writes_them(made, read):
    assert made == read
