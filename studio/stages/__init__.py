"""The nine stages: inputs, run, a new revision and findings. Not the window, not the child process."""
