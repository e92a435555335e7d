"""Fixtures every test module may ask for."""

from tests.support import workspace

__all__ = ["workspace"]
