"""Every test of a window: in the dark theme, in English; a Qt warning is a failure, and so is a key
shown in place of words."""

import importlib.util
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from studio.app.text import LANGUAGE
from studio.ui import theme

FIT = Path(__file__).parent / "shell" / "fit.py"
OFFSCREEN = ("This plugin does not support propagateSizeHints()", "This plugin does not support raise()")
"""What the platform without a screen says of itself."""

NO_WORDS = "no words for"
"""What is logged when the window shows a key because nobody has written its words."""


@pytest.fixture(scope="session")
def misfits():
    """The function that finds words that do not fit."""
    if "fit" not in sys.modules:
        spec = importlib.util.spec_from_file_location("fit", FIT)
        assert spec is not None and spec.loader is not None
        sys.modules["fit"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["fit"])
    return sys.modules["fit"].misfits


@pytest.fixture(autouse=True)
def known_look(qapp: QApplication, qtlog, caplog):
    theme.THEME.apply(qapp, "dark")
    LANGUAGE.choose("en")
    yield
    theme.THEME.apply(qapp, "dark")
    LANGUAGE.choose("en")
    warnings = [record.message for record in qtlog.records if record.message not in OFFSCREEN]
    assert not warnings, warnings
    told = [record.getMessage() for when in ("setup", "call") for record in caplog.get_records(when)]
    unspoken = [message for message in told if message.startswith(NO_WORDS)]
    assert not unspoken, unspoken
