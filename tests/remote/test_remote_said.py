"""Every sentence of the machines, and of the way to them, can be said in the language of the window."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from clauses import said_by, texts

from studio.app.said import is_known
from studio.remote import refusals

ROOT = Path(__file__).resolve().parents[2] / "studio"
PLACES = (ROOT / "remote" / "ssh", ROOT / "remote", ROOT / "schema" / "machine.py")
SAYING = ("StudioError", "UnfinishedError", "UnreachableError", "__init__", "HostKeyChanged", "unreachable", "_wrong")
ALSO = ("_unreadable", "_other_way", "_unusable", "_call", "_call_once", "_patiently", "refusal")


def clauses() -> Iterator[str]:
    paths = [path for place in PLACES for path in ([place] if place.is_file() else place.glob("*.py"))]
    yield from said_by((*SAYING, *ALSO), paths)
    for node in (node for path in paths for node in ast.walk(ast.parse(path.read_text()))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "why":
            yield from texts(node.value)
    for why, next_step in refusals._SENTENCES.values():
        yield why.format(field="7", log="7", free="7", root="7", text="7")
        yield next_step


def test_every_sentence_is_known():
    found = {text for text in clauses() if " " in text}
    assert len(found) > 150
    assert {text for text in found if not is_known(text)} == set()
