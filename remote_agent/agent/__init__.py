"""The supervisor, its event log and its files, in the standard library alone. Not the training."""
