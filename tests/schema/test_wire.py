"""Strict lines and plain names."""

from __future__ import annotations

import pytest

from studio.schema.events import MAX_LINE, check_event, dump_line, is_name, is_run_id, is_sha, parse_line, suffix_of


@pytest.mark.parametrize(
    "name",
    ["a/b", "..", "a..b", ".hidden", "-x", "a\\b", "a:b", "con", "COM1.npz", "nul.txt", "a.", "a ", "", "x" * 101,
     "a\n", "a\0", "é.npz", None, 5],
)  # fmt: skip
def test_hostile_names_are_no_names(name):
    assert not is_name(name)


@pytest.mark.parametrize("name", ["a", "clip-0001.npz", "policy.onnx", "A_b.C-d.json", "x" * 100, "console.npz"])
def test_plain_names_are_names(name):
    assert is_name(name)


def test_names_of_runs_and_hashes():
    assert is_run_id("knee-r4_2") and not is_run_id("Knee") and not is_run_id("a" * 65) and not is_run_id("a\n")
    assert is_sha("0" * 64) and not is_sha("0" * 63) and not is_sha("G" * 64) and not is_sha("0" * 64 + "\n")
    assert suffix_of("a.b.NPZ") == ".npz" and suffix_of("none") == ""


@pytest.mark.parametrize(
    "line",
    [
        b"", b"[]", b"1", b"{", b'{"a":1,"a":2}', b'{"a":NaN}', b'{"a":-Infinity}', b'{"a":1e999}', b"\xff",
        b'{"a":' + b"1" * 21 + b"}", b"[" * 60000, b'{"a":"' + b"x" * MAX_LINE + b'"}',
    ],
)  # fmt: skip
def test_what_is_not_one_strict_object_is_refused(line):
    with pytest.raises(ValueError):
        parse_line(line)


def test_lines_come_back_as_they_were():
    plain = {"seq": 1, "text": "膝 é\n", "values": {"x": -1.5e-7, "none": None}, "list": [1, [2]]}
    line = dump_line(plain)
    assert line.endswith(b"\n") and line.count(b"\n") == 1 and parse_line(line) == plain
    with pytest.raises(ValueError):
        dump_line({"x": float("nan")})
    assert parse_line(b'{"x":NaN,"y":1e999,"z":-Infinity,"w":2.5}', finite=False) == {
        **dict.fromkeys("xyz"),
        "w": 2.5,
    }


def test_an_event_needs_its_number_and_a_file_its_hash():
    good = {"seq": 1, "att": 1, "type": "clip", "sha": "a" * 64, "size": 0, "name": "c.npz"}
    check_event(good)
    for wrong in ({"seq": 0}, {"seq": True}, {"att": None}, {"type": 3}, {"sha": "x"}, {"size": 1.0}, {"name": "c.pt"}):
        with pytest.raises(ValueError):
            check_event({**good, **wrong})
