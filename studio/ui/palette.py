"""The palette (every command and place by its name) and the sheet of keys. Both lie over the window."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from studio.app.actions import SCOPES, in_scope, shown
from studio.app.text import tr
from studio.ui import theme
from studio.ui.widgets.buttons import KeyCap
from studio.ui.widgets.frames import Line, column, grounded, row, scrolled
from studio.ui.widgets.words import Icon, SectionHead, Words

WIDTH, HEIGHT = 560, 420
_NUMBER = Qt.ItemDataRole.UserRole
_KEY = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True)
class Command:
    """Something that can be chosen: what it is called, its icon, its key as it is printed, what it does."""

    text: str
    icon: str
    key: str
    do: Callable[[], object]


def matching(commands: tuple[Command, ...], typed: str) -> tuple[Command, ...]:
    """The commands in whose names every typed word occurs, those that begin with the first word in front."""
    words = typed.casefold().split()
    found = [command for command in commands if all(word in command.text.casefold() for word in words)]
    if words:
        found.sort(key=lambda command: not command.text.casefold().startswith(words[0]))
    return tuple(found)


class _Line(QStyledItemDelegate):
    """Draws the key at the right end of a line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(100, 32)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        super().paint(painter, option, index)
        key = index.data(_KEY)
        if key:
            painter.save()
            painter.setFont(theme.font("caption", 500))
            painter.setPen(theme.token("text3"))
            box = option.rect.adjusted(0, 0, -12, 0)  # pyright: ignore[reportAttributeAccessIssue]
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, key)
            painter.restore()


class _Over(QDialog):
    """A frame without a border of the system's, in the upper middle of the window."""

    def __init__(self, parent: QWidget, width: int, height: int) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.setModal(True)
        self.setFixedSize(width, height)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.frame = grounded(QFrame(self), "popup")
        self.frame.setGeometry(0, 0, width, height)
        corner = parent.mapToGlobal(parent.rect().topLeft())
        self.move(corner.x() + (parent.width() - width) // 2, corner.y() + max(56, (parent.height() - height) // 4))


class Palette(_Over):
    """Type, choose, Return."""

    command_chosen = Signal(object)

    def __init__(self, parent: QWidget, commands: tuple[Command, ...]) -> None:
        super().__init__(parent, WIDTH, HEIGHT)
        self._commands = commands
        self._shown: tuple[Command, ...] = ()
        self.field = QLineEdit(placeholderText=tr("palette.placeholder"))
        self.field.setProperty("plain", "true")
        self.field.setFont(theme.font("name"))
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list = QListView()
        self.list.setModel(QStandardItemModel(self))
        self.list.setItemDelegate(_Line(self.list))
        self.list.setIconSize(QSize(16, 16))
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setUniformItemSizes(True)
        self.list.clicked.connect(lambda index: self._choose(index.data(_NUMBER)))
        self.nothing = Words("palette.nothing", tone="text3")
        layout = QVBoxLayout(self.frame)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(row(Icon("magnify", 16, "text3"), (self.field, 1), gap=10, margins=(10, 6, 10, 6)))
        layout.addWidget(Line())
        layout.addWidget(self.list, 1)
        layout.addWidget(row(self.nothing, None, margins=(10, 0, 0, 8)))
        self._fill("")

    @property
    def shown(self) -> tuple[Command, ...]:
        return self._shown

    def _fill(self, typed: str) -> None:
        self._shown = matching(self._commands, typed)
        model = self.list.model()
        assert isinstance(model, QStandardItemModel)
        model.clear()
        for number, command in enumerate(self._shown):
            item = QStandardItem(theme.icon(command.icon) if command.icon else QIcon(), command.text)
            item.setFont(theme.font("body"))
            item.setData(number, _NUMBER)
            item.setData(command.key, _KEY)
            model.appendRow(item)
        self.nothing.setVisible(not self._shown)
        if self._shown:
            self.list.setCurrentIndex(model.index(0, 0))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                place = (self.list.currentIndex().row() + step) % max(1, len(self._shown))
                self.list.setCurrentIndex(self.list.model().index(place, 0))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentIndex().row())
                return True
        return super().eventFilter(watched, event)

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self._shown):
            self.accept()
            self.command_chosen.emit(self._shown[place])


class KeySheet(_Over):
    """Every key, by where it holds."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, min(1120, parent.width() - 80), min(660, parent.height() - 120))
        layout = QVBoxLayout(self.frame)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(12)
        layout.addWidget(row(Words("keys.title", "title", weight=600), None, KeyCap("Esc")))
        inside = QFrame()
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 12, 0)
        grid.setHorizontalSpacing(32)
        for place, scopes in enumerate((("window",), SCOPES[1:4], SCOPES[4:])):
            grid.addWidget(column(*[self._group(scope) for scope in scopes], None, gap=16), 0, place)
            grid.setColumnStretch(place, 1)
        layout.addWidget(scrolled(inside), 1)

    @staticmethod
    def _group(scope: str) -> QFrame:
        lines = []
        for action in in_scope(scope):
            name = Words(action.text_key, tone="text2")
            caps = [KeyCap(shown(sequence)) for sequence in action.keys[:1]]
            lines.append(row(name, None, *caps, gap=4))
        return column(SectionHead(f"keys.{scope}"), *lines, gap=6)
