"""What the Gate page says and does: rows by seeds, verdicts against limits, the try behind a cell, the last word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Signal

from studio.app import clips, units
from studio.app.clips import Ground
from studio.app.films import make_strip, places_in
from studio.app.gate import FPS, STAGE, Film, Judged, play_cell, read_judged
from studio.app.said import said
from studio.app.session import Session
from studio.app.text import has, tr
from studio.domain.time import TakeClock
from studio.schema.training import GateRow, GateTable
from studio.ui.presenters.presenter import Presenter
from studio.ui.presenters.stage import Pair, StagePresenter

CONDITIONS = ("air", "bag")
DIGITS = {"cm": 1, "deg": 1, "s": 2, "N s": 1, "": 0}
LOST = 1e4
"""From here on a figure stands for "not a number" (studio.domain.gates.figures)."""
PASSES, FAILS, SHOWN = "passes", "fails", "shown"


@dataclass(frozen=True)
class Cell:
    """Where in the table: row, condition, place of the seed."""

    row: int
    condition: str
    seed: int


@dataclass(frozen=True)
class CellView:
    """``text`` as it is printed, or a ``sign`` (icon); ``verdict``: passes, fails or shown."""

    text: str
    sign: str
    verdict: str


@dataclass(frozen=True)
class RowView:
    """One row of the table. ``cells`` by condition, empty where the row is not asked there."""

    name: str
    limit: str
    cells: dict[str, tuple[CellView, ...]]
    verdict: str


class GatePresenter(Presenter):
    """``cell_chosen`` when another cell is lit; ``film_opened`` when its try is there to be played. ``places``: where
    the fighter is in it, for the camera."""

    cell_chosen = Signal()
    film_opened = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.stage = StagePresenter(session, STAGE)
        self.judged: Judged | None = None
        self.ground: Ground | None = None
        self.film: Film | None = None
        self.places: np.ndarray | None = None
        self.loaded = False
        self.cell = Cell(0, "bag", 0)
        self._films: dict[tuple[str, str, int], tuple[Film, np.ndarray]] = {}
        self._wanted: tuple[str, str, int] | None = None
        self.stage.changed.connect(self._load)
        session.stage_approved.connect(lambda *_: self._load())

    @property
    def error(self):
        return self.stage.error

    def open(self) -> None:
        self.stage.load()

    def _load(self) -> None:
        technique = self.session.technique
        if technique and self.session.is_open and self.stage.loaded:
            self.session.ask(lambda project: read_judged(project, technique), self._show)
        self.changed.emit()

    def _show(self, judged: Judged | None) -> None:
        fresh = judged is not None and (self.judged is None or judged.table != self.judged.table)
        self.judged, self.loaded = judged, True
        if fresh:
            self._films.clear()
            self.choose(self._worst())
        self.changed.emit()

    @property
    def table(self) -> GateTable | None:
        return self.judged.table if self.judged else None

    @property
    def seeds(self) -> tuple[int, ...]:
        return self.table.seeds if self.table else ()

    @property
    def rows(self) -> tuple[RowView, ...]:
        return tuple(row_view(row) for row in self.table.rows) if self.table else ()

    def _worst(self) -> Cell:
        """The cell to look at first: the worst of the first failing row, else of the first judged one."""
        rows = self.table.rows if self.table else ()
        failing = [k for k, row in enumerate(rows) if not row.passed] or [k for k, row in enumerate(rows) if row.judged]
        if not failing:
            return Cell(0, "bag", 0)
        row = rows[failing[0]]
        condition = next((c for c in reversed(CONDITIONS) if c in row.values and not row.passes(c)), _first(row))
        values = row.values[condition]
        worst = max(range(len(values)), key=lambda k: values[k] if row.sense == "below" else -values[k])
        return Cell(failing[0], condition, worst)

    def choose(self, cell: Cell) -> None:
        """Light a cell and play its try."""
        self.cell = cell
        self.cell_chosen.emit()
        technique, condition = self.session.technique, cell.condition
        if cell.seed >= len(self.seeds):
            return
        key = (self.table.policy_sha256 if self.table else "", condition, self.seeds[cell.seed])
        self._wanted = key
        if key in self._films:
            self._open(*self._films[key])
            return
        known = self.ground
        project = self.session.project

        def play():
            ground = known or clips.read_ground(project, technique)
            film = play_cell(project, technique, condition, key[2])
            return ground, film, places_in(ground.scene, (film.reference, film.qpos))

        self.session.draw(play, lambda found: self._played(key, *found))

    def _played(self, key: tuple[str, str, int], ground: Ground, film: Film, places: np.ndarray) -> None:
        self.ground = ground
        self._films[key] = film, places
        if key == self._wanted:
            self._open(film, places)

    def _open(self, film: Film, places: np.ndarray) -> None:
        self.film, self.places = film, places
        self.film_opened.emit()

    def ask_strip(self, light: bool, show: Callable[[tuple[np.ndarray, ...]], None]) -> None:
        """Have small pictures of the open film made; ``show`` is called when they are there, if it still is open."""
        film, ground, places = self.film, self.ground, self.places
        if film is None or ground is None or places is None:
            return
        air = film.condition == "air"

        def keep(strip: tuple[np.ndarray, ...]) -> None:
            if film is self.film:
                show(strip)

        self.session.draw(lambda: make_strip(ground.scene, film.qpos, places, air, light), keep)

    def move(self, rows: int, seeds: int) -> None:
        """Go to a neighbour: through the seeds of the air into those of the bag; rows keep the seed where they can."""
        if self.table is None:
            return
        row = min(max(self.cell.row + rows, 0), len(self.table.rows) - 1)
        conditions = [c for c in CONDITIONS if c in self.table.rows[row].values]
        places = [(c, k) for c in conditions for k in range(len(self.seeds))]
        here = (self.cell.condition, self.cell.seed)
        now = places.index(here) if here in places else min(self.cell.seed, len(places) - 1)
        condition, seed = places[min(max(now + seeds, 0), len(places) - 1)]
        self.choose(Cell(row, condition, seed))

    @property
    def film_is_right(self) -> bool:
        """Whether the open film is the lit cell's."""
        if self.film is None or self.cell.seed >= len(self.seeds):
            return False
        return (self.film.condition, self.film.seed) == (self.cell.condition, self.seeds[self.cell.seed])

    @property
    def film_clock(self) -> TakeClock:
        return TakeClock(FPS, 0.0, len(self.film.qpos) if self.film else 1)

    @property
    def sentence(self) -> str:
        """What is judged."""
        if self.table is None:
            return tr("gate.not_run")
        iteration = self.table.snapshot.rpartition("-")[2]
        snapshot = tr("teacher.clip_title", count=int(iteration)) if iteration.isdigit() else self.table.snapshot
        return tr("gate.sentence", snapshot=snapshot, count=len(self.seeds) * len(CONDITIONS))

    @property
    def cell_title(self) -> str:
        return tr("gate.cell", condition=tr(f"gate.{self.cell.condition}"), number=self.cell.seed + 1)

    @property
    def cell_short(self) -> str:
        """The lit cell's try in a word."""
        return f"{tr('gate.seed')} {self.cell.seed + 1}"

    @property
    def row_name(self) -> str:
        return name_of(self.table.rows[self.cell.row]) if self.table else ""

    @property
    def row_sentence(self) -> str:
        """What the lit row measures, in a sentence."""
        if self.table is None:
            return ""
        key = f"gate.row.{self.table.rows[self.cell.row].name}.sentence"
        return tr(key) if has(key) else ""

    @property
    def cell_verdict(self) -> str:
        if self.table is None:
            return SHOWN
        row = self.table.rows[self.cell.row]
        values = row.values.get(self.cell.condition, ())
        return verdict_of(row, values[self.cell.seed]) if self.cell.seed < len(values) else SHOWN

    @property
    def cell_value(self) -> str:
        if self.table is None:
            return ""
        row = self.table.rows[self.cell.row]
        values = row.values.get(self.cell.condition, ())
        return value_text(row, values[self.cell.seed], unit=True) if self.cell.seed < len(values) else "–"

    @property
    def cell_pairs(self) -> tuple[Pair, ...]:
        if self.table is None:
            return ()
        row = self.table.rows[self.cell.row]
        pairs = [Pair(tr("gate.value"), self.cell_value), Pair(tr("gate.limit"), limit_text(row))]
        if self.cell.seed < len(self.seeds):
            pairs.append(Pair(tr("gate.seed"), str(self.seeds[self.cell.seed])))
        return tuple(pairs)

    @property
    def failing(self) -> tuple[str, ...]:
        """Names of the judged rows that fail."""
        return tuple(name_of(row) for row in self.table.rows if not row.passed) if self.table else ()

    @property
    def verdict_line(self) -> str:
        """The whole table in a sentence."""
        if self.table is None:
            return ""
        judged = sum(row.judged for row in self.table.rows)
        if not self.failing:
            return tr("gate.all_pass", count=judged)
        return tr("gate.some_fail", count=len(self.failing), judged=judged, rows=tr("gate.and").join(self.failing))

    @property
    def said(self) -> tuple[str, str] | None:
        """What was said about this table before: how, and the words."""
        verdict = self.judged.verdict if self.judged else None
        if verdict is None:
            return None
        kind = "automatic" if verdict.automatic else verdict.verdict
        return tr(f"gate.said.{kind}"), said(verdict.words) if verdict.automatic else verdict.words

    @property
    def can_judge(self) -> bool:
        return self.table is not None and self.stage.view.state in ("needs_eyes", "automatic", "approved")

    def can_approve(self, words: str) -> bool:
        """Where a row fails it passes only with words."""
        return self.can_judge and self.stage.view.state != "approved" and (not self.failing or bool(words.strip()))

    def approve(self, words: str) -> None:
        if self.can_approve(words):
            self.session.approve(STAGE, words.strip())

    def refuse(self, words: str) -> None:
        """Not good, in the coach's words; without words it would teach nobody anything."""
        if self.can_judge and words.strip():
            self.session.approve(STAGE, words.strip(), verdict="withdrawn")

    @property
    def judge_hint(self) -> str:
        if not self.can_judge:
            return self.stage.state_line
        return tr("gate.hint_fail") if self.failing else tr("gate.hint")

    def run(self) -> None:
        self.stage.run()


