"""Org-roam's database, only ever read."""
