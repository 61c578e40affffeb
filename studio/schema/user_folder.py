"""Where the program keeps what belongs to the person at this computer: settings, machines, the copied sample."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HOME_VARIABLE = "PADWORK_HOME"


def user_folder() -> Path:
    """``PADWORK_HOME`` where it is set, else the folder for applications' data that the system names.

    The same as Qt's GenericDataLocation, without Qt: XDG Base Directory Specification 0.8 on Linux, Application
    Support on macOS, the local application data on Windows.
    """
    named = os.environ.get(HOME_VARIABLE)
    return Path(named) if named else _data_folder() / "padwork"


def _data_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    named = os.environ.get("XDG_DATA_HOME", "")
    return Path(named) if named.startswith("/") else Path.home() / ".local" / "share"
