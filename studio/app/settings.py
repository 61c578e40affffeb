"""What the program remembers about the person at this computer, as data: name, default, allowed values."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from studio.app.text import LANGUAGES
from studio.schema.user_folder import user_folder

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    """``theme`` "dark" or "light"; ``language`` a code, empty as long as the project decides; ``last_project`` a path,
    empty before the first; ``geometry`` the window's place as Qt saves it, in hex."""

    theme: str = "dark"
    language: str = ""
    last_project: str = ""
    geometry: str = ""


_ALLOWED = {"theme": ("dark", "light"), "language": ("", *LANGUAGES)}


def load(path: Path | None = None) -> Settings:
    """The stored settings. A file that cannot be used gives the defaults: it holds nothing worth a refusal."""
    path = path or user_folder() / "settings.json"
    try:
        plain: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as error:
        log.warning("settings not used: %s", error)
        return Settings()
    return _checked(plain) if isinstance(plain, dict) else Settings()


def save(settings: Settings, path: Path | None = None) -> None:
    """Write the settings, whole or not at all."""
    path = path or user_folder() / "settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        json.dump(asdict(settings), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)


def _checked(plain: dict[str, Any]) -> Settings:
    good: dict[str, str] = {}
    for field in fields(Settings):
        value = plain.get(field.name)
        if isinstance(value, str) and value in _ALLOWED.get(field.name, (value,)):
            good[field.name] = value
    return replace(Settings(), **good)


def changed(settings: Settings, **changes: str) -> Settings:
    """The settings with changes, stored at once. A disk that refuses is no reason to stop working."""
    new = replace(settings, **changes)
    try:
        save(new)
    except OSError as error:
        log.warning("settings not kept: %s", error)
    return new
