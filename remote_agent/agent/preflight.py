"""What this machine brings to train with: interpreter, packages, cores, memory, room, graphics processors.

The agent itself sees no packages; a child of the same interpreter, started as a trainer is, looks for them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from remote_agent.agent.errors import RefusedError
from remote_agent.agent.files import free_bytes
from remote_agent.agent.places import agent_root

MAX_PACKAGES = 64
LOOK_S = 60.0
GPU_S = 20.0
MAX_GPUS = 64
CGROUP = Path("/sys/fs/cgroup")

LOOK = """
import json, sys
from importlib import metadata, util
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        found[name] = ""
print(json.dumps({"packages": found, "pip": util.find_spec("pip") is not None}))
"""

_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def preflight(packages: Any) -> dict[str, Any]:
    """Everything about this machine that decides whether it can train; ``packages``: names to look for.

    Memory in bytes as far as this process may use it. Raises ``RefusedError``: bad_args.
    """
    if not isinstance(packages, list) or len(packages) > MAX_PACKAGES or not all(map(_is_package, packages)):
        raise RefusedError("bad_args")
    root, system = agent_root(), os.uname()
    return {
        "system": f"{system.sysname} {system.machine}"[:100],
        "host": system.nodename[:100],
        "python": sys.version.split()[0],
        "executable": sys.executable,
        **_look(packages, root),
        "cores": _cores(),
        "memory": _memory(),
        "root": str(root),
        "free": free_bytes(root),
        "gpus": _gpus(),
        "now": time.time(),
    }


def _is_package(name: object) -> bool:
    return isinstance(name, str) and _PACKAGE.fullmatch(name) is not None


def _look(packages: list[str], root: Path) -> dict[str, Any]:
    told = _output([sys.executable, "-c", LOOK, *packages], LOOK_S, root)
    with suppress(ValueError):
        found = json.loads(told)
        return {"packages": found["packages"], "pip": found["pip"]}
    return {"packages": dict.fromkeys(packages, ""), "pip": False}


def _cores() -> float:
    """Cores this process may use; a container's share can be less than the cores it sees."""
    cores = float(len(os.sched_getaffinity(0)))
    with suppress(OSError, ValueError, ZeroDivisionError):
        quota, period = (CGROUP / "cpu.max").read_text().split()
        cores = min(cores, int(quota) / int(period))
    return cores


def _memory() -> int:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        memory = min(memory, int((CGROUP / "memory.max").read_text()))
    return memory


def _gpus() -> list[dict[str, Any]]:
    query = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    gpus = []
    for line in _output(query, GPU_S, Path("/")).splitlines()[:MAX_GPUS]:
        name, _, mebibytes = line.rpartition(",")
        with suppress(ValueError):
            gpus.append({"name": name.strip()[:100], "memory": int(mebibytes) << 20})
    return gpus


def _output(command: list[str], timeout_s: float, folder: Path) -> str:
    """What a command prints; empty where it cannot be run, fails or takes too long."""
    with suppress(OSError, subprocess.SubprocessError):
        environment = {**os.environ, "PYTHONSAFEPATH": "1"}
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, cwd=folder, env=environment,
            check=True,
        )  # fmt: skip
        return done.stdout.decode(errors="replace")
    return ""
