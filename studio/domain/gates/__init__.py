"""Deterministic tests of a snapshot in plain MuJoCo. Not training's own evaluation."""
