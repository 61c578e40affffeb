"""Set up Padwork on a fresh machine, then open it or run its tests.

    python3 packaging/padwork.py          set up, then open the studio on the sample project
    python3 packaging/padwork.py test     set up, then run the tests

Needs Python 3.11 to 3.13 and pip, nothing else; it is written with the standard library for Linux, macOS and Windows.
A second call finds everything in place and goes straight on.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STAMP = VENV / "padwork-setup"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
EXTRAS = "capture,train,dev"

HEADLESS_LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
}
"""Shared library that Qt (offscreen) or MuJoCo's EGL needs, and the Debian package that brings it."""

DESKTOP_LIBRARIES = {
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-image.so.0": "libxcb-image0",
}
"""The same for Qt's window on an X screen."""

FONTS = {"Inter": "fonts-inter", "NotoSansCJK": "fonts-noto-cjk"}
"""Part of a font's file name, and the Debian package that brings it."""

TEST_PROGRAMS = {"sshd": "openssh-server", "ssh-keygen": "openssh-client"}
"""Program that only the tests start, to train over SSH on this computer, and the Debian package that brings it."""


def say(text: str) -> None:
    print(f"padwork: {text}", flush=True)


def stop(text: str) -> None:
    print(f"padwork: {text}", file=sys.stderr, flush=True)
    raise SystemExit(1)


def has_screen() -> bool:
    """Whether a window can be shown. Only Linux runs without a screen as a matter of course."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_font(part: str) -> bool:
    places = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts"]
    return any(part in path.name for place in places if place.is_dir() for path in place.rglob("*.[to]t[fc]"))


def has_program(name: str) -> bool:
    """Whether a program is there, a server's too, which only root has on its path."""
    return shutil.which(name) is not None or Path("/usr/sbin", name).exists()


def missing_packages(testing: bool) -> tuple[list[str], list[str]]:
    """Debian packages that this Linux lacks: those it cannot run without, and those that only make it look right."""
    wanted = HEADLESS_LIBRARIES | (DESKTOP_LIBRARIES if has_screen() else {})
    needed = [package for library, package in wanted.items() if not loads(library)]
    if testing:
        needed += [package for program, package in TEST_PROGRAMS.items() if not has_program(program)]
    return needed, [package for part, package in FONTS.items() if not has_font(part)]


def check_system(testing: bool = False) -> None:
    """Install the system libraries on Debian or Ubuntu as root; elsewhere print the one command that does.

    ``testing``: also the programs that only the tests need.
    """
    if sys.platform != "linux":
        say(f"system libraries: not checked on {sys.platform}, Qt and MuJoCo bring what they need there")
        return
    needed, nice = missing_packages(testing)
    if not needed and not nice:
        say("system libraries: all there")
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *needed, *nice]
    if shutil.which("apt-get") and os.geteuid() == 0:
        say(f"system libraries: installing {' '.join([*needed, *nice])}")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], env=environment, check=False)
        subprocess.run([*command, "-qq"], env=environment, check=False, stdout=subprocess.DEVNULL)
        needed, nice = missing_packages(testing)
    line = (
        f"sudo {' '.join(command)}" if shutil.which("apt-get") else f"your package manager for: {' '.join(command[4:])}"
    )
    if needed:
        stop(f"system libraries are missing ({' '.join(needed)}). Install them with: {line}")
    if nice:
        say(f"fonts are missing ({' '.join(nice)}); Padwork runs with others. To have them: {line}")


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make_venv() -> None:
    if venv_python().exists() and subprocess.run([venv_python(), "-c", "import pip"], check=False).returncode == 0:
        return
    say(f"making {VENV.name} with Python {sys.version.split()[0]}")
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], capture_output=True, text=True, check=False)
    if made.returncode:
        short = f"{sys.version_info.major}.{sys.version_info.minor}"
        hint = f"sudo apt-get install python{short}-venv" if shutil.which("apt-get") else "install Python's venv module"
        stop(f"a virtual environment could not be made: {made.stderr.strip() or made.stdout.strip()}. Try: {hint}")


