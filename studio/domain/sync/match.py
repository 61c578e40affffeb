"""Which clap of one phone is which of the other: the one lag that most of them agree on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.domain.sync.claps import Claps
from studio.domain.sync.line import MOST_DRIFT, Line, fit_line

AGREE_S = 0.002
"""Claps agree when their lags differ by no more: the ways to both phones change by so much when who claps steps
0.7 m nearer to one of them."""
AS_LOUD = 0.25
"""What is so loud, compared with the claps that both phones heard, cannot have escaped the other phone."""
EDGE_S = 0.5
"""At the ends of a film a hand is on the phone; what one phone alone hears there says nothing."""
SAME_LAG_S = 0.040


@dataclass(frozen=True, eq=False)
class Match:
    """``times`` (K,) s when phone a heard each common event, ``lags`` (K,) s by which the other's clock was then ahead;
    ``unmatched``: loud claps of either that the other did not hear while it was recording; ``ambiguous``: another
    lag fits as many."""

    times: np.ndarray
    lags: np.ndarray
    line: Line | None
    unmatched: int
    ambiguous: bool

    @property
    def events(self) -> int:
        return len(self.times)


def match_claps(a: Claps, b: Claps, span_a: tuple[float, float], span_b: tuple[float, float]) -> Match:
    """The lag with the most common claps among all pairs. ``span``: from when to when each phone recorded (s, own)."""
    votes = []
    for i in range(len(a)):
        for j in range(len(b)):
            pairs = _pairs_near(a.times, b.times, float(b.times[j] - a.times[i]), float(a.times[i]))
            lags = b.times[pairs[:, 1]] - a.times[pairs[:, 0]]
            line = fit_line(a.times[pairs[:, 0]], lags, AGREE_S)
            votes.append((int(line.used.sum()), -line.residual_s, line, pairs[line.used]))
    votes = [vote for vote in votes if vote[0]]
    if not votes:
        return Match(np.zeros(0), np.zeros(0), None, len(a) + len(b), False)
    best = max(votes, key=lambda vote: vote[:2])
    line, pairs = best[2], best[3]
    others = [v[0] for v in votes if abs(v[2].offset_s - line.offset_s) > SAME_LAG_S]
    times = a.times[pairs[:, 0]]
    unmatched = _lonely(a, pairs[:, 0], span_a, span_b, a.times + line.at(a.times))
    unmatched += _lonely(b, pairs[:, 1], span_b, span_a, b.times - line.at(b.times))
    return Match(times, b.times[pairs[:, 1]] - times, line, unmatched, max(others, default=0) >= best[0])


def _pairs_near(a: np.ndarray, b: np.ndarray, lag: float, around: float) -> np.ndarray:
    """(K, 2) indices of the claps that meet when ``b`` is read ``lag`` earlier, each with its nearest."""
    off = b[None, :] - a[:, None] - lag
    allowed = AGREE_S + MOST_DRIFT * np.abs(a - around)
    nearest = np.argmin(np.abs(off), axis=1)
    met = np.abs(off[np.arange(len(a)), nearest]) <= allowed
    return np.stack([np.flatnonzero(met), nearest[met]], axis=1)


def _lonely(
    claps: Claps, matched: np.ndarray, span: tuple[float, float], other: tuple[float, float], there: np.ndarray
) -> int:
    """Loud claps without a partner although both phones were recording; ``there``: their times on the other's clock."""
    alone = claps.loudness >= AS_LOUD * np.median(claps.loudness[matched])
    alone[matched] = False
    for times, (start, end) in ((claps.times, span), (there, other)):
        alone &= (times > start + EDGE_S) & (times < end - EDGE_S)
    return int(alone.sum())
