"""How the fighter is looked at: which view, with or without a ghost, and from where the free camera looks."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal

from studio.app.session import Session
from studio.domain.cameras.mujoco_camera import FreeCamera
from studio.ui.presenters.presenter import Presenter

LOWEST_DEG, HIGHEST_DEG = -85.0, 30.0
NEAREST_M, FARTHEST_M = 1.2, 9.0
"""How far the free camera turns up and down, and how near and far it goes."""


class SightPresenter(Presenter):
    """``view_changed`` after another view, ghost or turn of the free camera. ``views``: all there are."""

    view_changed = Signal()

    def __init__(self, session: Session, views: tuple[str, ...], view: str, ghost: bool) -> None:
        super().__init__(session)
        self.views, self.view, self.ghost, self.free = views, view, ghost, FreeCamera()

    def set_view(self, view: str) -> None:
        """Look another way. Raises ``ValueError``."""
        if view not in self.views:
            raise ValueError(f"no view {view!r}")
        if view != self.view:
            self.view = view
            self.view_changed.emit()

    def set_ghost(self, on: bool) -> None:
        """Show another motion behind the fighter."""
        if on != self.ghost:
            self.ghost = on
            self.view_changed.emit()

    def toggle_ghost(self) -> None:
        self.set_ghost(not self.ghost)

    def orbit(self, across_deg: float, down_deg: float) -> None:
        """Turn the free camera."""
        elevation = min(max(self.free.elevation - down_deg, LOWEST_DEG), HIGHEST_DEG)
        self.free = replace(self.free, azimuth=(self.free.azimuth - across_deg) % 360, elevation=elevation)
        self.view_changed.emit()

    def zoom(self, factor: float) -> None:
        """Bring the free camera nearer (below 1) or farther."""
        self.free = replace(self.free, distance=min(max(self.free.distance * factor, NEAREST_M), FARTHEST_M))
        self.view_changed.emit()
