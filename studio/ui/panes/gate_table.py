"""The gate's table, painted: rows by seeds in the air and on the bag, one cell lit by the amber frame."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.app.text import tr
from studio.ui import theme
from studio.ui.presenters.gate import CONDITIONS, FAILS, PASSES, Cell, CellView, RowView

HEAD, ROW, LEFT, RIGHT, GAP = 40, 30, 24, 16, 14
LIMIT, RESULT, WIDEST = 92, 84, 52
_RESULT = {PASSES: ("check-circle", "ok"), FAILS: ("close", "bad"), "shown": ("eye-outline", "text3")}


class GateGrid(QWidget):
    """``cell_pressed`` with the cell under the mouse."""

    cell_pressed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[RowView, ...] = ()
        self._seeds = 0
        self._cell = Cell(0, "bag", 0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_table(self, rows: tuple[RowView, ...], seeds: int, cell: Cell) -> None:
        self._rows, self._seeds, self._cell = rows, seeds, cell
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(860, HEAD + ROW * len(self._rows) + 8)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def name_width(self) -> int:
        """Room for the rows' names at this width, px."""
        return round(self._left_of("air")) - LEFT - LIMIT - 16

    def _cell_width(self) -> float:
        names = max([QFontMetrics(theme.font("body", 600)).horizontalAdvance(row.name) for row in self._rows] or [120])
        room = self.width() - LEFT - RIGHT - names - 12 - LIMIT - 16 - RESULT - 2 * GAP
        return min(WIDEST, room / max(1, 2 * self._seeds))

    def _left_of(self, condition: str) -> float:
        """Where the cells of a condition begin; they stand at the right, before the result."""
        width = self._cell_width() * self._seeds
        bag = self.width() - RIGHT - RESULT - GAP - width
        return bag if condition == "bag" else bag - GAP - width

    def cell_box(self, cell: Cell) -> QRectF:
        width = self._cell_width()
        return QRectF(self._left_of(cell.condition) + cell.seed * width, HEAD + cell.row * ROW, width, ROW)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = int((event.position().y() - HEAD) // ROW)
        if not 0 <= row < len(self._rows):
            return
        for condition in self._rows[row].cells:
            seed = int((event.position().x() - self._left_of(condition)) // self._cell_width())
            if 0 <= seed < self._seeds:
                self.cell_pressed.emit(Cell(row, condition, seed))
                return
        first = next(iter(reversed(self._rows[row].cells)))
        lit = self._cell.condition if self._cell.condition in self._rows[row].cells else first
        self.cell_pressed.emit(Cell(row, lit, self._cell.seed))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self._paint_head(painter)
        for number, row in enumerate(self._rows):
            self._paint_row(painter, number, row)
        if self._rows and self._cell.condition in self._rows[self._cell.row].cells:
            painter.setPen(QPen(theme.token("amber"), 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.cell_box(self._cell).adjusted(2, 2.5, -2, -2), 5, 5)

    def _paint_head(self, painter: QPainter) -> None:
        names = {"left": tr("gate.row_head"), "limit": tr("gate.limit"), "result": tr("gate.result")}
        painter.setFont(theme.font("caption", 500))
        painter.setPen(theme.token("text3"))
        painter.drawText(QRectF(LEFT, 18, 160, 18), _left(), names["left"])
        limit = QRectF(self._left_of("air") - LIMIT - 16, 18, LIMIT, 18)
        painter.drawText(limit, _right(), names["limit"])
        painter.drawText(QRectF(self.width() - RIGHT - RESULT + 2, 18, RESULT, 18), _left(), names["result"])
        for condition in CONDITIONS:
            left, width = self._left_of(condition), self._cell_width()
            painter.setFont(theme.font("caption", 500))
            painter.setPen(theme.token("text3"))
            painter.drawText(QRectF(left + 6, 0, width * self._seeds, 18), _left(), tr(f"gate.{condition}_seeds"))
            for seed in range(self._seeds):
                lit = (condition, seed) == (self._cell.condition, self._cell.seed)
                painter.setFont(theme.font("caption", 600))
                painter.setPen(theme.token("text" if lit else "text2"))
                box = QRectF(left + seed * width, 18, width, 18)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(seed + 1))

    def _paint_row(self, painter: QPainter, number: int, row: RowView) -> None:
        top, lit = HEAD + number * ROW, number == self._cell.row
        painter.setPen(QPen(theme.token("line"), 1))
        painter.drawLine(QPointF(LEFT, top + 0.5), QPointF(self.width() - RIGHT, top + 0.5))
        if lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.token("bg3" if theme.THEME.name == "dark" else "bg4"))
            painter.drawRoundedRect(QRectF(LEFT - 10, top + 1, self.width() - RIGHT - LEFT + 14, ROW - 1), 6, 6)
        painter.setFont(theme.font("body", 600 if lit else 400))
        painter.setPen(theme.token("text" if row.verdict != "shown" or lit else "text2"))
        painter.drawText(QRectF(LEFT, top, self._left_of("air") - LEFT - LIMIT - 16, ROW), _left(), row.name)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.token("text2"))
        painter.drawText(QRectF(self._left_of("air") - LIMIT - 16, top, LIMIT, ROW), _right(), row.limit)
        for condition in CONDITIONS:
            for seed in range(self._seeds):
                cells = row.cells.get(condition, ())
                self._paint_cell(painter, self.cell_box(Cell(number, condition, seed)), cells[seed : seed + 1], lit)
        icon, tone = _RESULT[row.verdict]
        x = self.width() - RIGHT - RESULT + 2
        painter.drawPixmap(QPointF(x, top + ROW / 2 - 8), theme.pixmap(icon, 16, tone, self.devicePixelRatioF()))
        painter.setFont(theme.font("body", 500))
        painter.setPen(theme.token(tone))
        painter.drawText(QRectF(x + 22, top, RESULT - 22, ROW), _left(), tr(f"gate.verdict.{row.verdict}"))

    def _paint_cell(self, painter: QPainter, box: QRectF, cells: tuple[CellView, ...], lit: bool) -> None:
        if not cells:
            painter.setPen(theme.token("text4"))
            painter.setFont(theme.font("body"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "·")
            return
        cell = cells[0]
        tone = {FAILS: "bad", PASSES: "ok" if lit else "text"}.get(cell.verdict, "text2")
        if cell.sign:
            tone = {FAILS: "bad", PASSES: "ok"}.get(cell.verdict, "text2")
            picture = theme.pixmap(cell.sign, 16, tone, self.devicePixelRatioF())
            painter.drawPixmap(box.center() - QPointF(8, 8), picture)
            return
        painter.setFont(theme.font("body", 600 if lit else 400))
        painter.setPen(theme.token(tone))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, cell.text)


def _left() -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def _right() -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
