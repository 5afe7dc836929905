"""What is published: labs as pages, pages as text, files beside them, and the finished site."""
