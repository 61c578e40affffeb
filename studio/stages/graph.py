"""The nine stages with what they run."""

from __future__ import annotations

from studio.stages import (
    s1_capture,
    s2_keypoints,
    s3_space,
    s4_skeleton,
    s5_retarget,
    s6_variants,
    s7_teacher,
    s8_gate,
    s9_student,
)
from studio.stages.stage import Stage
from studio.store.catalog import declaration

STAGES = (
    Stage(declaration(1), s1_capture.run),
    Stage(declaration(2), s2_keypoints.run),
    Stage(declaration(3), s3_space.run),
    Stage(declaration(4), s4_skeleton.run),
    Stage(declaration(5), s5_retarget.run),
    Stage(declaration(6), s6_variants.run),
    Stage(declaration(7), s7_teacher.run, s7_teacher.resume, grace_s=20.0),
    Stage(declaration(8), s8_gate.run),
    Stage(declaration(9), s9_student.run, s9_student.resume, grace_s=20.0),
)


def stage(number: int) -> Stage:
    """One of the nine. Raises :class:`StudioError` for another number."""
    declaration(number)
    return STAGES[number - 1]
