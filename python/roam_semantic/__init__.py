"""roam-semantic: find org-roam notes by meaning and by word."""

__version__ = "0.1.0"
