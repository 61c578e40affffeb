"""The commands that need Qt: the window itself, and the walk through it without a screen."""

from __future__ import annotations

import argparse


def main(_: argparse.Namespace) -> int:
    """Open the window with the last project."""
    from studio.ui.window import open_window

    return open_window()


def walkthrough(options: argparse.Namespace) -> int:
    """Take the sample from videos to gate and keep pictures of every page."""
    from studio.ui.walkthrough import main as walk

    return walk(options.out)
