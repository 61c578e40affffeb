"""A student's rows beside those of teacher and former student, painted; and below whom each skill was learned from."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.app.text import tr
from studio.ui import theme
from studio.ui.presenters.student_rows import BETTER, FAILING, LOST, SAME, WORSE, StudentRow, tone_of

HEAD, ROW, LEFT, RIGHT, SIGN = 28, 26, 24, 12, 28
VALUE, LIMIT = 66, 66
LEFT_ALIGNED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT_ALIGNED = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
SIGNS = {
    LOST: ("arrow-down", "bad"), FAILING: ("close", "bad"), WORSE: ("arrow-down", "text"), SAME: ("check", "text3"),
    BETTER: ("arrow-up", "ok"),
}  # fmt: skip


class RowsTable(QWidget):
    """``count`` rows of equal height of which one is lit. ``row_pressed`` with the place of the row under the mouse."""

    row_pressed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.count, self._lit = 0, -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(320, HEAD + ROW * self.count + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def row_box(self, row: int) -> QRectF:
        return QRectF(LEFT - 10, HEAD + row * ROW + 1, self.width() - LEFT - RIGHT + 16, ROW - 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = int((event.position().y() - HEAD) // ROW)
        if 0 <= row < self.count:
            self.row_pressed.emit(row)

    def _begin(self) -> QPainter:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        if 0 <= self._lit < self.count:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.token("bg3" if theme.THEME.name == "dark" else "bg4"))
            painter.drawRoundedRect(self.row_box(self._lit), 6, 6)
        return painter

    @staticmethod
    def _write(
        painter: QPainter,
        box: QRectF,
        text: str,
        tone: str,
        *,
        weight: int = 400,
        size: str = "body",
        align: Qt.AlignmentFlag = RIGHT_ALIGNED,
    ) -> None:
        font = theme.font(size, weight)
        painter.setFont(font)
        painter.setPen(theme.token(tone))
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, align, shown)


class StudentTable(RowsTable):
    """Row, student, teacher, former student, limit, and how it changed."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[StudentRow, ...] = ()

    def show_rows(self, rows: tuple[StudentRow, ...], lit: int) -> None:
        self._rows, self.count, self._lit = rows, len(rows), lit
        self.updateGeometry()
        self.update()

    @property
    def has_former(self) -> bool:
        return any(row.former is not None for row in self._rows)

    def name_width(self) -> float:
        """Room for the rows' names, px."""
        return self._left_of("student") - LEFT - 8

    def _left_of(self, column: str) -> float:
        limit = self.width() - RIGHT - SIGN - LIMIT
        former = limit - (VALUE if self.has_former else 0)
        return {"limit": limit, "former": former, "teacher": former - VALUE, "student": former - 2 * VALUE}[column]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = self._begin()
        self._write(
            painter,
            QRectF(LEFT, 4, 160, HEAD - 4),
            tr("gate.row_head"),
            "text3",
            weight=500,
            size="caption",
            align=LEFT_ALIGNED,
        )
        for who in ("student", "teacher", *(["former"] if self.has_former else [])):
            box = QRectF(self._left_of(who), 4, VALUE, HEAD - 4)
            self._write(painter, box, tr(f"student.{who}"), "text3", weight=500, size="caption")
        limit = QRectF(self._left_of("limit"), 4, LIMIT, HEAD - 4)
        self._write(painter, limit, tr("gate.limit"), "text3", weight=500, size="caption")
        for number, row in enumerate(self._rows):
            self._paint_row(painter, number, row)

    def _paint_row(self, painter: QPainter, number: int, row: StudentRow) -> None:
        top, lit = HEAD + number * ROW, number == self._lit
        weight = 600 if lit or row.is_worse else 400
        self._write(
            painter, QRectF(LEFT, top, self.name_width(), ROW), row.name, "text", weight=weight, align=LEFT_ALIGNED
        )
        for who in ("student", "teacher", *(["former"] if self.has_former else [])):
            tone = tone_of(row.verdict(who)) if who == "student" else "bad" if row.verdict(who) == "fails" else "text2"
            box = QRectF(self._left_of(who), top, VALUE, ROW)
            self._write(painter, box, row.text(who), tone, weight=600 if who == "student" else 400)
        self._write(painter, QRectF(self._left_of("limit"), top, LIMIT, ROW), row.limit, "text3", size="caption")
        icon, tone = SIGNS[row.change]
        place = QPointF(self.width() - RIGHT - 18, top + ROW / 2 - 8)
        painter.drawPixmap(place, theme.pixmap(icon, 16, tone, self.devicePixelRatioF()))


class SkillTable(RowsTable):
    """Skill, who taught it, what is left of the error, whether its gate passes."""

    def __init__(self) -> None:
        super().__init__()
        self._skills: tuple[tuple[str, str, str, str, bool], ...] = ()

    def show_skills(self, skills: tuple[tuple[str, str, str, str, bool], ...], lit: str) -> None:
        self._skills, self.count = skills, len(skills)
        self._lit = next((k for k, skill in enumerate(skills) if skill[0] == lit), -1)
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = self._begin()
        gate, left = self.width() - RIGHT - 24, self.width() - RIGHT - 24 - VALUE
        teacher = left - VALUE
        heads = (
            (LEFT, teacher - LEFT, "student.skill", LEFT_ALIGNED),
            (teacher, VALUE, "student.teacher", RIGHT_ALIGNED),
            (left, VALUE, "student.left", RIGHT_ALIGNED),
        )
        for x, width, key, align in heads:
            self._write(
                painter, QRectF(x, 4, width, HEAD - 4), tr(key), "text3", weight=500, size="caption", align=align
            )
        for number, (_, name, taught, share, passed) in enumerate(self._skills):
            top, lit = HEAD + number * ROW, number == self._lit
            box = QRectF(LEFT, top, teacher - LEFT, ROW)
            self._write(painter, box, name, "text", weight=600 if lit else 400, align=LEFT_ALIGNED)
            self._write(painter, QRectF(teacher, top, VALUE, ROW), taught, "text2")
            self._write(painter, QRectF(left, top, VALUE, ROW), share, "text", weight=600)
            icon, tone = ("check", "ok") if passed else ("close", "bad")
            painter.drawPixmap(
                QPointF(gate + 6, top + ROW / 2 - 8), theme.pixmap(icon, 16, tone, self.devicePixelRatioF())
            )
