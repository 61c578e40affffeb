"""The coach's motion moved onto another body, feet locked. Not the table of targets."""
