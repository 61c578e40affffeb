"""Frozen dataclasses to plain data and back: JSON or TOML values, and named arrays for npz files.

Only the types that the schema uses are known; anything else is refused by name, so a file from elsewhere cannot
make this module build something unexpected.
"""

from __future__ import annotations

import json
import types
import typing
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from studio.schema.errors import StudioError

SCHEMA_VERSION = 1
HEADER = "header"

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """A dataclass as nested dicts, lists and scalars. ``None`` fields are left out (TOML has no null)."""
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((f.name, getattr(value, f.name)) for f in fields(value))
        return {name: to_plain(item) for name, item in pairs if item is not None}
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"{type(value).__name__} has no plain form")


def from_plain(cls: type[T], plain: Any, where: str = "") -> T:
    """Build ``cls`` from plain data. Raises :class:`StudioError` naming the first field that does not fit.

    Unknown keys are ignored, so a file may carry notes; missing keys take the dataclass's default.
    """
    return _decode(cls, plain, where or getattr(cls, "__name__", str(cls)))


def document(value: Any) -> dict[str, Any]:
    """The plain form of a file's top level, with the version of the schema in front."""
    return {"schema_version": SCHEMA_VERSION, **to_plain(value)}


def read_document(cls: type[T], plain: Any, where: str) -> T:
    """Inverse of :func:`document`. A file of a newer schema is refused and left as it is."""
    version = plain.get("schema_version") if isinstance(plain, dict) else None
    if not isinstance(version, int):
        raise StudioError(f"{where} cannot be read", "it does not say its schema_version", "Restore it from a copy")
    if version > SCHEMA_VERSION:
        raise StudioError(
            f"{where} cannot be read",
            f"a newer Padwork wrote it (schema {version}, this one knows {SCHEMA_VERSION})",
            "Update Padwork; nothing was changed",
        )
    return from_plain(cls, plain, where)


def pack(value: Any) -> dict[str, np.ndarray]:
    """A dataclass as named arrays: its array fields, and one ``header`` (JSON in UTF-8) with everything else."""
    arrays: dict[str, np.ndarray] = {}
    rest: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "type": type(value).__name__}
    for field in fields(value):
        item = getattr(value, field.name)
        if isinstance(item, np.ndarray):
            arrays[field.name] = item
        elif item is not None:
            rest[field.name] = to_plain(item)
    arrays[HEADER] = np.frombuffer(json.dumps(rest, sort_keys=True).encode(), dtype=np.uint8)
    return arrays


def unpack(cls: type[T], arrays: typing.Mapping[str, np.ndarray], where: str) -> T:
    """Inverse of :func:`pack`. Raises :class:`StudioError` for another type, a newer schema or a missing array."""
    rest = _header(arrays, where)
    if rest.get("type") != cls.__name__:
        holds = str(rest.get("type"))[:60]
        raise StudioError(f"{where} cannot be read", f"it holds {holds}, not {cls.__name__}", "Run the stage again")
    hints = typing.get_type_hints(cls)
    merged = {k: v for k, v in rest.items() if hints.get(k) is not np.ndarray}
    merged |= {k: v for k, v in arrays.items() if hints.get(k) is np.ndarray}
    return read_document(cls, merged, where)


def _header(arrays: typing.Mapping[str, np.ndarray], where: str) -> dict[str, Any]:
    try:
        rest = json.loads(bytes(arrays[HEADER]).decode())
    except (KeyError, ValueError, RecursionError):
        rest = None
    if not isinstance(rest, dict):
        raise StudioError(f"{where} cannot be read", "it has no header", "Run the stage again")
    return rest


def _misfit(where: str, wanted: str, got: Any) -> StudioError:
    return StudioError(f"{where} cannot be used", f"expected {wanted}, found {str(got)[:60]!r}", "Correct the file")


def _decode(kind: Any, plain: Any, where: str) -> Any:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        inner = [a for a in typing.get_args(kind) if a is not type(None)]
        return None if plain is None else _decode(inner[0], plain, where)
    if origin is tuple:
        return _decode_tuple(typing.get_args(kind), plain, where)
    if origin is dict:
        if not isinstance(plain, dict):
            raise _misfit(where, "a table", plain)
        return {str(k): _decode(typing.get_args(kind)[1], v, f"{where}.{k}") for k, v in plain.items()}
    if is_dataclass(kind):
        return _decode_dataclass(kind, plain, where)
    if kind is np.ndarray:
        return _decode_array(plain, where)
    if kind is typing.Any:
        return plain
    return _decode_scalar(kind, plain, where)


def _decode_tuple(args: tuple[Any, ...], plain: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(plain, (list, tuple)):
        raise _misfit(where, "a list", plain)
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(_decode(args[0], item, f"{where}[{i}]") for i, item in enumerate(plain))
    if len(plain) != len(args):
        raise _misfit(where, f"{len(args)} values", plain)
    return tuple(_decode(a, item, f"{where}[{i}]") for i, (a, item) in enumerate(zip(args, plain, strict=True)))


def _decode_dataclass(kind: Any, plain: Any, where: str) -> Any:
    if not isinstance(plain, dict):
        raise _misfit(where, "a table", plain)
    hints = typing.get_type_hints(kind)
    known = {
        f.name: _decode(hints[f.name], plain[f.name], f"{where}.{f.name}") for f in fields(kind) if f.name in plain
    }
    try:
        return kind(**known)
    except TypeError:
        missing = [name for name in hints if name not in known]
        raise _misfit(where, f"a value for {', '.join(missing)}", sorted(plain)) from None


def _decode_array(plain: Any, where: str) -> np.ndarray:
    try:
        array = np.asarray(plain)
    except ValueError:
        raise _misfit(where, "a regular array", plain) from None
    if array.dtype.kind not in "fiub":
        raise _misfit(where, "an array of numbers", plain)
    return array


def _decode_scalar(kind: Any, plain: Any, where: str) -> Any:
    if kind is float and isinstance(plain, int) and not isinstance(plain, bool):
        return float(plain)
    if kind in (str, int, float, bool) and type(plain) is kind:
        return plain
    raise _misfit(where, getattr(kind, "__name__", str(kind)), plain)
