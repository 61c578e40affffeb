"""The takes of the sample: what he does, what is heard, and what is wrong with the keypoints. Seeds are fixed here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from studio.domain.synthetic import phones, right_knee
from studio.domain.synthetic.curves import Choreography
from studio.domain.synthetic.seen import Faults, Gap, Swap
from studio.schema.take import Sync

SESSION = "gym"
RIGHT_FOOT = ("RAnkle", "RHeel", "RBigToe", "RSmallToe")


@dataclass(frozen=True)
class Written:
    """One take before it is made: ``claps_s`` on the common clock; ``clap_seed`` for the room and its noise."""

    name: str
    choreography: Callable[[], Choreography]
    claps_s: tuple[float, ...]
    clap_seed: int
    faults: Faults


TAKES = (
    Written(
        "right-knee",
        right_knee.knee,
        (0.23, 0.51, 0.86, 3.34),
        11,
        Faults(101, (Swap("b", "legs", 96, 6),), (Gap("a", RIGHT_FOOT, 123, 8),)),
    ),
    Written("stance", right_knee.standing, (0.22, 0.55, 0.79, 2.36), 12, Faults(102)),
)


@dataclass(frozen=True)
class TakeTruth:
    """What is true of a take and what was done to it (truth.toml); nothing in the chain reads it.

    ``sync``: the phones' clocks. ``claps_s``: on the common clock; the air carries them to both phones in
    ``clap_delay_s``. ``measures`` (m) and ``stature`` of the coach; ``strike_s`` and ``strike_m``: when and how high
    the strike_knee_r site is at its highest, 0 where nothing strikes.
    """

    take: str
    words: str
    sync: Sync
    claps_s: tuple[float, ...]
    clap_delay_s: dict[str, float]
    noise_px: float
    outlier_share: float
    swaps: tuple[Swap, ...]
    gaps: tuple[Gap, ...]
    seeds: dict[str, int]
    stature: float
    measures: dict[str, float]
    strike_s: float = 0.0
    strike_m: float = 0.0


WORDS = "Nobody was filmed: motion, pictures, sound and keypoints of this take were made by the program."


def way_through_air() -> dict[str, float]:
    """Seconds from the clapper to each phone."""
    from studio.domain.synthetic.claps import SPEED_OF_SOUND

    return {phone: phones.clap_way_m(phone) / SPEED_OF_SOUND for phone in phones.PLACES}
