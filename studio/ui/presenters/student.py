"""What the Student page says and does: rows of every skill against its teacher and the former student, losses on top,
the tries behind them at the same moment, how near he came to his teachers, and the last word."""

from __future__ import annotations

import time

from studio.app import clips, units
from studio.app.films import places_in
from studio.app.said import said
from studio.app.session import Session
from studio.app.student import STAGE, Curve, Distilled, Policy, SkillView, newest_curves, play_try, read_distilled
from studio.app.text import tr
from studio.ui.presenters.presenter import technique_name
from studio.ui.presenters.stage import Pair
from studio.ui.presenters.student_rows import PASSES, StudentRow, rows_of, verdict_text, worst_try
from studio.ui.presenters.tries import Played, TriesPresenter

WHO = ("student", "teacher", "former")
READ_EVERY_S = 2.0


class StudentPresenter(TriesPresenter):
    """A try is the student's, shown beside those of his teacher and of the former student."""

    words = "student"

    def __init__(self, session: Session) -> None:
        super().__init__(session, STAGE)
        self.distilled: Distilled | None = None
        self.rows: tuple[StudentRow, ...] = ()
        self.row, self.condition, self.seed = 0, "bag", 0
        self._running: dict[str, Curve] = {}
        self._read_at = 0.0
        self.stage.progressed.connect(self._read_curves)

    @property
    def result(self) -> Distilled | None:
        return self.distilled

    def _read(self) -> None:
        self.session.ask(read_distilled, self._show)

    def _show(self, found: Distilled | None) -> None:
        before, self.distilled, self.loaded = self.distilled, found, True
        self.rows = rows_of(found.skills) if found else ()
        if found is not None and (before is None or (before.name, before.skills) != (found.name, found.skills)):
            self._kept.clear()
            self.choose(self._first())
        self.changed.emit()

    def _first(self) -> int:
        """What got worse stands on top; where nothing did, the chosen technique's first row."""
        if self.rows and not self.rows[0].is_worse:
            own = [k for k, row in enumerate(self.rows) if row.technique == self.session.technique]
            return own[0] if own else 0
        return 0

    @property
    def lit(self) -> StudentRow | None:
        return self.rows[self.row] if self.row < len(self.rows) else None

    @property
    def skill(self) -> SkillView | None:
        return self.distilled.skill(self.lit.technique) if self.distilled and self.lit else None

    @property
    def policies(self) -> dict[str, Policy]:
        """Who plays in the panes: two where there is no former student."""
        skill = self.skill
        if skill is None:
            return {}
        found = {"student": skill.student, "teacher": skill.teacher, "former": skill.former}
        return {who: policy for who, policy in found.items() if policy is not None}

    def choose(self, row: int) -> None:
        """Light a row and play the student's worst try in it."""
        if not 0 <= row < len(self.rows):
            return
        self.row = row
        self.condition, self.seed = worst_try(self.rows[row].student)
        self._play_lit()

    def choose_skill(self, technique: str) -> None:
        """Light the first row of a skill."""
        for number, row in enumerate(self.rows):
            if row.technique == technique:
                self.choose(number)
                return

    def move(self, rows: int, tries: int) -> None:
        """Up and down between the rows, left and right between the tries of the lit one."""
        if self.lit is None:
            return
        if rows:
            self.choose(min(max(self.row + rows, 0), len(self.rows) - 1))
            return
        values = self.lit.student.values
        places = [(condition, k) for condition, found in values.items() for k in range(len(found))]
        now = places.index((self.condition, self.seed))
        self.condition, self.seed = places[min(max(now + tries, 0), len(places) - 1)]
        self._play_lit()

    def _play_lit(self) -> None:
        skill = self.skill
        if skill is None:
            return
        technique, condition, seed = skill.technique, self.condition, skill.student.gate.seeds[self.seed]
        project, paths = self.session.project, {who: policy.path for who, policy in self.policies.items()}

        def play() -> Played:
            ground = clips.read_ground(project, technique)
            films = {who: play_try(project, technique, path, condition, seed) for who, path in paths.items()}
            tracks = {who: film.qpos for who, film in films.items()}
            return Played(ground, films["student"], tracks, places_in(ground.scene, tuple(tracks.values())))

        self._play((technique, condition, seed, *paths.values()), play)

    @property
    def sentence(self) -> str:
        if self.distilled is None:
            return self.stage.sentence
        return tr("student.sentence", name=self.distilled.name, count=len(self.distilled.skills))

    def pane_title(self, who: str) -> str:
        policy = self.policies.get(who)
        return tr(f"student.{who}_named", name=policy.name) if policy else ""

    def pane_verdict(self, who: str) -> tuple[str, str]:
        """The lit try's value of who plays, and whether it passes."""
        policy, lit = self.policies.get(who), self.lit
        row = lit.of(who) if lit and policy else None
        return verdict_text(row, self.condition, self.seed) if row else ("", PASSES)

    @property
    def film_title(self) -> str:
        return tr("gate.cell", condition=tr(f"gate.{self.condition}"), number=self.seed + 1)

    @property
    def facts(self) -> tuple[Pair, ...]:
        """How he was distilled."""
        if self.distilled is None:
            return ()
        record, former = self.distilled.record, next((s.former for s in self.distilled.skills if s.former), None)
        pairs = [
            Pair(tr("student.teachers"), str(len(self.distilled.skills))),
            Pair(tr("student.machine"), said(str(record.summary.get("machine", "")))),
            Pair(tr("stages.took"), units.length_of_time(record.seconds)),
            Pair(tr("student.before"), former.name if former else tr("student.none")),
        ]
        return tuple(pairs)

    @property
    def skills(self) -> tuple[tuple[str, str, str, str, bool], ...]:
        """Per skill: technique, its name, who taught it, what is left of the error, whether he passes its gate."""
        found = self.distilled.skills if self.distilled else ()
        return tuple(
            (s.technique, technique_name(s.technique), s.teacher.name, share_text(s), s.student.gate.passed)
            for s in found
        )

    @property
    def curve(self) -> tuple[str, str, tuple[tuple[float, float], ...]]:
        """Title, last value and points of the lit skill's error; of a run while it goes on."""
        curves = self._running if self.stage.is_running and self._running else {}
        curves = curves or (self.distilled.curves if self.distilled else {})
        technique = self.lit.technique if self.lit else self.session.technique
        technique = technique if technique in curves else next(iter(curves), technique)
        points = curves.get(technique, ())
        now = error_text(points[-1][1]) if points else ""
        return tr("student.distance", technique=technique_name(technique)), now, points

    def _read_curves(self) -> None:
        """Now and then while it is distilled."""
        if not self.stage.is_running or time.monotonic() - self._read_at < READ_EVERY_S:
            return
        self._read_at = time.monotonic()
        self.session.ask(newest_curves, self._show_curves)

    def _show_curves(self, curves: dict[str, Curve]) -> None:
        self._running = curves
        self.changed.emit()

    @property
    def verdict_line(self) -> str:
        """The whole student in a sentence."""
        if self.distilled is None:
            return ""
        lost = sum(row.is_lost for row in self.rows)
        whole = tr("student.all_pass", count=len(self.distilled.skills))
        if self.failing:
            whole = tr("student.some_fail", count=len(self.failing), names=tr("gate.and").join(self.failing))
        return f"{whole} {tr('student.lost', count=lost) if lost else tr('student.nothing_lost')}"

    @property
    def failing(self) -> tuple[str, ...]:
        """Names of the skills that do not pass their gates."""
        found = self.distilled.skills if self.distilled else ()
        return tuple(technique_name(s.technique) for s in found if not s.student.gate.passed)

    @property
    def judge_hint(self) -> str:
        return super().judge_hint if self.distilled is not None else ""

    def run(self) -> None:
        self._running = {}
        super().run()


def error_text(value: float) -> str:
    """A mean square of actions: two figures that tell."""
    return f"{value:.1e}" if 0 < value < 1e-4 else f"{value:.2g}"


def share_text(skill: SkillView) -> str:
    """What is left of the first error, in percent."""
    if skill.error is None or skill.error[0] <= 0:
        return "–"
    return f"{units.number(100 * skill.error[1] / skill.error[0], 1)} %"
