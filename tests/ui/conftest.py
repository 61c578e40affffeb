"""Every test of a window: in the dark theme, in English, and a Qt warning is a failure."""

import pytest
from PySide6.QtWidgets import QApplication

from studio.app.text import LANGUAGE
from studio.ui import theme

OFFSCREEN = ("This plugin does not support propagateSizeHints()", "This plugin does not support raise()")
"""What the platform without a screen says of itself."""


@pytest.fixture(autouse=True)
def known_look(qapp: QApplication, qtlog):
    theme.THEME.apply(qapp, "dark")
    LANGUAGE.choose("en")
    yield
    theme.THEME.apply(qapp, "dark")
    LANGUAGE.choose("en")
    warnings = [record.message for record in qtlog.records if record.message not in OFFSCREEN]
    assert not warnings, warnings
