"""Bodies from files and from a coach's measures, and their identity."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict
from pathlib import Path

from studio.domain.body.hinges import HINGES
from studio.domain.body.proportions import lengths, masses
from studio.schema.body import Body
from studio.schema.codec import read_document
from studio.schema.errors import StudioError
from studio.schema.project import Coach
from studio.schema.resources import resource

GENERATOR = 1
"""Raised when the same measures give another body than before."""
MAX_FILE = 64 * 1024


def load_body(name_or_path: str | Path) -> Body:
    """A body by its name in resources/bodies ("fighter", "coach") or by the path of a TOML file.

    Raises :class:`StudioError` when there is no such body or its measures are impossible.
    """
    path, bodies = Path(name_or_path), resource("bodies")
    if path.suffix != ".toml":
        path = bodies / f"{path.name}.toml"
    known = ", ".join(sorted(p.stem for p in bodies.glob("*.toml")))
    try:
        if path.stat().st_size > MAX_FILE:
            raise StudioError(f"{path.name} cannot be read", "it is too long for a body", "Choose another file")
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StudioError(f"There is no body {name_or_path}", f"{path} does not exist", f"Known are: {known}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise StudioError(f"{path.name} cannot be read", str(error), "Correct the file") from None
    return _checked(read_document(Body, plain, path.name))


def coach_body(coach: Coach, measures: dict[str, float]) -> Body:
    """The coach as a body: measured lengths (m), over which the ones he typed in win. Raises :class:`StudioError`."""
    return _checked(Body("coach", coach.stature, coach.mass, 1.0, {**measures, **coach.measures}, gloves=False))


def body_hash(body: Body) -> str:
    """SHA-256 (hex) over everything that makes two bodies move alike: lengths, masses, hinges, the generator."""
    parts = {
        "generator": GENERATOR,
        "lengths": {k: round(v, 9) for k, v in lengths(body).items()},
        "masses": {k: round(v, 9) for k, v in masses(body).items()},
        "stature": round(body.stature, 9),
        "gloves": body.gloves,
        "hinges": {part: [asdict(h) for h in hinges] for part, hinges in HINGES.items()},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _checked(body: Body) -> Body:
    what = f"The body {body.name} cannot be used"
    if not (1.2 <= body.stature <= 2.3 and 25 <= body.mass <= 200 and 0.6 <= body.leg_ratio <= 1.6):
        numbers = f"stature {body.stature} m, mass {body.mass} kg, leg ratio {body.leg_ratio}"
        raise StudioError(what, f"{numbers} is no human body", "Correct its measures (metres, kilograms)")
    try:
        found = lengths(body)
    except ValueError as error:
        raise StudioError(what, str(error), "Correct its measures") from None
    for name in body.measures:
        usual = lengths(Body(body.name, body.stature, body.mass, body.leg_ratio))[name]
        if not 0.4 * usual <= found[name] <= 2.5 * usual:
            why = f"{name} is {found[name]:.3f} m where about {usual:.3f} m is usual for {body.stature:.2f} m"
            raise StudioError(what, why, "Correct this measure, or leave it out")
    return body
