"""Which project the program opens when none is named."""

from __future__ import annotations

from pathlib import Path

from studio.app.settings import Settings, user_folder
from studio.store.samples import copy_sample

FIRST_SAMPLE = "leg-raise"


def first_project(settings: Settings) -> Path:
    """The last project where it still is one; else the first sample, copied to the user's folder once.

    Raises :class:`studio.schema.errors.StudioError` where the sample cannot be copied.
    """
    last = Path(settings.last_project) if settings.last_project else None
    if last and (last / "project.toml").is_file():
        return last
    copied = user_folder() / FIRST_SAMPLE
    if not (copied / "project.toml").is_file():
        copy_sample(FIRST_SAMPLE, copied)
    return copied
