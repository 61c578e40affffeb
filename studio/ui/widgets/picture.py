"""A still picture that fills its place, cropped where the shape differs, with rounded corners."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui import theme


class Still(QWidget):
    """Empty until :meth:`show_picture`. ``radius`` px of the corners; ``square_foot`` leaves the lower two square."""

    def __init__(self, height: int = 0, radius: int = 0, square_foot: bool = False) -> None:
        super().__init__()
        self._image: QImage | None = None
        self._radius, self._square_foot = radius, square_foot
        if height:
            self.setFixedHeight(height)
        across = QSizePolicy.Policy.Expanding
        self.setSizePolicy(across, QSizePolicy.Policy.Fixed if height else QSizePolicy.Policy.Expanding)

    @property
    def is_empty(self) -> bool:
        return self._image is None

    def show_picture(self, picture: np.ndarray | None) -> None:
        """(H, W, 3) uint8 RGB, or None for nothing."""
        if picture is None:
            self._image = None
        else:
            height, width, _ = picture.shape
            bytes_ = np.ascontiguousarray(picture)
            self._image = QImage(bytes_.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        box, path = QRectF(self.rect()), QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        path.addRoundedRect(box, self._radius, self._radius)
        if self._square_foot:
            path.addRect(box.adjusted(0, self._radius, 0, 0))
        painter.setClipPath(path)
        painter.fillRect(self.rect(), theme.token("bg0"))
        if self._image is None:
            return
        scale = max(box.width() / self._image.width(), box.height() / self._image.height())
        width, height = box.width() / scale, box.height() / scale
        source = QRectF((self._image.width() - width) / 2, (self._image.height() - height) / 2, width, height)
        painter.drawImage(box, self._image, source)
