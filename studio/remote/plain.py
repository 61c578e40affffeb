"""What a machine says, before a person reads it in a terminal or a window."""

from __future__ import annotations


def plain(text: str, cap: int = 200) -> str:
    """The first line that says something, at most ``cap`` characters of it, without anything that would steer a
    terminal and without a full stop."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return "".join(sign for sign in line.strip() if sign.isprintable())[:cap].rstrip(".")
