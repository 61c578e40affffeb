"""Every word the window says, in the language that is chosen.

The words are TOML files under ``resources/i18n/<language>/``; all files of a language make one table of dotted keys.
A key with the forms ``one`` and ``other`` is a count: :func:`tr` picks by ``count``.
"""

from __future__ import annotations

import logging
import string
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.schema.resources import resource

LANGUAGES = ("en", "ja")
FALLBACK = "en"

log = logging.getLogger(__name__)


class Language(QObject):
    """The language in use; ``language_changed`` after it changed."""

    language_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._code = FALLBACK

    @property
    def code(self) -> str:
        return self._code

    def choose(self, code: str) -> None:
        """Speak ``code`` from now on. Raises ``ValueError`` for a language there are no words for."""
        if code not in LANGUAGES:
            raise ValueError(f"no words in {code!r}")
        if code != self._code:
            self._code = code
            self.language_changed.emit(code)


LANGUAGE = Language()


@cache
def words(code: str) -> Mapping[str, str]:
    """All words of one language by dotted key. Raises ``ValueError`` when two files define the same key."""
    table: dict[str, str] = {}
    for path in sorted(resource("i18n", code).glob("*.toml")):
        for key, value in _flat(tomllib.loads(path.read_text(encoding="utf-8"))):
            if key in table:
                raise ValueError(f"{path.name} says {key} a second time")
            table[key] = value
    return table


def has(key: str) -> bool:
    """Whether there are words for ``key``."""
    table = words(FALLBACK)
    return key in table or f"{key}.other" in table


def keys(prefix: str) -> tuple[str, ...]:
    """The last part of every key right below ``prefix``, in the order of the file."""
    below = (key.removeprefix(f"{prefix}.") for key in words(FALLBACK) if key.startswith(f"{prefix}."))
    return tuple(key for key in below if "." not in key)


def tr(key: str, **values: Any) -> str:
    """The words for ``key`` with ``values`` put in. An unknown key is logged and shown as it is, never raised:
    a missing word must not take a window down."""
    table = words(LANGUAGE.code)
    if "count" in values and f"{key}.other" in table:
        key = f"{key}.one" if values["count"] == 1 and f"{key}.one" in table else f"{key}.other"
    pattern = table.get(key) or words(FALLBACK).get(key)
    if pattern is None:
        log.error("no words for %s", key)
        return key
    return pattern.format(**values) if values else pattern


def slots(pattern: str) -> frozenset[str]:
    """The names a text wants filled in."""
    return frozenset(name.split(".")[0].split("[")[0] for _, name, _, _ in string.Formatter().parse(pattern) if name)


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            pairs += _flat(value, f"{prefix}{name}.")
        elif isinstance(value, str):
            pairs.append((prefix + name, value))
        else:
            raise ValueError(f"{prefix}{name} is not text")
    return pairs
