"""The reference solved again for a grid of targets, and between them. Not the training on it."""
