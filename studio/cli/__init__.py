"""The commands of ``padwork``, one module each. They do what the window does, with the same code."""
