"""How things are computed: pure functions and small classes. Never Qt, torch or paramiko."""
