"""Stage 9: one policy distilled from all adopted teachers."""

from __future__ import annotations

from studio.schema.errors import StudioError
from studio.stages.stage import Context, Result


def run(context: Context) -> Result:
    """Distillation merges skills, so it begins with the second. Raises :class:`StudioError`."""
    techniques = context.project.techniques()
    if len(techniques) < 2:
        why, step = f"it needs two adopted teachers, there is {', '.join(techniques)}", "Teach a second technique"
    else:
        why, step = "this version of Padwork cannot distil", "Update Padwork"
    raise StudioError("The student cannot be trained", why, step)
