"""What every room stands on: errors that an author sees, and the store of what is kept."""
