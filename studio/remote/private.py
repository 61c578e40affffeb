"""Small files that only the person at this computer may read."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from studio.schema.errors import StudioError

MAX_BYTES = 1 << 20


def read_private(path: Path) -> bytes | None:
    """The file, or None where there is none. Raises ``StudioError`` where it cannot be read or is absurdly large."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise _unusable(path, problem.strerror or str(problem)) from None
    if len(data) > MAX_BYTES:
        raise _unusable(path, "it is far too large")
    return data


def write_private(path: Path, data: bytes) -> None:
    """Replace the file in one step, with mode 0600. Raises ``StudioError``."""
    try:
        replace_file(path, data)
    except OSError as problem:
        raise _unusable(path, problem.strerror or str(problem)) from None


def replace_file(path: Path, data: bytes) -> None:
    """The same for who has a sentence of his own: raises ``OSError``, and then leaves nothing behind."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".tmp-", delete=False) as stream:  # mode 0600
        draft = Path(stream.name)
        try:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            stream.close()  # an open file cannot be moved on Windows
            draft.replace(path)
        except BaseException:
            with suppress(OSError):
                stream.close()
            with suppress(OSError):
                draft.unlink()
            raise


def _unusable(path: Path, why: str) -> StudioError:
    return StudioError(f"{path} cannot be used", why.lower(), "Restore the file or remove it")
