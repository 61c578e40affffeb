"""Where the files that come with the program are."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def resource(*parts: str) -> Path:
    """A file or folder under ``resources/``, in a checkout or in an installed wheel. Raises ``FileNotFoundError``."""
    return _find("resources", *parts)


def sample(*parts: str) -> Path:
    """A file or folder under ``projects/``, the sample projects. Raises ``FileNotFoundError``."""
    return _find("projects", *parts)


def _find(*parts: str) -> Path:
    for root in (PACKAGE.parent, PACKAGE):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise FileNotFoundError("/".join(parts))
