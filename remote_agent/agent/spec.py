"""What a run consists of: the command, its inputs by hash, and its caps."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from typing import Any

from remote_agent.agent.errors import RefusedError
from studio.schema.events import MAX_FILE, is_name, is_sha

DISK_CAP = 20 << 30


@dataclass(frozen=True)
class RunSpec:
    """``cmd`` runs in the run's work folder with ``env`` on top of the agent's; ``inputs``: file name to SHA-256.

    ``cap_s``: most seconds of training over all attempts; ``idle_s``: most seconds without any output; ``grace_s``:
    from the request to end to the kill; ``disk_cap``: bytes of the run's folder; ``file_cap``: bytes of one file;
    ``nice``: added to the trainer's niceness. ``None`` means no cap.
    """

    cmd: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    cap_s: float | None = None
    idle_s: float | None = None
    grace_s: float = 20.0
    disk_cap: int = DISK_CAP
    file_cap: int = MAX_FILE
    nice: int = 0


def spec_sha(plain: dict[str, Any]) -> str:
    """Hash of a spec: two starts mean the same run if it is equal."""
    return hashlib.sha256(json.dumps(plain, sort_keys=True, allow_nan=False).encode()).hexdigest()


def parse_spec(plain: Any) -> RunSpec:
    """Reads a spec from the wire. Raises ``RefusedError`` naming the field that is wrong."""
    if not isinstance(plain, dict):
        raise RefusedError("bad_spec", field="spec")
    unknown = sorted(set(plain) - set(RunSpec.__dataclass_fields__))
    if unknown:
        raise RefusedError("bad_spec", field=str(unknown[0])[:100])
    spec = RunSpec(**{**plain, "cmd": _command(plain.get("cmd"))})
    checks = {
        "env": _is_text_table(spec.env) and all(key and "=" not in key for key in spec.env),
        "inputs": _is_text_table(spec.inputs) and all(is_name(n) and is_sha(s) for n, s in spec.inputs.items()),
        "cap_s": spec.cap_s is None or _is_positive(spec.cap_s),
        "idle_s": spec.idle_s is None or _is_positive(spec.idle_s),
        "grace_s": _is_positive(spec.grace_s),
        "disk_cap": _is_count(spec.disk_cap),
        "file_cap": _is_count(spec.file_cap) and spec.file_cap <= MAX_FILE,
        "nice": _is_count(spec.nice) and spec.nice < 20,
    }
    for name, good in checks.items():
        if not good:
            raise RefusedError("bad_spec", field=name)
    return spec


def _command(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(_is_argument(item) for item in value) or not value[0]:
        raise RefusedError("bad_spec", field="cmd")
    return tuple(value)


def _is_argument(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_text_table(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_argument(k) and _is_argument(v) for k, v in value.items())


def _is_positive(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value > 0


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0
