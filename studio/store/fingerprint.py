"""What a stage's result depends on, as one hash: stage, subject, inputs' bytes, parameters, version of the code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.schema.errors import StudioError
from studio.schema.lineage import Record
from studio.store.catalog import Inputs, declaration
from studio.store.hashes import digest
from studio.store.revisions import role

if TYPE_CHECKING:
    from studio.store.project import Project

VERSION_KEY = "stage"
LAYERS = "layers.toml"


@dataclass(frozen=True)
class Fingerprint:
    """``inputs``: path in the project to SHA-256; ``value``: the hash of all of it."""

    inputs: dict[str, str]
    parameters: dict[str, Any]
    version: int
    value: str


def of(project: Project, stage: int, subject: str, inputs: Inputs) -> Fingerprint:
    """The fingerprint a run would have now. Raises :class:`StudioError` naming a file that is missing."""
    paths = [*inputs.files, *upstream_files(project, inputs)]
    hashes = {project.layout.relative(path): project.hashes.of(path) for path in paths}
    version = declaration(stage).version
    return Fingerprint(hashes, inputs.parameters, version, value(stage, subject, hashes, inputs.parameters, version))


def value(stage: int, subject: str, inputs: dict[str, str], parameters: dict[str, Any], version: int) -> str:
    """The hash itself. A revision's number does not count: the same bytes made again change nothing downstream."""
    plain = {role(path): sha for path, sha in inputs.items()}
    return digest([stage, subject, plain, parameters, version])


def upstream_files(project: Project, inputs: Inputs) -> list[Path]:
    """The files of earlier stages that a run reads; of a teacher, the adopted snapshot alone."""
    paths = []
    for upstream in inputs.upstream:
        if not upstream.reads:
            continue
        if upstream.stage == 7:
            paths.append(project.adopted(upstream.subject))
            continue
        revision = project.revision(upstream.stage, upstream.subject)
        if revision is not None:
            paths += [project.layout.absolute(name) for name in revision.record.files]
    return paths


def damage(project: Project, record: Record) -> str:
    """Which file of a result is no longer what was written, in words, or nothing. Of a teacher the policies count
    alone: a lost clip is no reason to train again."""
    for name, wanted in record.outputs.items():
        if record.stage == 7 and not name.endswith(".onnx"):
            continue
        try:
            found = project.hashes.of(project.layout.absolute(name))
        except StudioError:
            return f"{name} is missing"
        if found != wanted:
            return f"{name} is not what was written"
    return ""


def changes(old: dict[str, str], new: dict[str, str]) -> tuple[str, ...]:
    """Names of the inputs that differ, for a sentence."""
    before, after = ({role(path): sha for path, sha in inputs.items()} for inputs in (old, new))
    differing = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    return tuple(dict.fromkeys(_title(key) for key in differing))


def difference(record: Record, wanted: Fingerprint) -> str:
    """Why a result is stale, in words."""
    names = changes(record.inputs, wanted.inputs)
    if names:
        return f"{' and '.join(names)} changed"
    keys = record.parameters.keys() | wanted.parameters.keys()
    differing = sorted(k for k in keys if record.parameters.get(k) != wanted.parameters.get(k))
    if differing:
        return f"{' and '.join(differing)} changed"
    return "the program computes this stage in another way now"


def differs_in_layers_alone(record: Record, wanted: Fingerprint) -> bool:
    """Whether a result was made from all that ``wanted`` names, but for the coach's layers."""
    made, now = (
        value(record.stage, record.subject, _without_layers(inputs), parameters, version)
        for inputs, parameters, version in (
            (record.inputs, record.parameters, int(record.versions.get(VERSION_KEY, "0"))),
            (wanted.inputs, wanted.parameters, wanted.version),
        )
    )
    return made == now


def _without_layers(inputs: dict[str, str]) -> dict[str, str]:
    return {path: sha for path, sha in inputs.items() if not path.endswith(f"/{LAYERS}")}


def _title(path: str) -> str:
    """The folder of a numbered result ("keypoints"), the coach's "layers", else the file's name ("technique.toml")."""
    parts = path.split("/")
    if parts[-1] == LAYERS:
        return "layers"
    return parts[-2] if re.match(r"r[-.]", parts[-1]) and len(parts) > 1 else parts[-1]
