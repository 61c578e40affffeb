"""``agent.pyz VERB NONCE``: the banner, then the verb's answer. Its arguments come as one JSON line on stdin."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

from remote_agent.agent.errors import RefusedError
from remote_agent.agent.verbs import TABLE, say
from studio.schema.events import BANNER, MAX_LINE, PROTO, is_nonce, parse_line

EXIT_REFUSED = 3


def main(argv: list[str]) -> int:
    """Runs one verb; exit status 0, or 3 if it was refused."""
    os.umask(0o077)
    verb, nonce = [*argv[1:], "", ""][:2]
    if is_nonce(nonce):
        sys.stdout.buffer.write(f"{BANNER}{nonce}\n".encode())
        sys.stdout.buffer.flush()
    try:
        if verb not in TABLE:
            raise RefusedError("verb")
        source = _source(verb)
        answer = TABLE[verb](_args(source), source)
        if answer is not None:
            say({"ok": True, "proto": PROTO, **answer})
        return 0
    except RefusedError as refusal:
        return _refuse(refusal.code, refusal.fields)
    except OSError as problem:
        return _refuse("os_error", {"errno": problem.errno, "text": str(problem)[:500]})


def _source(verb: str) -> BinaryIO:
    # Unbuffered for tail, which goes on reading the bare handle after the first line.
    return open(0, "rb", buffering=0 if verb == "tail" else -1, closefd=False)


def _args(source: BinaryIO) -> dict[str, object]:
    line = source.readline(MAX_LINE)
    try:
        return parse_line(line) if line.strip() else {}
    except ValueError:
        raise RefusedError("bad_args") from None


def _refuse(code: str, fields: dict[str, object]) -> int:
    say({"ok": False, "proto": PROTO, "error": code, **fields})
    return EXIT_REFUSED


if __name__ == "__main__":
    sys.exit(main(sys.argv))
