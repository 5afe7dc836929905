"""Measure what is promised about time and bytes: `make bench`. README.md explains, with tables."""
