"""Keypoints of a person in pictures, and left and right put right. Not points in space."""
