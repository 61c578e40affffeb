"""``padwork`` without a command: the window."""

from __future__ import annotations

import argparse
import os
import sys

from studio.schema.errors import StudioError

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def main(_: argparse.Namespace) -> int:
    """Open the window with the last project. Raises :class:`StudioError` where there is no screen, or Qt is missing."""
    if sys.platform == "linux" and not any(os.environ.get(name) for name in SCREENS):  # Qt would abort the process
        why = f"this computer has no screen (none of {', '.join(SCREENS)} is set)"
        raise StudioError("The window cannot be opened", why, "Use the commands: padwork --help lists them")
    try:
        from studio.ui.window import open_window
    except ImportError as error:
        step = "Run packaging/padwork.py: it names the libraries that are missing"
        raise StudioError("The window cannot be opened", str(error), step) from error
    return open_window()
