"""What two phones see, against the clock that their sound told."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from studio.domain.sync.agree import _lowest, agreement, sync_findings
from studio.domain.sync.overlap import with_sync
from studio.schema.camera import Rig
from studio.schema.errors import StudioError
from studio.schema.keypoints import Keypoints
from studio.schema.session import DeclaredTake
from studio.schema.take import Sync, Take, Video

FPS = 60.0


@pytest.mark.parametrize("late", [0.0, 0.5, 1.3])
def test_a_right_clock_is_agreed_with(
    phones: Callable[..., Rig], film: Callable[..., tuple[Keypoints, ...]], late: float
) -> None:
    rig = phones(30, 95)
    for seed in (1, 2):
        found = agreement(rig, film(rig, seed, late_frames=(0.0, late)), Sync("sound"), FPS)
        assert found.best_s == pytest.approx(0.0, abs=0.1 / FPS)
        assert sync_findings(found, "b", (0.0, 1.0), FPS) == ()


@pytest.mark.parametrize("wrong", [-1.0, 0.8, 2.2])
def test_a_wrong_clock_is_told(
    phones: Callable[..., Rig], film: Callable[..., tuple[Keypoints, ...]], wrong: float
) -> None:
    rig = phones(30, 95)
    sync = Sync("sound", {"b": wrong / FPS})
    found = agreement(rig, film(rig, 3), sync, FPS)
    assert found.best_s == pytest.approx(-wrong / FPS, abs=0.15 / FPS)
    (finding,) = sync_findings(found, "b", (0.1, 1.9), FPS)
    assert (finding.kind, finding.subject, finding.unit, finding.repaired) == ("sync", "b", "ms", False)
    assert finding.value == pytest.approx(-1000 * wrong / FPS, abs=3) and finding.limit == pytest.approx(500 / FPS)


def test_a_wrong_calibration_alone_is_not_blamed_on_the_clock(
    phones: Callable[..., Rig], film: Callable[..., tuple[Keypoints, ...]]
) -> None:
    rig = phones(30, 95)
    keypoints = film(rig, 4)
    off = Rig((rig.cameras[0], phones(30, 96.5).camera("b")))
    assert sync_findings(agreement(off, keypoints, Sync("sound"), FPS), "b", (0.0, 1.0), FPS) == ()


def test_who_stands_still_tells_nothing(
    phones: Callable[..., Rig], film: Callable[..., tuple[Keypoints, ...]], kicker: Callable[[np.ndarray], np.ndarray]
) -> None:
    rig = phones(30, 95)
    still = film(rig, 5, motion=lambda times: kicker(np.zeros(len(times))))
    assert agreement(rig, still, Sync("sound"), FPS).best_s is None


def test_a_real_pair_agrees(
    demo_rig: Callable[[str], Rig], demo_keypoints: Callable[..., tuple[Keypoints, ...]]
) -> None:
    """Cameras that ran together, with the right and with a biased calibration; a frame off is told with both."""
    keypoints = demo_keypoints("heavy", "cam01", "cam02")
    for calibration in ("refined", "original"):
        rig = demo_rig(calibration)
        assert sync_findings(agreement(rig, keypoints, Sync(), FPS), "cam02", (0.0, 1.0), FPS) == ()
        off = agreement(rig, keypoints, Sync(offset_s={"cam02": 1 / FPS}), FPS)
        assert off.best_s == pytest.approx(-1 / FPS, abs=0.3 / FPS)
        assert len(sync_findings(off, "cam02", (0.0, 1.0), FPS)) == 1


def test_views_that_never_miss_tell_nothing() -> None:
    assert _lowest(np.arange(5.0), np.zeros(5)) is None


def filmed(seconds: float = 10.0) -> Take:
    videos = tuple(Video(phone, f"{phone}.mp4", "", 8, 8, FPS, int(seconds * FPS), seconds) for phone in "ab")
    return Take("kick", "gym", videos, Sync("sound"), 0.0, seconds)


def test_in_and_out_follow_the_clock() -> None:
    late = Sync("sound", {"b": -2.0}, {"b": 1e-4})
    last = 10.0 - 1 / FPS
    take = with_sync(filmed(), DeclaredTake("kick", {}), late)
    assert take.sync == late
    assert (take.start_s, take.end_s) == (pytest.approx(2.0, abs=1e-3), pytest.approx(last))
    early = with_sync(filmed(), DeclaredTake("kick", {}), Sync("sound", {"b": 2.0}))
    assert (early.start_s, early.end_s) == (0.0, pytest.approx(last - 2.0))
    cut = with_sync(filmed(), DeclaredTake("kick", {}, start_s=3.0, end_s=9.99), late)
    assert (cut.start_s, cut.end_s) == (3.0, pytest.approx(last))
    with pytest.raises(StudioError, match="Take kick is empty"):
        with_sync(filmed(), DeclaredTake("kick", {}, end_s=1.5), late)
