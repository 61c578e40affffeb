"""Points in space from several views. Not the skeleton fitted to them."""
