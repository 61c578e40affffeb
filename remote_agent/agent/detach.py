"""Starting a process that outlives its starter, its terminal and its line (POSIX)."""

from __future__ import annotations

import os
import select
import traceback
from collections.abc import Callable
from pathlib import Path

READY_S = 20.0


def detach(body: Callable[[Callable[[], None]], None], log: Path) -> bool:
    """Runs ``body(ready)`` in a new session with no terminal, its prints going to ``log``.

    Returns once ``ready`` was called there: True; False if the process ended before, or after 20 s.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _become_daemon(body, log, writer)
    os.close(writer)
    os.waitpid(child, 0)
    try:
        return bool(select.select([reader], [], [], READY_S)[0]) and os.read(reader, 1) == b"1"
    finally:
        os.close(reader)


def _become_daemon(body: Callable[[Callable[[], None]], None], log: Path, writer: int) -> None:
    """The forked process: never returns. Forked twice, so that it is no session leader and can get no terminal."""
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.umask(0o077)
        _redirect(log, writer)
        body(lambda: _say_ready(writer))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _redirect(log: Path, writer: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    text = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.dup2(null, 0)
    os.dup2(text, 1)
    os.dup2(text, 2)
    os.closerange(3, writer)
    os.closerange(writer + 1, 65536)


def _say_ready(writer: int) -> None:
    os.write(writer, b"1")
    os.close(writer)
