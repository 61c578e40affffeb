"""What goes between this program and its solver: a JSON line each way, a motion as npz bytes behind its line."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np

from studio.domain.layers.compose import Share
from studio.schema import codec
from studio.schema.errors import StudioError
from studio.schema.layers import Layers
from studio.schema.motion import Retarget

LINE_LIMIT, MOTION_LIMIT = 1 << 20, 1 << 28
"""bytes"""


@dataclass(frozen=True, eq=False)
class Request:
    """Layers to be solved; ``number`` grows."""

    number: int
    layers: Layers


@dataclass(frozen=True, eq=False)
class Solved:
    """The answer to a request; not ``settled`` where a newer one hurried it."""

    number: int
    retarget: Retarget
    shares: tuple[Share, ...]
    settled: bool


@dataclass(frozen=True)
class Refused:
    """A request that cannot be solved; number 0: none can be."""

    number: int
    what: str
    why: str
    next_step: str

    @property
    def error(self) -> StudioError:
        return StudioError(self.what, self.why, self.next_step)


Answer = Solved | Refused


def write_request(stream: IO[bytes], request: Request) -> None:
    """One line. Raises ``OSError`` where nobody reads any more."""
    _write_line(stream, {"number": request.number, "layers": codec.to_plain(request.layers)})


def read_request(stream: IO[bytes]) -> Request | None:
    """The next request; None at the end, or where what comes is no request."""
    plain = _read_line(stream)
    try:
        return None if plain is None else Request(int(plain["number"]), codec.from_plain(Layers, plain["layers"]))
    except (KeyError, TypeError, ValueError, StudioError):
        return None


def write_answer(stream: IO[bytes], answer: Answer) -> None:
    """One line, and the motion behind it. Raises ``OSError`` where nobody reads any more."""
    if isinstance(answer, Refused):
        _write_line(stream, asdict(answer))
        return
    motion = io.BytesIO()
    np.savez(motion, **codec.pack(answer.retarget))  # type: ignore[arg-type]
    shares = [asdict(share) for share in answer.shares]
    size = motion.getbuffer().nbytes
    _write_line(stream, {"number": answer.number, "settled": answer.settled, "shares": shares, "bytes": size})
    stream.write(motion.getbuffer())
    stream.flush()


def read_answer(stream: IO[bytes]) -> Answer | None:
    """The next answer; None at the end, or where what comes is no answer."""
    plain = _read_line(stream)
    try:
        if plain is None or "what" in plain:
            return None if plain is None else Refused(**plain)
        shares = codec.from_plain(tuple[Share, ...], plain["shares"], "shares")
        return Solved(int(plain["number"]), _motion(stream, int(plain["bytes"])), shares, bool(plain["settled"]))
    except (KeyError, TypeError, ValueError, EOFError, BadZipFile, StudioError):
        return None


def _motion(stream: IO[bytes], size: int) -> Retarget:
    if not 0 < size <= MOTION_LIMIT:
        raise ValueError(f"a motion of {size} bytes")
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return codec.unpack(Retarget, {name: arrays[name] for name in arrays.files}, "the solved motion")


def _write_line(stream: IO[bytes], plain: dict[str, Any]) -> None:
    stream.write(json.dumps(plain).encode() + b"\n")
    stream.flush()


def _read_line(stream: IO[bytes]) -> dict[str, Any] | None:
    line = stream.readline(LINE_LIMIT)
    try:
        plain = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return plain if isinstance(plain, dict) else None
