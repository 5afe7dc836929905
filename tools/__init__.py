"""What an author runs now and then."""
