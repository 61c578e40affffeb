"""Simulated bodies and the heavy bag as MuJoCo models. Not their motion."""
