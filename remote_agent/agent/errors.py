"""How a verb says no."""

from __future__ import annotations

from typing import Any

from studio.schema.events import PROTO


class RefusedError(Exception):
    """A verb cannot do what was asked: ``code`` for the studio's table of sentences, ``fields`` for what it names."""

    def __init__(self, code: str, **fields: Any) -> None:
        super().__init__(code)
        self.code = code
        self.fields = fields

    def answer(self) -> dict[str, Any]:
        """The line that says so."""
        return {"ok": False, "proto": PROTO, "error": self.code, **self.fields}
