"""What every room stands on: what an author is told, and the store of what is kept."""
