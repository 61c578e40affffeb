"""Reading a project's files. What lies there may come from elsewhere, so nothing is trusted."""

from __future__ import annotations

import json
import math
import stat
import tomllib
import zipfile
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from studio.schema import codec
from studio.schema.errors import StudioError

TEXT_LIMIT = 16 << 20
T = TypeVar("T")


def read_text(path: Path) -> str:
    """A text file. Raises :class:`StudioError` where it is missing, not UTF-8 or absurdly large."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise StudioError(f"{path.name} cannot be read", "it is not a file", "Restore it from a copy")
        if found.st_size > TEXT_LIMIT:
            raise StudioError(
                f"{path.name} cannot be read", "it is too large for a text file", "Restore it from a copy"
            )
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StudioError(
            f"{path.name} is missing", f"it should be in {path.parent}", "Restore it from a copy"
        ) from None
    except UnicodeDecodeError:
        raise StudioError(f"{path.name} cannot be read", "it is not UTF-8 text", "Restore it from a copy") from None
    except OSError as error:
        raise StudioError(f"{path.name} cannot be read", error.strerror or str(error), "Check the disk") from error


def read_toml(cls: type[T], path: Path) -> T:
    """A TOML document of the schema. Raises :class:`StudioError`, also for a newer schema and for nan or inf."""
    try:
        plain = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise StudioError(f"{path.name} cannot be read", f"it is not TOML: {error}", "Correct the file") from None
    except RecursionError:
        raise StudioError(f"{path.name} cannot be read", "it is nested too deeply", "Correct the file") from None
    _require_finite(plain, path.name)
    return codec.read_document(cls, plain, path.name)


def read_json(cls: type[T], path: Path) -> T:
    """A JSON document of the schema. Raises :class:`StudioError`, also for a newer schema."""
    return codec.read_document(cls, plain_json(read_text(path), path.name), path.name)


def plain_json(text: str, where: str) -> Any:
    """Parsed JSON. Raises :class:`StudioError`."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise StudioError(f"{where} cannot be read", "it is not JSON", "Restore it from a copy") from None


def read_arrays(cls: type[T], path: Path) -> T:
    """A revision's data. No pickles, no compressed members (a small file cannot become a huge array)."""
    try:
        with zipfile.ZipFile(path) as archive:
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise StudioError(f"{path.name} cannot be read", "it holds compressed arrays", "Run the stage again")
        with np.load(path, allow_pickle=False) as arrays:
            return codec.unpack(cls, {name: arrays[name] for name in arrays.files}, path.name)
    except FileNotFoundError:
        raise StudioError(f"{path.name} is missing", f"it should be in {path.parent}", "Run the stage again") from None
    except MemoryError:
        raise StudioError(f"{path.name} cannot be read", "it is larger than memory", "Run the stage again") from None
    except (zipfile.BadZipFile, ValueError, EOFError, KeyError, OSError) as error:
        raise StudioError(f"{path.name} cannot be read", f"it is damaged ({error})", "Run the stage again") from None


def _require_finite(plain: Any, where: str) -> None:
    """TOML knows nan and inf; no figure of a project is either."""
    if isinstance(plain, dict):
        for key, item in plain.items():
            _require_finite(item, f"{where}.{key}")
    elif isinstance(plain, list):
        for i, item in enumerate(plain):
            _require_finite(item, f"{where}[{i}]")
    elif isinstance(plain, float) and not math.isfinite(plain):
        raise StudioError(f"{where} cannot be used", f"{plain} is no number", "Correct the file")


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")
