"""From a machine's name to live clips in the window, over a real SSH line on loopback."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt
from remote.sshd import make_key

from studio.remote import machines
from studio.remote.ssh.pins import HostKey, Pins
from studio.store.project import Project
from studio.ui.pages.teacher import CLIPS, TRAIN

SOON = 90_000


def click(qtbot, widget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def test_a_button_trains_over_ssh_and_a_window_that_is_opened_again_has_every_clip_once(
    gpu, trainable, open_window, qtbot
):
    window = open_window(trainable)
    accept_the_machine(window, gpu, qtbot)
    page = window.show_page("teacher")
    page.show_view(TRAIN)
    qtbot.waitUntil(lambda: "gpu" in page.train.machines and page.train.machines["gpu"].isEnabled(), timeout=SOON)
    click(qtbot, page.train.machines["gpu"])
    qtbot.waitUntil(lambda: page.presenter.machine == "gpu", timeout=SOON)
    click(qtbot, page.train.start)
    page.show_view(CLIPS)
    qtbot.waitUntil(lambda: len(page.presenter.clips) >= 2, timeout=SOON)
    assert window.topbar.pill.name.text() == "Teacher · gpu"
    seen = len(page.presenter.clips)
    window.close()
    again = open_window(trainable)
    qtbot.waitUntil(lambda: again.session.running is not None, timeout=SOON)
    assert (again.session.running.stage, again.session.running.machine) == (7, "gpu")
    page = again.show_page("teacher")
    page.show_view(CLIPS)
    qtbot.waitUntil(lambda: len(page.presenter.clips) > seen + 2, timeout=SOON)
    page.presenter.choose_clip(1)
    there = len(page.presenter.clips)
    qtbot.waitUntil(lambda: len(page.presenter.clips) > there, timeout=SOON)
    assert page.presenter.place == 1, "a clip that comes takes nobody's slider"
    assert page.presenter.is_unseen(len(page.presenter.clips) - 1)
    qtbot.waitUntil(lambda: not page.presenter.is_unseen(1), timeout=SOON)
    click(qtbot, page.clips.stop)
    qtbot.waitUntil(lambda: again.session.running is None, timeout=SOON)
    qtbot.waitUntil(lambda: again.session.stage(7).state == "needs_eyes", timeout=SOON)
    qtbot.waitUntil(lambda: bool(page.presenter.story.ended), timeout=SOON)
    assert page.presenter.story.ended == "stopped"
    iterations = [clip.iteration for clip in page.presenter.clips]
    assert iterations == list(range(len(iterations))) and len(iterations) > seen + 2
    assert_as_on_the_machine(gpu, trainable, iterations)


def accept_the_machine(window, gpu, qtbot) -> None:
    """The page asks about the host key; nothing is sent before the answer."""
    page = window.show_page("machines")
    qtbot.waitUntil(lambda: "gpu" in page.cards, timeout=SOON)
    click(qtbot, page.cards["gpu"].check)
    qtbot.waitUntil(lambda: bool(page.presenter.rows[1].fingerprint), timeout=SOON)
    assert page.presenter.rows[1].fingerprint.startswith("SHA256:")
    assert not (gpu.home / ".padwork").exists()
    click(qtbot, page.cards["gpu"].yes)
    qtbot.waitUntil(lambda: page.presenter.rows[1].verdict == "Can train", timeout=SOON)
    assert page.presenter.rows[1].state == "done" and not page.presenter.rows[1].question


def assert_as_on_the_machine(gpu, trainable, iterations: list[int]) -> None:
    log = next((gpu.home / ".padwork" / "runs").glob("*/events.jsonl")).read_bytes()
    project = Project.open(trainable)
    assert (project.layout.teacher("right-knee", "r1") / "events.jsonl").read_bytes() == log
    told = [json.loads(line) for line in log.splitlines()]
    assert [event["iter"] for event in told if event["type"] == "clip"] == iterations
    record = project.revisions(7, "right-knee")[-1].record
    assert (record.status, record.summary["clips"], record.summary["machine"]) == ("done", len(iterations), "gpu")


def test_a_changed_host_key_is_refused_with_a_sentence(gpu, home, open_trainable, qtbot, misfits):
    kind, data = make_key(home.parent / "other").with_suffix(".pub").read_text().split()[:2]
    Pins(home / machines.PINS).accept(HostKey(f"127.0.0.1:{gpu.port}", kind, data))
    page = open_trainable().show_page("machines")
    qtbot.waitUntil(lambda: "gpu" in page.cards, timeout=SOON)
    click(qtbot, page.cards["gpu"].check)
    qtbot.waitUntil(lambda: page.presenter.rows[1].error is not None, timeout=SOON)
    shown = page.presenter.rows[1]
    assert "is not the machine that was accepted" in shown.error.what and not shown.question
    qtbot.waitUntil(page.cards["gpu"].notice.isVisible, timeout=SOON)
    assert "accepted" in page.cards["gpu"].notice.what.text()
    assert not (gpu.home / ".padwork").exists(), "nothing was sent to it"
    assert misfits(page) == []
