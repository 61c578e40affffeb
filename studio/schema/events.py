"""The wire between the studio and the agent on a machine: event types, limits and strict JSON lines.

Besides the trainer's, the log holds what only the supervisor says: started, stopping, attempt_end, clip_skipped,
ckpt_skipped, oversize and, once and last, final. A reader keeps unknown types and takes no notice of them.

Standard library only and good for Python 3.10, since this file travels to the machine inside the agent.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

PROTO = 1
"""Number of this wire. The studio reads this one and the one before."""

MAX_LINE = 65536
"""Bytes of one line, its newline included, on the wire and in the log."""

MAX_NOISE = 65536
"""Bytes a login shell may print before the agent's banner."""

MAX_FILE = 1 << 30
"""Bytes of one clip or checkpoint."""

MAX_BLOB = 8 << 30
"""Bytes of one uploaded input."""

MAX_TEXT = 4096
"""Characters of a ``log`` event's text."""

BANNER = "PADWORK-BEGIN-"
"""The agent prints this and the caller's nonce before anything else; what comes earlier is a shell's noise."""

FILE_TYPES = ("clip", "ckpt")
"""Events that name a file by its SHA-256."""

TRAINER_TYPES = ("progress", "metric", "state", "log", *FILE_TYPES)
"""What a trainer may say. All else it prints is text for ``train.log``."""

RESERVED = frozenset(("seq", "t", "mono", "att", "at", "type", "sha", "size", "name", "path"))
"""Fields of an event that the supervisor sets: a trainer's are dropped."""

SUFFIXES = (".npz", ".onnx", ".safetensors", ".json", ".mp4", ".png", ".csv")
"""Kinds of files that cross the wire: none of them can carry code."""

_RUN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_SHA = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?")
_NONCE = re.compile(r"[0-9a-f]{16}")
_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))))


def is_run_id(text: object) -> bool:
    """Whether it can name a run: lower case letters, digits, ``-`` and ``_``, at most 64."""
    return isinstance(text, str) and _RUN.fullmatch(text) is not None


def is_sha(text: object) -> bool:
    """Whether it is a SHA-256 in lower case hex."""
    return isinstance(text, str) and _SHA.fullmatch(text) is not None


def is_nonce(text: object) -> bool:
    """Whether it is the 16 hex digits that follow the banner."""
    return isinstance(text, str) and _NONCE.fullmatch(text) is not None


def is_name(text: object) -> bool:
    """Whether it is a plain file name on every system: no separators, no ``..``, no Windows device."""
    if not isinstance(text, str) or _NAME.fullmatch(text) is None or ".." in text:
        return False
    return text.split(".")[0].lower() not in _DEVICES


def suffix_of(name: str) -> str:
    """The name's ending with its dot in lower case, or empty where it has none."""
    return "." + name.rsplit(".", 1)[1].lower() if "." in name else ""


def dump_line(plain: dict[str, Any]) -> bytes:
    """One JSON line. Raises ``ValueError`` for NaN and infinities."""
    return json.dumps(plain, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def parse_line(line: bytes, finite: bool = True, cap: int = MAX_LINE) -> dict[str, Any]:
    """The object on one line of strict JSON: UTF-8, no key twice, no endless digits, no deep nesting.

    NaN and infinities are refused, or read as ``None`` with ``finite=False``. Raises ``ValueError`` for anything else
    than an object on a line of at most ``cap`` bytes.
    """
    if len(line) > cap:
        raise ValueError(f"a line of {len(line)} bytes")
    try:
        plain = json.loads(
            line.decode(),
            object_pairs_hook=_unique,
            parse_int=_short_int,
            parse_float=_finite_float if finite else _float_or_none,
            parse_constant=_finite_float if finite else _float_or_none,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(plain, dict):
        raise ValueError("not an object")
    return plain


def check_event(event: dict[str, Any]) -> None:
    """Raises ``ValueError`` where a machine's event lacks what every reader relies on."""
    for key in ("seq", "att"):
        if type(event.get(key)) is not int or event[key] < 1:
            raise ValueError(f"{key} is {event.get(key)!r}")
    kind = event.get("type")
    if not isinstance(kind, str):
        raise ValueError(f"type is {kind!r}")
    if kind not in FILE_TYPES:
        return
    if not is_sha(event.get("sha")):
        raise ValueError("a file without its hash")
    if type(event.get("size")) is not int or not 0 <= event["size"] <= MAX_FILE:
        raise ValueError("a file without a usable size")
    if not is_name(event.get("name")) or suffix_of(event["name"]) not in SUFFIXES:
        raise ValueError("a file with an unusable name")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) != len(pairs):
        raise ValueError("a key twice")
    return plain


def _short_int(digits: str) -> int:
    if len(digits) > 20:
        raise ValueError("an endless number")
    return int(digits)


def _finite_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits} is not a number")
    return value


def _float_or_none(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None
