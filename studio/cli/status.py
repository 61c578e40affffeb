"""``padwork status``: the rail as text."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from studio.store.catalog import declaration
from studio.store.project import Project
from studio.store.states import StageState

GLYPHS = {
    "locked": "·", "ready": "○", "running": "◔", "failed": "✗", "stale": "↻", "done": "✓", "needs your eyes": "◉",
    "approved": "✓",
}  # fmt: skip
AUTOMATIC = "⊙"


def main(options: argparse.Namespace) -> int:
    """Print the state of every stage, for people or as JSON."""
    project = Project.open(options.project)
    states = project.states()
    if options.json:
        rail = [{**asdict(state), "key": declaration(state.stage).key} for state in states]
        json.dump({"project": project.info.name, "stages": rail}, sys.stdout, ensure_ascii=False, indent=1)
        print()
    else:
        print(project.info.name)
        for state in states:
            print(describe(state))
    return 0


def describe(state: StageState) -> str:
    """One stage in one line."""
    word = "approved automatically" if state.automatic else state.state
    glyph = AUTOMATIC if state.automatic else GLYPHS[state.state]
    told = " | ".join(part for part in (state.line, state.why) if part)
    title = declaration(state.stage).title
    return f"{glyph} {state.stage} {title:<12} {state.subject:<20} {word:<22} {told}".rstrip()
