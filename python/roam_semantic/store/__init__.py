"""The embed_* tables: schema, units, words, vectors, cache."""
