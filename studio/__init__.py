"""Padwork, the studio in which a coach teaches a simulated fighter. Not the training: that is remote_agent."""
