"""``agent.pyz VERB NONCE``: the banner, then the verb's answer. Its arguments come as one JSON line on stdin."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

from remote_agent.agent.errors import RefusedError
from remote_agent.agent.verbs import TABLE, parse_args, say
from studio.schema.events import BANNER, MAX_LINE, PROTO, is_nonce

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
        answer = TABLE[verb](parse_args(source.readline(MAX_LINE)), source)
        if answer is not None:
            say({"ok": True, "proto": PROTO, **answer})
        return 0
    except RefusedError as refusal:
        return _refuse(refusal)
    except OSError as problem:
        return _refuse(RefusedError("os_error", errno=problem.errno, text=str(problem)[:500]))
    except Exception as problem:
        return _refuse(RefusedError("crash", text=repr(problem)[:500]))


def _source(verb: str) -> BinaryIO:
    # Unbuffered for tail, which goes on reading the bare handle after the first line.
    return open(0, "rb", buffering=0 if verb == "tail" else -1, closefd=False)


def _refuse(refusal: RefusedError) -> int:
    say(refusal.answer())
    return EXIT_REFUSED


if __name__ == "__main__":
    sys.exit(main(sys.argv))
