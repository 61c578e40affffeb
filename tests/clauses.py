"""Reading the sentences of the program out of its sources."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator
from pathlib import Path


def texts(node: ast.expr) -> Iterator[str]:
    """The clauses an argument can be, "7" for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)


def said_by(calls: Container[str], files: Iterable[Path]) -> Iterator[str]:
    """What the arguments of these functions can be, wherever ``files`` call them."""
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in calls:
                for argument in node.args:
                    yield from texts(argument)
