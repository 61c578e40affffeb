"""Time never stands between two frames, and every way of moving it does what its key says."""

import pytest
from pytestqt.qtbot import QtBot

from studio.app.transport import SPEEDS, Transport
from studio.domain.time import TakeClock


@pytest.fixture
def transport(qtbot: QtBot) -> Transport:
    return Transport(TakeClock(60.0, 2.0, 100))


def test_time_is_always_a_frames_time(transport: Transport):
    seen = []
    transport.frame_changed.connect(lambda k: seen.append((k, transport.time)))
    transport.toggle()
    for _ in range(40):
        transport.advance(0.0113)
    assert len(seen) > 20
    assert all(time == transport.clock.time(k) for k, time in seen)
    assert [k for k, _ in seen] == sorted({k for k, _ in seen}), "forward, each frame once"


def test_stepping_is_one_frame_and_stops_playing(transport: Transport):
    transport.toggle()
    transport.step(1)
    assert (transport.frame, transport.playing) == (1, False)
    transport.step(10)
    transport.step(-1)
    assert transport.frame == 10
    transport.step(-500)
    assert transport.frame == 0
    transport.end()
    assert transport.frame == 99 and transport.time == transport.clock.end_s
    transport.home()
    assert transport.frame == 0


def test_playing_ends_at_the_end_and_starts_anew(transport: Transport):
    transport.seek(95)
    transport.toggle()
    transport.advance(1.0)
    assert (transport.frame, transport.playing) == (99, False)
    transport.toggle()
    assert (transport.frame, transport.playing) == (0, True)


@pytest.mark.parametrize("speed", SPEEDS)
def test_speed_is_exact_over_time(transport: Transport, speed: float):
    transport.set_speed(speed)
    transport.toggle()
    for _ in range(50):
        transport.advance(0.010)
    assert transport.frame == int(0.5 * 60 * speed + 1e-9)


def test_slower_and_faster_have_ends(transport: Transport):
    for _ in range(9):
        transport.slower()
    assert transport.speed == 1 / 16
    for _ in range(9):
        transport.faster()
    assert transport.speed == 2.0
    transport.set_speed(0.3)
    assert transport.speed == 0.25


def test_shuttle_doubles_and_turns(transport: Transport):
    transport.seek(50)
    transport.shuttle(1)
    assert transport.rate == 1.0
    transport.shuttle(1)
    assert transport.rate == 2.0
    for _ in range(5):
        transport.shuttle(1)
    assert transport.rate == 4.0
    transport.shuttle(-1)
    assert transport.rate == -1.0
    transport.advance(0.5)
    assert transport.frame == 20
    transport.pause()
    transport.advance(0.1)
    assert transport.rate == 1.0 and not transport.playing


def test_shuttling_back_pauses_at_the_start(transport: Transport):
    transport.seek(5)
    transport.shuttle(-1)
    transport.advance(3.0)
    assert (transport.frame, transport.playing) == (0, False)


def test_a_loop_goes_round(transport: Transport):
    transport.seek(20)
    transport.loop_in()
    transport.seek(29)
    transport.loop_out()
    assert transport.looping and transport.loop_range == (20, 29)
    transport.toggle()
    assert transport.frame == 20
    seen = set()
    for _ in range(120):
        transport.advance(1 / 120)
        seen.add(transport.frame)
    assert seen == set(range(20, 30)) and transport.playing
    transport.shuttle(-1)
    for _ in range(120):
        transport.advance(1 / 120)
        seen.add(transport.frame)
    assert seen == set(range(20, 30))


def test_loop_ends_never_cross(transport: Transport):
    transport.seek(60)
    transport.loop_in()
    assert transport.loop_range == (60, 99)
    transport.seek(30)
    transport.loop_out()
    assert transport.loop_range == (0, 30)
    transport.set_loop(7, 7)
    assert transport.loop_range == (0, 30), "one frame is no loop"
    transport.toggle_loop()
    assert not transport.looping and transport.loop_range == (0, 30)


def test_another_take_starts_from_its_beginning(transport: Transport):
    transport.seek(80)
    transport.set_loop(3, 9)
    transport.use(TakeClock(30.0, 0.0, 10))
    assert (transport.frame, transport.looping, transport.loop_range) == (0, False, (0, 9))


def test_it_really_plays(transport: Transport, qtbot: QtBot):
    transport.toggle()
    qtbot.waitUntil(lambda: transport.frame > 5, timeout=5000)
    transport.pause()
    frame = transport.frame
    qtbot.wait(40)
    assert transport.frame == frame


def test_a_single_frame_does_not_loop(qtbot: QtBot):
    single = Transport(TakeClock(60.0, 0.0, 1))
    single.toggle_loop()
    assert not single.looping
    single.toggle()
    single.advance(1.0)
    assert single.frame == 0 and not single.playing
