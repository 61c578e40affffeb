"""One task on MuJoCo C for CPUs. Not the learning."""
