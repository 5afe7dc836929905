"""What every room stands on: errors for authors, the store, and whether files have changed."""
