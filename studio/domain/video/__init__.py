"""Video files: index, exact frames, writing. Not what is seen in them."""
