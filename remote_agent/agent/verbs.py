"""The verbs: one process each, a line of JSON in, a line of JSON out (and bytes where the verb says so).

What starts runs is imported only by the verbs that need it: every verb is a process, and each import costs its reader
time.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

from remote_agent.agent.collect import acknowledge, collect_blobs, collect_run
from remote_agent.agent.errors import RefusedError
from remote_agent.agent.files import CHUNK, free_bytes, own_sha
from remote_agent.agent.inputs import missing_blobs, part_size, take_pack, take_rest
from remote_agent.agent.places import RunFolder, agent_root, known_run
from remote_agent.agent.tail import Reader, ReaderGoneError, send_log, tail_order
from studio.schema.events import MAX_LINE, PROTO, dump_line, is_sha, parse_line

GET_IDLE_S = 600
"""A ``get`` whose reader is gone without a word ends itself after this."""

Args = dict[str, Any]


def hello(args: Args, source: BinaryIO) -> Args:
    """What this machine is."""
    root, system = agent_root(), os.uname()
    return {
        "python": sys.version.split()[0],
        "executable": sys.executable,
        "system": system.sysname,
        "host": system.nodename[:100],
        "cpus": len(os.sched_getaffinity(0)),
        "root": str(root),
        "free": free_bytes(root),
        "now": time.time(),
        "agent": own_sha(),
    }


def do_preflight(args: Args, source: BinaryIO) -> None:
    """``packages``: what there is to train with. Every further line is answered with the clock, for measuring the way
    there and back."""
    from remote_agent.agent.preflight import preflight

    say({"ok": True, "proto": PROTO, **preflight(args.get("packages"))})
    signal.alarm(GET_IDLE_S)
    while source.readline(MAX_LINE):
        say({"ok": True, "proto": PROTO, "now": time.time()})


def do_start(args: Args, source: BinaryIO) -> Args:
    """``run``, ``spec``; without a spec the run goes on."""
    from remote_agent.agent.runs import start

    return start(args.get("run"), args.get("spec"))


def do_stop(args: Args, source: BinaryIO) -> Args:
    """``run``."""
    from remote_agent.agent.runs import stop

    return stop(args.get("run"))


def do_status(args: Args, source: BinaryIO) -> Args:
    """``run``."""
    from remote_agent.agent.runs import status

    return status(args.get("run"))


def do_have(args: Args, source: BinaryIO) -> Args:
    """``shas``: which of them are missing."""
    return {"missing": missing_blobs(args.get("shas") or ())}


def do_putpack(args: Args, source: BinaryIO) -> Args:
    """Framed blobs follow on stdin."""
    return {"stored": take_pack(source)}


def do_put(args: Args, source: BinaryIO) -> Args:
    """``sha``; alone it asks how much is here, with ``size`` and ``off`` the rest follows on stdin."""
    have, part = part_size(args.get("sha"))
    if have or "off" not in args:
        return {"have": have, "part": part}
    take_rest(source, args["sha"], args.get("size", -1), args["off"])
    return {"have": True, "part": 0}


def do_get(args: Args, source: BinaryIO) -> None:
    """``run``, ``sha``, ``off``: a header line ``{"ok","size","off"}``, then the bytes from there on.

    Further lines of ``sha`` and ``off`` ask for further files, until the input ends.
    """
    run = known_run(args.get("run"))
    while True:
        signal.alarm(GET_IDLE_S)
        try:
            _send_file(run, args)
        except RefusedError as refusal:
            say(refusal.answer())
        line = source.readline(MAX_LINE)
        if not line:
            return
        args = parse_args(line)


def _send_file(run: RunFolder, args: Args) -> None:
    sha, offset = args.get("sha"), args.get("off", 0)
    if not is_sha(sha):
        raise RefusedError("bad_sha")
    if type(offset) is not int or offset < 0:
        raise RefusedError("offset")
    try:
        stream = (run.files / str(sha)).open("rb")
    except FileNotFoundError:
        raise RefusedError("gone", sha=sha) from None
    with stream:
        size = os.fstat(stream.fileno()).st_size
        stream.seek(min(offset, size))
        say({"ok": True, "proto": PROTO, "size": size, "off": min(offset, size)})
        while data := stream.read(CHUNK):
            sys.stdout.buffer.write(data)
            signal.alarm(GET_IDLE_S)
        sys.stdout.buffer.flush()


def do_tail(args: Args, source: BinaryIO) -> None:
    """``run``, ``from``, ``follow``, ``hb``, ``dead``: the stream of the log."""
    run, order = known_run(args.get("run")), tail_order(args)
    with suppress(ReaderGoneError):
        send_log(run, order, Reader(run, order))


def do_ack(args: Args, source: BinaryIO) -> Args:
    """``run``, ``seq``."""
    return {"seq": acknowledge(known_run(args.get("run")), args.get("seq"))}


def do_gc(args: Args, source: BinaryIO) -> Args:
    """``run``: room of what the studio holds; without it, of blobs that no run names."""
    return {"freed": collect_blobs() if args.get("run") is None else collect_run(known_run(args["run"]))}


def do_supervise(args: Args, source: BinaryIO) -> Args:
    """``run``: supervises in this very process, for a batch system that does the detaching itself."""
    from remote_agent.agent.runs import status
    from remote_agent.agent.supervise import supervise

    supervise(known_run(args.get("run")), lambda: None)
    return status(args.get("run"))


TABLE: dict[str, Callable[[Args, BinaryIO], Args | None]] = {
    "hello": hello,
    "preflight": do_preflight,
    "start": do_start,
    "stop": do_stop,
    "status": do_status,
    "tail": do_tail,
    "get": do_get,
    "put": do_put,
    "putpack": do_putpack,
    "have": do_have,
    "gc": do_gc,
    "ack": do_ack,
    "supervise": do_supervise,
}


def say(plain: Args) -> None:
    """Writes one line of answer."""
    sys.stdout.buffer.write(dump_line(plain))
    sys.stdout.buffer.flush()


def parse_args(line: bytes) -> Args:
    """A verb's arguments. Raises ``RefusedError``."""
    try:
        return parse_line(line) if line.strip() else {}
    except ValueError:
        raise RefusedError("bad_args") from None
