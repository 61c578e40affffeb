"""One clock for the phones of a take: found in their sound, checked against what they see. Not how files are read."""
