"""Models and their adapters, behind narrow protocols."""
