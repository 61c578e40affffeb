"""Windows, pages and panes. Reaches everything else through studio.app."""
