"""What the studio holds safely, and giving back the room of it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from remote_agent.agent.errors import RefusedError
from remote_agent.agent.files import read_json, write_atomic
from remote_agent.agent.places import RunFolder, agent_root, blob_folder
from studio.schema.events import FILE_TYPES, parse_line

KEPT_CHECKPOINTS = 3


def acknowledge(run: RunFolder, seq: object) -> int:
    """Notes that everything up to ``seq`` is safe at the studio; never goes back. Returns what is noted."""
    if type(seq) is not int or seq < 0:
        raise RefusedError("bad_seq")
    noted = acknowledged(run)
    if seq > noted:
        write_atomic(run.ack, str(seq).encode(), sync=False)
    return max(seq, noted)


def acknowledged(run: RunFolder) -> int:
    """The last event that is safe at the studio, 0 for none."""
    noted = read_json(run.ack)
    return noted if type(noted) is int else 0


def collect_run(run: RunFolder) -> int:
    """Removes acknowledged clips, and acknowledged checkpoints before the last three and the best. Bytes freed."""
    safe = acknowledged(run)
    clips, checkpoints = set[str](), list[str]()
    kept = set[str]()
    for event in _file_events(run):
        sha = str(event["sha"])
        if event["seq"] > safe or event.get("best") is True:
            kept.add(sha)
        if event["type"] == "ckpt":
            checkpoints.append(sha)
        else:
            clips.add(sha)
    kept.update(checkpoints[-KEPT_CHECKPOINTS:])
    return sum(_remove(run.files / sha) for sha in (clips | set(checkpoints)) - kept)


def collect_blobs() -> int:
    """Removes uploaded blobs that no run names. Bytes freed."""
    named = set[str]()
    for record in agent_root().glob("runs/*/run.json"):
        named.update((read_json(record) or {}).get("spec", {}).get("inputs", {}).values())
    return sum(_remove(blob) for blob in blob_folder().iterdir() if blob.name not in named)


def _file_events(run: RunFolder) -> list[dict[str, Any]]:
    if not run.events.exists():
        return []
    events = list[dict[str, Any]]()
    with run.events.open("rb") as stream:
        for line in stream:
            with suppress(ValueError):
                event = parse_line(line)
                if event.get("type") in FILE_TYPES:
                    events.append(event)
    return events


def _remove(path: Path) -> int:
    try:
        size = path.stat().st_size
        path.unlink()
    except OSError:
        return 0
    return size
