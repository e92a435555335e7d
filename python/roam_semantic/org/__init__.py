"""Org text to outline to units: pure, no input or output."""
