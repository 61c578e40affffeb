"""``padwork`` without a command: the window."""

from __future__ import annotations

import argparse


def main(_: argparse.Namespace) -> int:
    """Open the window with the last project."""
    from studio.ui.window import open_window

    return open_window()
