"""What the coach of the sample does, solved once."""

from __future__ import annotations

import pytest

from studio.domain.body.build import build
from studio.domain.fit.kinematics import Kinematics
from studio.domain.synthetic import right_knee
from studio.domain.synthetic.perform import perform
from studio.schema.motion import Motion


@pytest.fixture(scope="session")
def knee() -> Motion:
    return perform(right_knee.COACH, right_knee.knee())


@pytest.fixture(scope="session")
def standing() -> Motion:
    return perform(right_knee.COACH, right_knee.standing())


@pytest.fixture(scope="session")
def coach() -> Kinematics:
    return Kinematics(build(right_knee.COACH).compile())
