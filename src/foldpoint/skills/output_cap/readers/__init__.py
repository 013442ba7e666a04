"""Readers of texts of one kind each: what of them is worth keeping, and how a gap in them is told."""