def row_view(row: GateRow) -> RowView:
    cells = {
        condition: tuple(
            CellView(value_text(row, value), _sign(row, value), verdict_of(row, value)) for value in values
        )
        for condition, values in row.values.items()
    }
    verdict = SHOWN if not row.judged else PASSES if row.passed else FAILS
    return RowView(name_of(row), limit_text(row), cells, verdict)


def name_of(row: GateRow) -> str:
    key = f"gate.row.{row.name}.name"
    return tr(key) if has(key) else row.name.replace("_", " ")


def verdict_of(row: GateRow, value: float) -> str:
    """Of one cell against the limit; shown where the row is not judged."""
    if not row.judged:
        return SHOWN
    good = value <= row.limit if row.sense == "below" else value >= row.limit
    return PASSES if good else FAILS


def value_text(row: GateRow, value: float, unit: bool = False) -> str:
    if abs(value) >= LOST:
        return "–"
    text = units.number(value, 0 if abs(value) >= 100 else DIGITS.get(row.unit, 2))
    return _with_unit(text, row.unit) if unit else text


def limit_text(row: GateRow) -> str:
    """ "≤ 3°"; "yes" for a row that asks whether."""
    if _asks_whether(row):
        return tr("stages.yes")
    limit = units.number(row.limit, 0 if float(row.limit).is_integer() else DIGITS.get(row.unit, 2))
    return f"{'≤' if row.sense == 'below' else '≥'} {_with_unit(limit, row.unit)}"


def _with_unit(text: str, unit: str) -> str:
    return f"{text}°" if unit == "deg" else f"{text} {unit}".rstrip()


def _asks_whether(row: GateRow) -> bool:
    return row.unit == "" and row.sense == "above" and row.limit == 1.0


def _sign(row: GateRow, value: float) -> str:
    if not _asks_whether(row):
        return ""
    return "check" if value >= row.limit else "close"


def _first(row: GateRow) -> str:
    return next(c for c in reversed(CONDITIONS) if c in row.values)
