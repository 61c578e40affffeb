"""A performance that nobody gave: written curves move a body, phones that do not exist film it. The truth is known."""
