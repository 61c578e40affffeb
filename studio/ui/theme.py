"""The look: tokens for dark and light, fonts, icons, the palette and the one style sheet made from them."""

from __future__ import annotations

import string
import tomllib
from functools import cache
from typing import Any

import qtawesome
from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QColor, QFont, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

from studio.schema.resources import resource

THEMES = ("dark", "light")
ICON_PREFIX = "mdi6."


class Theme(QObject):
    """Which of the themes is on; ``theme_changed`` after it changed."""

    theme_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.name = THEMES[0]

    def apply(self, app: QApplication, name: str) -> None:
        """Dress the program in theme ``name``. Style and palette are always set: the platform's own colour scheme is
        not to be relied on. Raises ``ValueError`` for an unknown theme."""
        if name not in THEMES:
            raise ValueError(f"no theme {name!r}")
        self.name = name
        sheet = style_sheet()
        if app.styleSheet() == sheet:
            return
        app.setStyle("Fusion")
        app.setPalette(_palette())
        app.setFont(font("body"))
        app.setStyleSheet(sheet)
        self.theme_changed.emit(name)


THEME = Theme()


@cache
def tokens() -> dict[str, Any]:
    """All of tokens.toml."""
    return tomllib.loads(resource("theme", "tokens.toml").read_text(encoding="utf-8"))


def token(name: str, alpha: float | None = None) -> QColor:
    """A colour of the theme that is on; ``alpha`` 0..1 thins it. Raises ``KeyError`` for a name that is no token."""
    colour = QColor(tokens()[THEME.name][name])
    if alpha is not None:
        colour.setAlphaF(alpha)
    return colour


def metric(name: str) -> int:
    """A size of the table, px. Raises ``KeyError``."""
    return tokens()["metric"][name]


def radius(name: str) -> int:
    """ "chip", "control" or "card", px."""
    return tokens()["radius"][name]


def font(size: str = "body", weight: int = 400) -> QFont:
    """Inter, then Noto Sans CJK JP, then the system's own; figures of equal width, no hinting."""
    return QFont(_font(size, weight))


@cache
def _font(size: str, weight: int) -> QFont:
    """Made once: what is painted sixty times a second asks for its fonts each time."""
    sizes = tokens()["type"]
    made = QFont()
    made.setFamilies([*sizes["families"], QFont().defaultFamily()])
    made.setStyleHint(QFont.StyleHint.SansSerif)
    made.setPixelSize(sizes[size])
    made.setWeight(QFont.Weight(weight))
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


def icon(name: str, tone: str = "text2") -> QIcon:
    """A Material Design icon in a colour of the theme."""
    return _icon(name, token(tone).name())


def pixmap(name: str, size: int = 16, tone: str = "text2", ratio: float = 1.0) -> QPixmap:
    """An icon as a picture for painting, ``size`` px wide at device pixel ratio ``ratio``."""
    return _pixmap(name, token(tone).name(), size, ratio)


def style_sheet() -> str:
    """style.qss with the tokens of the theme that is on."""
    pattern = string.Template(resource("theme", "style.qss").read_text(encoding="utf-8"))
    sizes = {f"radius_{name}": value for name, value in tokens()["radius"].items()}
    return pattern.substitute(tokens()[THEME.name], **sizes)


@cache
def _icon(name: str, colour: str) -> QIcon:
    return qtawesome.icon(ICON_PREFIX + name, color=colour, color_disabled=colour)


@cache
def _pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    return _icon(name, colour).pixmap(QSize(size, size), ratio)


def _palette() -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for which, name in {
        role.Window: "bg1", role.WindowText: "text", role.Base: "input", role.AlternateBase: "bg2",
        role.Text: "text", role.Button: "button", role.ButtonText: "text", role.BrightText: "text",
        role.ToolTipBase: "bg3", role.ToolTipText: "text", role.PlaceholderText: "text3",
        role.Highlight: "bg4", role.HighlightedText: "text", role.Link: "text", role.LinkVisited: "text2",
        role.Accent: "text2", role.Light: "line2", role.Midlight: "line2", role.Mid: "line", role.Dark: "line",
        role.Shadow: "bg0",
    }.items():  # fmt: skip
        palette.setColor(which, token(name))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, token("text4"))
    return palette
