"""The coach's corrections applied to a motion: their curves, their sum, and the feet locked again.

Not how they are kept or drawn."""
