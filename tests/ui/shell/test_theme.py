"""One table of tokens for two themes, one style sheet, and no colour anywhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from studio.app.actions import ACTIONS
from studio.ui import theme

ROOT = Path(__file__).resolve().parents[3]
COLOUR = re.compile(r"#[0-9A-Fa-f]{6}\b|\brgba?\(|QColor\(\s*[\"'\d]|Qt\.GlobalColor\.(?!transparent)|QColorConstants")


@pytest.fixture(autouse=True)
def dark(qapp):
    theme.THEME.apply(qapp, "dark")
    yield
    theme.THEME.apply(qapp, "dark")


def luminance(name: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = [theme.token(name).redF(), theme.token(name).greenF(), theme.token(name).blueF()]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_both_themes_have_the_same_tokens():
    assert theme.tokens()["dark"].keys() == theme.tokens()["light"].keys()


@pytest.mark.parametrize("name", theme.THEMES)
def test_words_can_be_read(qapp, name):
    theme.THEME.apply(qapp, name)
    for ground in ("bg1", "bg2"):
        assert contrast("text", ground) > 12
        assert contrast("text2", ground) > 7
        assert contrast("text3", ground) > 4.4
    assert contrast("on_eyes", "eyes") > 4.5
    assert contrast("eyes_text", "eyes_bg") > 4.5


@pytest.mark.parametrize("name", theme.THEMES)
def test_the_palette_is_set_whatever_the_platform_prefers(qapp, name):
    theme.THEME.apply(qapp, name)
    palette = QApplication.palette()
    assert palette.color(QPalette.ColorRole.Window) == theme.token("bg1")
    assert palette.color(QPalette.ColorRole.Text) == theme.token("text")
    assert QApplication.style().objectName() == "fusion" or QApplication.style().metaObject().className()
    assert "$" not in theme.style_sheet()


def test_no_colour_is_written_outside_the_table():
    found = []
    for path in (ROOT / "studio" / "ui").rglob("*.py"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if COLOUR.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert found == []
    style = (ROOT / "resources" / "theme" / "style.qss").read_text(encoding="utf-8")
    assert not COLOUR.search(style)


def test_an_unknown_name_is_an_error(qapp):
    with pytest.raises(KeyError):
        theme.token("mauve")
    with pytest.raises(ValueError, match="mauve"):
        theme.THEME.apply(qapp, "mauve")


def test_fonts_have_the_asked_size_and_a_family_that_exists(qapp):
    made = theme.font("title", 600)
    assert made.pixelSize() == 15
    assert made.families()[:2] == ["Inter", "Noto Sans CJK JP"]
    assert QFontInfo(made).family()


def test_every_icon_of_the_table_of_actions_can_be_drawn(qapp):
    for action in ACTIONS.values():
        picture = theme.pixmap(action.icon, 16, "text").toImage()
        inked = sum(picture.pixelColor(x, y).alpha() > 100 for x in range(16) for y in range(16))
        assert inked > 8, action.id
