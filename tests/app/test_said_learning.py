"""What the training programs, the gate and the readers of files say can be said in the language of the window."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from studio.app.said import is_known

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("remote_agent", "studio/domain/body", "studio/domain/gates", "studio/domain/policy", "studio/domain/retarget",
          "studio/domain/synthetic", "studio/domain/variants", "studio/schema")  # fmt: skip


def texts(node: ast.expr) -> Iterator[str]:
    """The clauses an argument can be, "7" for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)


def clauses() -> Iterator[str]:
    for path in (path for place in PLACES for path in (ROOT / place).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("StudioError", "_refuse"):
                for argument in node.args:
                    yield from texts(argument)


def test_every_sentence_is_known():
    found = {text for text in clauses() if " " in text}
    assert len(found) > 90
    assert {text for text in found if not is_known(text)} == set()


def test_the_new_sentences_do_not_swallow_others():
    assert not is_known("he leans back too far")
    assert not is_known("the knee is late")
