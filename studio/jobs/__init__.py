"""Stages and child processes run with progress and a cancel that cancels. Not what they compute."""
