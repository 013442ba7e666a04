"""What providers charge for cached and written tokens, and the gate that reads it."""
