"""What pages say as text: sentences, the numbers in them, and whether code knows these."""
