"""Machines that train, reached locally or over SSH. Not what they run."""
