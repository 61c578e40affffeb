"""Calibrated cameras: reading, undistorting, the same view in MuJoCo. Not the phones' files."""
