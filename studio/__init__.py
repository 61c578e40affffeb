"""Padwork, the studio in which a coach teaches a simulated fighter. Layers and what may import what: ARCHITECTURE.md."""
