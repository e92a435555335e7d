"""The catalogue of operations, the same on every face."""
