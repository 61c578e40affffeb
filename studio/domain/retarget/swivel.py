"""How the knee turns about the line from hip to ankle: the angle in which a limb flicks unseen."""

from __future__ import annotations

import numpy as np

from studio.domain.fit.kinematics import ROOT_DOFS, Frames, Kinematics


def knee_swivel(kinematics: Kinematics, frames: Frames) -> np.ndarray:
    """(T, 2) rad, left and right: the knee's axis about hip-ankle, against the pelvis's lateral axis, unwrapped."""
    lateral = frames.rotation[:, kinematics.body_ids(["pelvis"])[0], :, 1]
    angles = []
    for side in "lr":
        hip, ankle = (frames.body[:, kinematics.body_ids([f"{part}_{side}"])[0]] for part in ("thigh", "foot"))
        axis = frames.axis[:, ROOT_DOFS + kinematics.joints.index(f"knee_{side}")]
        line = ankle - hip
        line /= np.linalg.norm(line, axis=1, keepdims=True)
        zero, turned = _across(lateral, line), _across(axis, line)
        sine = np.einsum("ti,ti->t", np.cross(zero, turned), line)
        angles.append(np.unwrap(np.arctan2(sine, np.einsum("ti,ti->t", zero, turned))))
    return np.stack(angles, axis=1)


def _across(vectors: np.ndarray, line: np.ndarray) -> np.ndarray:
    return vectors - line * np.einsum("ti,ti->t", vectors, line)[:, None]
