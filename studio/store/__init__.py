"""The project on disk. Not how its data is computed."""
