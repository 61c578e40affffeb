"""The fighter as a picture, without a window. Not widgets."""
