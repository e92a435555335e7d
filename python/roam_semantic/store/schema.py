"""The embed_* tables of the index file, and nothing else.

Every value is decoded: no printed Lisp.  `key` columns are our own integers;
ids are org-roam's texts.  One file's graph rows, units and words are written
in one transaction, its vectors in another (`store/writer.py`).
"""

from __future__ import annotations

SCHEMA_VERSION = 1

# Column order of embed_fts; the weights of the words leg follow it.
FTS_COLUMNS = ("title", "aliases", "path", "text", "extra", "meta")

# How embed_fts cuts text into terms; queries are cut the same way.
TOKENIZER = "porter unicode61 remove_diacritics 2"

# FTS5 writes a segment a transaction.  It would merge them inside the transaction
# that brings the fourth, and hold the lock for ten times as long: the writer has
# them merged by 8 or more, in transactions of their own (`Writer.merge_words`).
# crisismerge: should the writer never get to it; FTS5 takes no more than 2,000.
WORD_TABLES = ("embed_fts", "embed_names")
MERGING = (("automerge", 0), ("usermerge", 8), ("crisismerge", 1000))

# What the partial index of states holds.  SQLite uses that index only for a
# question that repeats these very words.
UNEMBEDDED = "state IN (0, 2, 3)"

TABLES: tuple[str, ...] = (
    "CREATE TABLE embed_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # path: as the vault is written; hash: SHA-1 of the bytes, as org-roam keeps it;
    # from_roam: 0 our own reading, 1 org-roam has rows for these bytes but no node,
    # 2 its rows judged what is a node;
    # stamp: what the file system said when it was read ("" forces a new reading).
    """CREATE TABLE embed_files (
        key INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, real_path TEXT NOT NULL,
        hash TEXT NOT NULL, mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL,
        stamp TEXT NOT NULL, title TEXT NOT NULL, from_roam INTEGER NOT NULL,
        language TEXT NOT NULL DEFAULT '')""",
    # id is NULL for a file without one; owner 0: another file holds the id.
    """CREATE TABLE embed_nodes (
        key INTEGER PRIMARY KEY, id TEXT, owner INTEGER NOT NULL DEFAULT 1,
        file INTEGER NOT NULL, level INTEGER NOT NULL, pos INTEGER NOT NULL,
        line INTEGER NOT NULL, title TEXT NOT NULL, todo TEXT, priority TEXT,
        scheduled TEXT, deadline TEXT, outline_path TEXT NOT NULL, properties TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX embed_nodes_id ON embed_nodes (id) WHERE owner = 1 AND id IS NOT NULL",
    "CREATE INDEX embed_nodes_not_owned ON embed_nodes (id) WHERE owner = 0",
    "CREATE INDEX embed_nodes_file ON embed_nodes (file)",
    "CREATE INDEX embed_nodes_title ON embed_nodes (title COLLATE NOCASE)",
    "CREATE TABLE embed_aliases (node INTEGER NOT NULL, alias TEXT NOT NULL)",
    "CREATE INDEX embed_aliases_node ON embed_aliases (node)",
    "CREATE INDEX embed_aliases_alias ON embed_aliases (alias COLLATE NOCASE)",
    "CREATE TABLE embed_tags (node INTEGER NOT NULL, tag TEXT NOT NULL)",
    "CREATE INDEX embed_tags_node ON embed_tags (node)",
    "CREATE INDEX embed_tags_tag ON embed_tags (tag)",
    "CREATE TABLE embed_refs (node INTEGER NOT NULL, ref TEXT NOT NULL, type TEXT NOT NULL)",
    "CREATE INDEX embed_refs_node ON embed_refs (node)",
    "CREATE INDEX embed_refs_ref ON embed_refs (ref)",
    # source: id of the node that holds the link, NULL outside every node.
    """CREATE TABLE embed_links (
        file INTEGER NOT NULL, source TEXT, dest TEXT NOT NULL, type TEXT NOT NULL,
        pos INTEGER NOT NULL, line INTEGER NOT NULL, outline_path TEXT NOT NULL)""",
    # A node's own links are found by its file: an index of the source would be
    # the widest of all, and every file writes into all of it.
    "CREATE INDEX embed_links_file ON embed_links (file)",
    "CREATE INDEX embed_links_dest ON embed_links (dest)",
    # title … meta are what embed_fts indexes; the model reads title, path and text.
    # state: 0 pending, 1 embedded, 2 failed, 3 nothing to embed.
    """CREATE TABLE embed_units (
        id INTEGER PRIMARY KEY AUTOINCREMENT, node INTEGER NOT NULL, file INTEGER NOT NULL,
        type TEXT NOT NULL, outline_path TEXT NOT NULL, line INTEGER NOT NULL,
        pos INTEGER NOT NULL, part INTEGER NOT NULL, title TEXT NOT NULL,
        aliases TEXT NOT NULL, path TEXT NOT NULL, text TEXT NOT NULL, extra TEXT NOT NULL,
        meta TEXT NOT NULL, state INTEGER NOT NULL, error TEXT)""",
    "CREATE INDEX embed_units_node ON embed_units (node)",
    "CREATE INDEX embed_units_file ON embed_units (file)",
    f"CREATE INDEX embed_units_state ON embed_units (state) WHERE {UNEMBEDDED}",
    f"""CREATE VIRTUAL TABLE embed_fts USING fts5(
        title, aliases, path, text, extra, meta, content='embed_units', content_rowid='id',
        tokenize="{TOKENIZER}")""",
    "CREATE VIRTUAL TABLE embed_terms USING fts5vocab('embed_fts', 'row')",
    # One row a node: title, aliases and tags for substrings (rowid = node key).
    """CREATE VIRTUAL TABLE embed_names USING fts5(
        names, tokenize="trigram case_sensitive 0 remove_diacritics 1")""",
    *(
        f"INSERT INTO {table} ({table}, rank) VALUES ('{name}', {value})"
        for table in WORD_TABLES
        for name, value in MERGING
    ),
    "CREATE TABLE embed_skipped (path TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE embed_boilerplate (line TEXT PRIMARY KEY) WITHOUT ROWID",
)


def vector_tables(key: int, dimension: int) -> tuple[str, ...]:
    """Return the statements that make vector set KEY for vectors of DIMENSION.

    embed_vectors: float16 bytes, the truth; seq grows with every write, so a
    reader fetches only what is new.  embed_vec: sign bits in vec0.
    """
    vectors, codes = vector_names(key)
    return (
        f"CREATE TABLE {vectors} (unit INTEGER PRIMARY KEY, seq INTEGER NOT NULL, v BLOB NOT NULL)",
        f"CREATE INDEX {vectors}_seq ON {vectors} (seq)",
        f"CREATE VIRTUAL TABLE {codes} USING vec0(code bit[{dimension}])",
    )


def vector_names(key: int) -> tuple[str, str]:
    """Return the table names of vector set KEY: (vectors, codes)."""
    suffix = "" if key == 1 else f"_{key}"
    return f"embed_vectors{suffix}", f"embed_vec{suffix}"
