"""An OpenGL context without a window, by whichever way this computer offers."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from studio.schema.errors import StudioError

_WAYS = {"linux": ("egl", "osmesa"), "darwin": ("cgl",), "win32": ("glfw",)}
_INSTALL = {
    "linux": "Install the packages libegl1, libgl1 and libgl1-mesa-dri, or libosmesa6, and open the page again",
    "darwin": "Open Padwork in a desktop session of this Mac",
    "win32": "Install the graphics driver of this computer and open the page again",
}
_chosen: list[str] = []


def offscreen_context(width: int, height: int) -> Any:
    """A current context that belongs to the calling thread; it has ``make_current()`` and ``free()``.

    EGL first, then Mesa's own software renderer (OSMesa). ``MUJOCO_GL`` names one way to be tried before. Raises
    :class:`StudioError` saying what to install when there is none.
    """
    reasons = []
    for way in _chosen or _candidates():
        try:
            context = _open(way)(width, height)
            context.make_current()
        except Exception as error:
            reasons.append(f"{way}: {_why(error)}")
            _forget(way)
            continue
        _chosen[:] = [way]
        return context
    platform = sys.platform if sys.platform in _INSTALL else "linux"
    raise StudioError("The fighter cannot be drawn", f"no OpenGL ({'; '.join(reasons)})", _INSTALL[platform])


def _candidates() -> list[str]:
    ways = list(_WAYS.get(sys.platform, _WAYS["linux"]))
    asked = os.environ.get("MUJOCO_GL", "").lower()
    return [asked, *(w for w in ways if w != asked)] if asked in ("egl", "osmesa", "cgl", "glfw") else ways


def _open(way: str) -> Callable[[int, int], Any]:
    # MuJoCo's own loader reads MUJOCO_GL when the first drawing context is made.
    os.environ["MUJOCO_GL"] = way
    found = importlib.import_module(f"mujoco.{way}").GLContext
    if not hasattr(found, "_context"):
        found._context = None  # one that was never made is freed too, and looks for it
    return found


def _why(error: Exception) -> str:
    """PyOpenGL meets a library that is not there as an attribute of nothing."""
    if isinstance(error, (ImportError, AttributeError)):
        return "not installed"
    return " ".join(str(error).split())[:160] or type(error).__name__


def _forget(way: str) -> None:
    """PyOpenGL binds itself to one platform at import; let the next way import it anew."""
    os.environ.pop("PYOPENGL_PLATFORM", None)
    for name in [n for n in sys.modules if n == "OpenGL" or n.startswith(("OpenGL.", f"mujoco.{way}"))]:
        del sys.modules[name]
