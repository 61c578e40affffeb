"""One reward per file. Not their weights."""
