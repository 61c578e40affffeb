"""What the Gate page says and does: rows by seeds, verdicts against limits, the try behind a cell, the last word."""

from __future__ import annotations

from dataclasses import dataclass

from studio.app import clips, units
from studio.app.films import places_in
from studio.app.gate import STAGE, Film, Judged, play_cell, read_judged
from studio.app.session import Session
from studio.app.text import has, tr
from studio.schema.training import GateRow, GateTable
from studio.ui.presenters.stage import Pair
from studio.ui.presenters.tries import Played, TriesPresenter

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


class GatePresenter(TriesPresenter):
    """Each cell is a try, shown beside its reference."""

    words = "gate"

    def __init__(self, session: Session) -> None:
        super().__init__(session, STAGE)
        self.judged: Judged | None = None
        self.cell = Cell(0, "bag", 0)

    @property
    def result(self) -> Judged | None:
        return self.judged

    @property
    def film(self) -> Film | None:
        return self.played.film if self.played else None

    def _read(self) -> None:
        technique = self.session.technique
        if technique:
            self.session.ask(lambda project: read_judged(project, technique), self._show)

    def _show(self, judged: Judged | None) -> None:
        fresh = judged is not None and (self.judged is None or judged.table != self.judged.table)
        self.judged, self.loaded = judged, True
        if fresh:
            self._kept.clear()
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
        if self.table is None or cell.seed >= len(self.seeds):
            self._wanted = None
            self.try_chosen.emit()
            return
        technique, condition, seed = self.session.technique, cell.condition, self.seeds[cell.seed]
        project, known = self.session.project, self.played

        def play() -> Played:
            ground = known.ground if known else clips.read_ground(project, technique)
            film = play_cell(project, technique, condition, seed)
            tracks = {"try": film.qpos, "reference": film.reference}
            return Played(ground, film, tracks, places_in(ground.scene, tuple(tracks.values())))

        self._play((self.table.policy_sha256, condition, seed), play)

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
    def film_title(self) -> str:
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
