"""Weave computed figures, numbers and mathematics into Markdown pages."""
