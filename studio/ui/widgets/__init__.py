"""The small parts that every page is made of: words, buttons, chips, glyphs, frames. They know the theme and the
language, and nothing of projects."""