def wanted_state() -> str:
    """What an installed environment must correspond to: the project's requirements, the pins and the Python."""
    digest = hashlib.sha256(sys.version.encode())
    for path in (ROOT / "pyproject.toml", CONSTRAINTS):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def pip(*arguments: str) -> None:
    """Run pip in the environment, showing one line per package."""
    command = [str(venv_python()), "-m", "pip", "install", "--disable-pip-version-check", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
    tail: list[str] = []
    assert process.stdout
    for line in process.stdout:
        tail = [*tail, line.rstrip()][-20:]
        if line.startswith("Collecting "):
            print(f"  {line.split()[1]}", flush=True)
        elif line.startswith(("Installing collected", "Building")):
            print(f"  {line.rstrip()[:110]}", flush=True)
    if process.wait():
        print("\n".join(tail), file=sys.stderr)
        stop("the packages could not be installed; the lines above are pip's own")


def install() -> None:
    state = wanted_state()
    if STAMP.exists() and STAMP.read_text() == state:
        say("packages: all there")
        return
    began = time.monotonic()
    say("packages: installing (a few minutes the first time)")
    pip("-c", str(CONSTRAINTS), "-e", f".[{EXTRAS}]")
    # Both opencv wheels write the same folder: the one with the extra modules must be the last.
    contrib = next(x for x in CONSTRAINTS.read_text().splitlines() if x.startswith("opencv-contrib-python"))
    pip("--force-reinstall", "--no-deps", contrib)
    STAMP.write_text(state)
    say(f"packages: installed in {time.monotonic() - began:.0f} s")


def fetch_models() -> None:
    """Have the pose model here before anything needs it; without one the studio says what to do at stage 2."""
    code = "from studio.domain.pose.detector import best_detector; print(best_detector().model)"
    found = subprocess.run([venv_python(), "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    last = (found.stdout if found.returncode == 0 else found.stderr).strip().splitlines()[-1:] or ["not found"]
    say(f"pose model: {last[0]}")


def run(*arguments: str, **environment: str) -> int:
    return subprocess.run(
        [str(venv_python()), *arguments], cwd=ROOT, env={**os.environ, **environment}, check=False
    ).returncode


def open_studio() -> int:
    if has_screen():
        say("opening the studio on the sample project")
        return run("-m", "studio")
    out = ROOT / "out" / "walkthrough"
    say(f"there is no screen: running the same job without a window, with pictures in {out.relative_to(ROOT)}")
    return run("-m", "studio", "walkthrough", "--out", str(out))


def test(arguments: list[str]) -> int:
    """Lint, types, then the tests; the first one that fails gives the exit status, all of them are run."""
    settings = {"QT_QPA_PLATFORM": "offscreen", "OPENBLAS_NUM_THREADS": "1"}
    if sys.platform == "linux":
        settings["MUJOCO_GL"] = "egl"
    checks = [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["pyright"], ["pytest", *arguments]]
    say(f"testing on {sys.platform}, Python {sys.version.split()[0]}: lint, types, tests")
    results = []
    for check in checks if not arguments else checks[-1:]:
        began = time.monotonic()
        results.append(run("-m", *check, **settings))
        say(f"{check[0]} {'ok' if results[-1] == 0 else 'failed'} in {time.monotonic() - began:.0f} s")
    return next((code for code in results if code), 0)


def main(arguments: list[str]) -> int:
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        stop(f"Python 3.11 to 3.13 is needed, this is {sys.version.split()[0]}. Install one and call this with it")
    if arguments and arguments[0] != "test":
        print(__doc__, file=sys.stderr)
        return 2
    check_system(testing=bool(arguments))
    make_venv()
    install()
    fetch_models()
    return test(arguments[1:]) if arguments else open_studio()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
