"""Samples that come with the program: templates of text; their videos are copied from an installed library, or made."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from studio.schema.codec import document, read_document
from studio.schema.errors import StudioError
from studio.schema.project import ProjectInfo
from studio.schema.resources import sample as sample_path
from studio.store import atomic, reading
from studio.store.hashes import sha256_file
from studio.store.layout import Layout, spoken_name
from studio.store.project import Project, fresh_folder

if TYPE_CHECKING:
    from studio.domain.synthetic.generate import MadeFile

MANIFEST = "sample.toml"

Progress = Callable[[float, str], None]
"""Called with the fraction done (0..1) and a short text."""


@dataclass(frozen=True)
class SampleFile:
    """A file of the library: ``source`` in its package, ``target`` in the project, and the bytes it must have."""

    source: str
    target: str
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """Where a sample's videos come from: the import name of a ``package`` and the ``extra`` that installs it, or the
    name of a ``generator`` that makes them."""

    title: str
    package: str = ""
    extra: str = ""
    files: tuple[SampleFile, ...] = ()
    generator: str = ""


def names() -> tuple[str, ...]:
    """The samples there are."""
    return tuple(sorted(path.parent.name for path in sample_path().glob(f"*/{MANIFEST}")))


def copy_sample(name: str, folder: Path | str, on_progress: Progress | None = None) -> Project:
    """Make a project from a sample. ``on_progress`` hears of videos that are made, which takes up to a minute.

    Raises :class:`StudioError` for an unknown sample, a folder that is not empty, or where the library with its videos
    is not installed, nothing can be drawn, or the disk is full; then nothing is left in ``folder``.
    """
    if name not in names():
        raise StudioError(f"There is no sample {name!r}", f"there is {', '.join(names())}", "Choose one of them")
    template = sample_path(name)
    manifest = read_document(Manifest, tomllib.loads(reading.read_text(template / MANIFEST)), MANIFEST)
    sources = _sources(name, manifest)
    layout = Layout(Path(folder).resolve())
    info = reading.read_toml(ProjectInfo, template / layout.project_toml.name)
    info = replace(info, name=spoken_name(layout.root), sample=name)
    with fresh_folder(layout.root):
        for file, source in zip(manifest.files, sources, strict=True):
            atomic.write_bytes(layout.absolute(file.target), source.read_bytes(), new=True)
        for made in _made(name, manifest, on_progress or (lambda fraction, text: None)):
            if made.film is None:
                atomic.write_bytes(layout.absolute(made.target), made.content, new=True)
            else:
                _film(made.film, layout.absolute(made.target))
        for path in sorted(template.rglob("*.toml")):
            if path.name not in (MANIFEST, layout.project_toml.name):
                atomic.write_bytes(layout.root / path.relative_to(template), path.read_bytes(), new=True)
        atomic.write_toml(layout.project_toml, document(info), new=True)
    return Project.open(layout.root)


def _made(name: str, manifest: Manifest, on_progress: Progress) -> Iterator[MadeFile]:
    """The files that the sample's generator makes, each when it is asked for."""
    if not manifest.generator:
        return iter(())
    if manifest.generator != "right-knee":
        raise StudioError(
            f"The sample {name} cannot be made", f"nothing makes {manifest.generator!r}", "Install Padwork again"
        )
    from studio.domain.synthetic.generate import right_knee_files

    return right_knee_files(on_progress)


def _film(write: Callable[[Path], None], path: Path) -> None:
    """Let a film write itself. Raises :class:`StudioError` where the disk does not let it."""
    try:
        write(path)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StudioError(f"{path.name} was not written", why, "Make room on the disk, then do it again") from error


def _sources(name: str, manifest: Manifest) -> list[Path]:
    """The library's files, found without importing it."""
    if not manifest.package:
        return []
    spec = find_spec(manifest.package)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise StudioError(
            f"The sample {name} cannot be copied",
            f"its videos come with the library {manifest.package}, which is not installed",
            f"Install Padwork with the extra: pip install padwork[{manifest.extra}]",
        )
    sources = [Path(places[0]) / file.source for file in manifest.files]
    for file, path in zip(manifest.files, sources, strict=True):
        if not path.is_file() or sha256_file(path) != file.sha256:
            raise StudioError(
                f"The sample {name} cannot be copied",
                f"{file.source} of the installed {manifest.package} is missing or another file than expected",
                f"Install Padwork with the extra again: pip install padwork[{manifest.extra}]",
            )
    return sources
