"""The sync of two phones from what both heard, or a clear no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from studio.domain.sync.claps import Claps, find_claps
from studio.domain.sync.line import LEAST_EVENTS, MOST_DRIFT, Line, fit_line
from studio.domain.sync.match import Match, match_claps
from studio.domain.sync.phat import window_lags
from studio.domain.video.audio import Sound
from studio.schema.errors import StudioError
from studio.schema.take import Sync

LEAST_S = 2.0
"""A shorter sound holds too little to tell one lag from another."""
LEAST_CLAPS = 2
"""One clap nearly always finds a partner, also in another take."""
LEAST_WINDOWS = 4
WINDOWS_AGREE_S = 0.0005
MOST_WINDOWS = 0.7
"""Share of the clear windows that must agree; two takes' claps that meet by chance fill some windows, not most."""
MOST_UNMATCHED = 0.5
"""Claps that one phone alone heard, for each that both heard; more of them and the files are of different takes."""
SPEEDS = (2.0, 4.0, 8.0, 0.5, 0.25, 0.125)
"""Slow motion plays so many times slower."""
NEARLY_ALL = 0.75
BY_HAND = 'Clap twice while both phones film, or write sync.method = "hand" and sync.offset_s.b in session.toml'
SAME_TAKE = 'Choose two files of one take, or write sync.method = "hand" and sync.offset_s.b in session.toml'


@dataclass(frozen=True, eq=False)
class SoundSync:
    """``sync`` of method "sound"; ``by``: "claps" or "windows" of continuous sound; ``times`` (K,) s, when phone a
    heard each event used, ``lags`` (K,) s by which the other's clock was ahead; ``unmatched`` claps that one phone
    alone heard; ``residual_ms`` root mean square distance of the events from the line."""

    sync: Sync
    by: str
    times: np.ndarray = field(repr=False)
    lags: np.ndarray = field(repr=False)
    unmatched: int
    residual_ms: float

    @property
    def events(self) -> int:
        return len(self.times)


def sync_by_sound(sounds: Mapping[str, Sound]) -> SoundSync:
    """The clock of phone "b" against phone "a"'s from claps that both heard, or from other sound where they heard none.

    ``sounds``: phone to its sound, two of them. First arrivals of claps are matched by the one lag that most agree on;
    a line through them gives offset and drift. Without claps, windows of sound are correlated instead. Where the two
    phones stand at different distances from what sounds, the offset holds the difference of the ways (2.9 ms a metre).

    Raises :class:`StudioError` where the sound does not tell: too short, no claps heard, fewer than two that agree,
    as many heard by one phone alone as by both, another lag that fits as well, one file played slower than filmed.
    """
    (first, a), (second, b) = sorted(sounds.items())
    for phone, sound in ((first, a), (second, b)):
        if sound.duration_s < LEAST_S:
            raise StudioError(
                f"The sound of phone {phone} is too short",
                f"it lasts {sound.duration_s:.2f} s, and {LEAST_S:.0f} s are the least",
                BY_HAND,
            )
    claps = {first: find_claps(a), second: find_claps(b)}
    match = match_claps(claps[first], claps[second], (a.start_s, a.end_s), (b.start_s, b.end_s))
    if match.line is not None and _no(match) == "":
        sync, residual = _line_sync(second, match.line), 1000 * match.line.residual_s
        return SoundSync(sync, "claps", match.times, match.lags, match.unmatched, residual)
    windows = window_lags(a, b)
    if len(windows.times) >= LEAST_WINDOWS:
        line = fit_line(windows.times, windows.lags, WINDOWS_AGREE_S)
        enough = line.used.sum() >= max(LEAST_WINDOWS, MOST_WINDOWS * len(windows.times))
        if enough and abs(line.drift) < MOST_DRIFT:
            sync, times, lags = _line_sync(second, line), windows.times[line.used], windows.lags[line.used]
            return SoundSync(sync, "windows", times, lags, 0, 1000 * line.residual_s)
    raise _refusal(claps, match)


def _line_sync(phone: str, line: Line) -> Sync:
    return Sync("sound", {phone: line.offset_s}, {phone: line.drift} if line.drift else None)


def _no(match: Match) -> str:
    """Why the claps do not tell the lag, as a clause; empty where they do."""
    if not match.events:
        return "no clap is heard by both"
    if match.events < LEAST_CLAPS:
        return f"only {match.events} clap is heard by both"
    if match.unmatched > MOST_UNMATCHED * match.events:
        return f"{match.events} claps fit, {match.unmatched} were heard by one phone alone"
    if match.ambiguous:
        return f"{match.events} claps come so regularly that they fit in several ways"
    return ""


def _refusal(claps: Mapping[str, Claps], match: Match) -> StudioError:
    deaf = [phone for phone, heard in claps.items() if not len(heard)]
    what = "The phones cannot be put on one clock by their sound"
    if deaf:
        why = f"no clap is heard on phone {deaf[0]}" if len(deaf) == 1 else "no clap is heard"
        return StudioError(what, why, BY_HAND)
    speed = _slower(*claps.values())
    if speed:
        why = f"one of them plays {speed:.0f} times slower than the other"
        return StudioError(what, why, "Film without slow motion")
    fewest = min(claps, key=lambda phone: len(claps[phone]))
    if len(claps[fewest]) < LEAST_CLAPS:
        return StudioError(what, f"only {len(claps[fewest])} clap is heard on phone {fewest}", BY_HAND)
    return StudioError(what, _no(match), SAME_TAKE)


def _slower(a: Claps, b: Claps) -> float:
    """How many times slower one is played than the other, where nearly all claps then fit; 0 where none is."""
    for speed in SPEEDS:
        slowed = Claps(a.times * speed, a.loudness)
        spans = ((claps.times[0], claps.times[-1]) for claps in (slowed, b))
        if match_claps(slowed, b, *spans).events >= max(LEAST_EVENTS, NEARLY_ALL * min(len(a), len(b))):
            return max(speed, 1 / speed)
    return 0.0
