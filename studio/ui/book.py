"""Which pages there are, what they are called, and how each is made."""

from __future__ import annotations

from studio.app.session import Session
from studio.ui.pages.correct import CorrectPage
from studio.ui.pages.gate import GatePage
from studio.ui.pages.home import HomePage
from studio.ui.pages.machines import MachinesPage
from studio.ui.pages.page import Page
from studio.ui.pages.review import ReviewPage
from studio.ui.pages.stage import StagePage
from studio.ui.pages.student import StudentPage
from studio.ui.pages.teacher import TeacherPage
from studio.ui.presenters.correct import CorrectPresenter
from studio.ui.presenters.gate import GatePresenter
from studio.ui.presenters.home import HomePresenter
from studio.ui.presenters.machines import MachinesPresenter
from studio.ui.presenters.review import ReviewPresenter
from studio.ui.presenters.stage import StagePresenter
from studio.ui.presenters.student import StudentPresenter
from studio.ui.presenters.teacher import TeacherPresenter

NAMES = {
    1: "capture", 2: "keypoints", 3: "space", 4: "skeleton", 5: "retarget",
    6: "variants", 7: "teacher", 8: "gate", 9: "student",
}  # fmt: skip
"""Stage to the name of its page. "home" is the one without a stage, "review" and "correct" show stage 5."""


def place_of(name: str) -> str:
    """Where a page stands in the rail: "home", "machines" or a stage's number. Raises ``KeyError``."""
    if name in ("home", "machines"):
        return name
    return str({**{page: stage for stage, page in NAMES.items()}, "review": 5, "correct": 5}[name])


def make_page(name: str, session: Session) -> Page:
    """A page by its name. Raises ``KeyError``."""
    if name == "home":
        return HomePage(HomePresenter(session))
    if name == "machines":
        return MachinesPage(MachinesPresenter(session))
    if name == "review":
        return ReviewPage(ReviewPresenter(session))
    if name == "correct":
        return CorrectPage(CorrectPresenter(session))
    if name == "teacher":
        return TeacherPage(TeacherPresenter(session))
    if name == "gate":
        return GatePage(GatePresenter(session))
    if name == "student":
        return StudentPage(StudentPresenter(session))
    return StagePage(StagePresenter(session, int(place_of(name))))
