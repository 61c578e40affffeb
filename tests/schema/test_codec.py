"""Plain data and arrays round-trip; what does not fit is refused by name."""

from __future__ import annotations

import json

import numpy as np
import pytest

from studio.schema.codec import HEADER, SCHEMA_VERSION, document, from_plain, pack, read_document, to_plain, unpack
from studio.schema.errors import StudioError
from studio.schema.findings import Finding
from studio.schema.keypoints import HALPE_26, MIRROR, Keypoints
from studio.schema.lineage import Record
from studio.schema.take import Sync, Take, Video
from studio.schema.technique import Technique

TAKE = Take(
    name="leg-raise",
    session="2026-10-23",
    videos=(Video("a", "a.mp4", "00" * 32, 1080, 1920, 60.0, 100, 1.667),),
    sync=Sync("declared", {"b": 0.01}),
    start_s=0.0,
    end_s=1.65,
)


def test_a_document_survives_json() -> None:
    assert read_document(Take, json.loads(json.dumps(document(TAKE))), "take.toml") == TAKE


def test_a_record_with_findings_survives() -> None:
    finding = Finding("slide", "heel_l", 0.1, 0.2, 12.0, "mm", 10.0)
    record = Record(5, "leg", 1, "done", "ff", {"a": "b"}, {"x": 1}, {}, 1.5, "now", {"mm": 3.5}, (finding,))
    assert from_plain(Record, to_plain(record)) == record


def test_defaults_fill_what_a_file_leaves_out() -> None:
    plain = {"name": "k", "session": "s", "take": "t", "body": "fighter", "striker": "knee_r", "start_s": 0, "end_s": 1}
    technique = from_plain(Technique, plain)
    assert technique.grid.counts == (3, 3) and technique.start_s == 0.0


def test_a_newer_schema_is_refused() -> None:
    with pytest.raises(StudioError, match="newer Padwork"):
        read_document(Take, {**document(TAKE), "schema_version": SCHEMA_VERSION + 1}, "take.toml")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"start_s": "soon"}, "start_s"),
        ({"videos": 3}, "videos"),
        ({"videos": [{"phone": "a"}]}, "sha256"),
        ({"sync": {"method": 5}}, "sync.method"),
        ({"name": True}, "name"),
    ],
)
def test_what_does_not_fit_is_named(change: dict, named: str) -> None:
    with pytest.raises(StudioError, match=named):
        read_document(Take, {**document(TAKE), **change}, "take.toml")


def keypoints() -> Keypoints:
    rng = np.random.default_rng(0)
    return Keypoints("a", "model", np.arange(4) / 60, rng.normal(size=(4, 26, 2)), rng.uniform(size=(4, 26)))


def test_arrays_survive_an_npz_without_pickles(tmp_path) -> None:
    np.savez(tmp_path / "k.npz", **pack(keypoints()))
    with np.load(tmp_path / "k.npz", allow_pickle=False) as arrays:
        back = unpack(Keypoints, dict(arrays), "k.npz")
    assert back.phone == "a" and np.array_equal(back.xy, keypoints().xy)


def test_a_packed_file_of_another_type_is_refused() -> None:
    with pytest.raises(StudioError, match="holds Keypoints, not Take"):
        unpack(Take, pack(keypoints()), "x.npz")


def test_a_file_without_header_or_with_a_missing_array_is_refused() -> None:
    arrays = pack(keypoints())
    with pytest.raises(StudioError, match="no header"):
        unpack(Keypoints, {k: v for k, v in arrays.items() if k != HEADER}, "x.npz")
    for odd in (b"[]", b"7", b"[" * 100_000, b"\xff", b""):
        with pytest.raises(StudioError, match="no header"):
            unpack(Keypoints, {**arrays, HEADER: np.frombuffer(odd, np.uint8)}, "x.npz")
    with pytest.raises(StudioError, match="xy"):
        unpack(Keypoints, {k: v for k, v in arrays.items() if k != "xy"}, "x.npz")


def test_mirror_swaps_sides_and_keeps_the_middle() -> None:
    assert [HALPE_26[i] for i in MIRROR[:3]] == ["Nose", "REye", "LEye"]
    assert np.array_equal(MIRROR[MIRROR], np.arange(26)) and MIRROR[18] == 18
