"""What must be indexed, and doing it."""
