"""Finding a Python on the machine and putting the packed agent into its place there, by its hash.

What runs there are these fixed texts; what differs is given to them as quoted arguments, never put into them.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

OLDEST = "3.10"
DEFAULT_ROOT = "~/.padwork"
NAMES = ("python3", "python3.13", "python3.12", "python3.11", "python3.10", "python")
ABSENT = 76
"""Exit status of a verb whose agent is not where it was put."""

_EXPAND = (
    "expand() { case $1 in '~/'*) printf %s \"$HOME/${1#'~/'}\";; *) printf %s \"$1\";; esac; }; "
    'root=$(expand "$1"); sha=$2; nonce=$3; PADWORK_AGENT_ROOT=$root; export PADWORK_AGENT_ROOT; '
)

_LOOK = (
    _EXPAND + "printf 'PADWORK-BEGIN-%s\\n' \"$nonce\"; program=$4; shift 4; old=; "
    'for name in "$@"; do path=$(command -v "$(expand "$name")") || continue; '
    'version=$("$path" -c "import sys; print(\'%d.%d\' % sys.version_info[:2])" 2>/dev/null </dev/null) || continue; '
    'if "$path" -c "import sys; sys.exit(sys.version_info < (3, 10))" 2>/dev/null </dev/null; '
    'then exec "$path" -I -S -c "$program" "$root" "$sha" 2>/dev/null; fi; '
    'old=$version; done; printf \'{"python":"","old":"%s"}\\n\' "$old"'
)

_PUT = _EXPAND + 'exec "$4" -I -S -c "$5" "$root" "$sha" "$6" "$nonce" 2>/dev/null'

_RUN = (
    _EXPAND + f'agent=$root/agent/$sha/agent.pyz; [ -f "$agent" ] || exit {ABSENT}; '
    'exec "$5" -I -S "$agent" "$4" "$nonce" 2>/dev/null'
)

_LOOK_PYTHON = """
import hashlib, json, os, stat, sys
path = os.path.join(sys.argv[1], "agent", sys.argv[2], "agent.pyz")
try:
    found = os.lstat(sys.argv[1])
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    with open(path, "rb") as stream:
        there = ours and hashlib.sha256(stream.read()).hexdigest() == sys.argv[2]
except OSError:
    there = False
print(json.dumps({"python": sys.executable, "system": sys.platform, "there": there}))
"""

_PUT_PYTHON = """
import hashlib, json, os, stat, sys
root, sha, size, nonce = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
print("PADWORK-BEGIN-" + nonce, flush=True)
os.umask(0o077)
try:
    os.makedirs(root, 0o700, exist_ok=True)
    found = os.lstat(root)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise OSError(0, "it is a link or belongs to someone else")
    data = sys.stdin.buffer.read(size)
    if hashlib.sha256(data).hexdigest() != sha:
        raise EOFError
    folder = os.path.join(root, "agent", sha)
    os.makedirs(folder, 0o700, exist_ok=True)
    place = os.path.join(folder, ".tmp-" + nonce)
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(handle)
        os.replace(place, os.path.join(folder, "agent.pyz"))
    except BaseException:
        os.unlink(place)
        raise
    print(json.dumps({"ok": True}))
except EOFError:
    print(json.dumps({"ok": False, "cut": True}))
except OSError as problem:
    print(json.dumps({"ok": False, "why": problem.strerror or str(problem)}))
"""


@dataclass(frozen=True)
class Place:
    """Where the agent belongs on a machine: its folder as the user named it, and the agent's hash."""

    root: str
    sha: str

    def look(self, nonce: str, names: tuple[str, ...]) -> str:
        """The command that finds a Python among ``names`` and tells whether the agent is there: one JSON line."""
        return _sh(_LOOK, self.root, self.sha, nonce, _one_line(_LOOK_PYTHON), *names)

    def put(self, nonce: str, python: str, size: int) -> str:
        """The command that takes the agent's bytes from its input: one JSON line."""
        return _sh(_PUT, self.root, self.sha, nonce, python, _one_line(_PUT_PYTHON), str(size))

    def run(self, nonce: str, python: str, verb: str) -> str:
        """The command that runs a verb; :data:`ABSENT` if the agent is not there."""
        return _sh(_RUN, self.root, self.sha, nonce, verb, python)


def _one_line(program: str) -> str:
    """A Python program without line ends, at which a C shell would stumble even inside quotes."""
    return f"exec({program!r})"


def _sh(script: str, *arguments: str) -> str:
    """A command that means the same in every login shell: plain sh, one line, and its arguments quoted."""
    return " ".join(["exec", "/bin/sh", "-c", *(shlex.quote(word) for word in (script, "padwork", *arguments))])
