"""Machines over SSH: how they are found, who they prove to be, and running the agent's verbs on them."""
