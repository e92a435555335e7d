"""Query to hits: parsing, legs, fusion, the one pipeline."""
