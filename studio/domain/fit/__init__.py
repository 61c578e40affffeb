"""The one whole-clip solver and the skeleton fit built on it. Not the fighter."""
