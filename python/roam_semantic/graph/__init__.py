"""Graph questions over our own tables."""
