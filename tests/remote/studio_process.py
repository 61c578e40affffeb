"""A studio without a window: follows a run into a folder, and notes in a file what it shows, as it shows it."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from studio.remote.machine import Machine
from studio.remote.mirror import Mirror, file_of
from studio.remote.ssh.channel import SshChannel
from studio.remote.ssh.pins import Pins
from studio.schema.machine import MachineSpec


def last_shown(shown: Path) -> int:
    """The note is the listener's only memory, as a window's is what it reads back from the project."""
    lines = shown.read_text().splitlines() if shown.exists() else []
    return int(lines[-1].split()[0]) if lines else 0


def main(order: dict[str, Any]) -> None:
    folder, shown = Path(order["folder"]), Path(order["shown"])
    handle = os.open(shown, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def show(event: dict[str, Any]) -> None:
        right = True
        if "sha" in event:
            right = hashlib.sha256(file_of(folder, event).read_bytes()).hexdigest() == event["sha"]
        os.write(handle, f"{event['seq']} {event['type']} {right}\n".encode())

    machine = Machine(
        SshChannel(MachineSpec(**order["machine"]), Pins(Path(order["pins"]), ()), dead_s=order["dead_s"])
    )
    follower = Mirror(
        machine,
        order["run"],
        folder,
        show,
        after=last_shown(shown),
        heartbeat_s=order["dead_s"] / 4,
        dead_s=order["dead_s"],
    )
    follower.follow()
    machine.close()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
