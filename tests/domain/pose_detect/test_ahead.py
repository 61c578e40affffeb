import threading
from collections.abc import Iterator

import numpy as np
import pytest

from studio.domain.pose.detector import AHEAD, ahead
from studio.schema.errors import StudioError


def pictures(count: int, made: list[int]) -> Iterator[np.ndarray]:
    for i in range(count):
        made.append(i)
        yield np.full((2, 2, 3), i, dtype=np.uint8)


def test_same_frames_in_order() -> None:
    assert [int(p[0, 0, 0]) for p in ahead(pictures(50, []))] == list(range(50))


def test_only_a_few_ahead_and_stops_when_left() -> None:
    made: list[int] = []
    before = threading.active_count()
    for frame in ahead(pictures(10_000, made)):
        if frame[0, 0, 0] == 3:
            break
    assert len(made) <= 4 + AHEAD + 2
    assert threading.active_count() == before


def test_errors_arrive_where_the_frames_are_read() -> None:
    def broken() -> Iterator[np.ndarray]:
        yield np.zeros((2, 2, 3), dtype=np.uint8)
        raise StudioError("Frame 1 cannot be shown", "the file is damaged there", "Copy it again")

    reading = ahead(broken())
    next(reading)
    with pytest.raises(StudioError, match="Frame 1"):
        next(reading)
