"""Short programs that put the pieces together. Not the pieces."""
