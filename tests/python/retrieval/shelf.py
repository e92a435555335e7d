"""A small index of made-up notes for the tests of retrieval: real file, real writer."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from roam_semantic.models import vectors as packed
from roam_semantic.store.index import Index
from roam_semantic.store.rows import FileRows, UnitRow
from roam_semantic.store.vectors import create_set, vector_set, write_vectors
from roam_semantic.store.words import extra_words, meta_words
from roam_semantic.store.writer import Writer
from roam_semantic.values import Node, Ref

DIMENSION = 128
DAY_NS = 86_400_000_000_000


def vector(text):
    """Return a vector of TEXT: texts that share words point the same way."""
    total = np.zeros(DIMENSION, dtype=np.float64)
    for word in text.lower().split():
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "little")
        total += np.random.default_rng(seed).normal(size=DIMENSION)
    return (total / (np.linalg.norm(total) or 1.0)).astype(np.float32)


def node(node_id, title, **more):
    """Return a node; file and place are set when it is stored."""
    return Node(id=node_id, file="", level=0, pos=1, line=1, title=title, **more)


class Shelf:
    """Notes go in with `add`; `reader` reads them."""

    def __init__(self, folder: Path) -> None:
        self.vault = folder / "vault"
        self.index = Index(str(folder / "index.db"), str(self.vault))
        self.writer = self.index.open_writer()
        create_set(self.writer, "vectors", 1, "model", "digest", DIMENSION)

    @property
    def reader(self):
        return self.index.reader()

    def close(self):
        self.index.close()
        self.writer.close()

    def add(self, name, title, *texts, types=(), outline=(), changed_ns=DAY_NS, **more):
        """Store a note of one node; TEXTS are its units; return its unit ids.

        name: path below the vault, and the node's id without ".org".
        """
        path = str(self.vault / name)
        owner = node(more.pop("node_id", name.removesuffix(".org")), title, **more)
        units = [
            unit(owner, text, types[i] if i < len(types) else "heading", outline, i)
            for i, text in enumerate(texts or ("",))
        ]
        Writer(self.writer).write_files(
            [
                FileRows(
                    path=path, real_path=path, hash="h", mtime_ns=changed_ns, size=1, stamp="s",
                    title=title, from_roam=0, language="en", nodes=(owner,), links=(),
                    units=tuple(units),
                )
            ]
        )  # fmt: skip
        return self.units(name)

    def units(self, name):
        """Return the ids of the units of the note NAME."""
        return [
            key
            for (key,) in self.writer.rows(
                "SELECT u.id FROM embed_units u JOIN embed_files f ON f.key = u.file"
                " WHERE f.path = ? ORDER BY u.id",
                (str(self.vault / name),),
            )
        ]

    def embed(self, units=None):
        """Store the vectors of UNITS, by default of all that have none."""
        target = vector_set(self.writer)
        assert target is not None
        rows = self.writer.rows(
            "SELECT id, title, text FROM embed_units"
            f" WHERE id NOT IN (SELECT unit FROM {target.vectors}) ORDER BY id"
        )
        self.store(
            [
                (key, vector(f"{title} {text}"))
                for key, title, text in rows
                if not units or key in units
            ]
        )

    def store(self, pairs):
        """Store PAIRS of unit and vector."""
        target = vector_set(self.writer)
        assert target is not None
        write_vectors(
            self.writer,
            target,
            [(key, packed.pack(numbers), packed.code(numbers)) for key, numbers in pairs],
        )


def unit(owner, text, kind, outline, part):
    """Return the row of a unit as the indexer makes it."""
    path = " / ".join(outline)
    aliases = " / ".join((*owner.aliases, *(ref.ref for ref in owner.refs)))
    return UnitRow(
        node=0, type=kind, outline_path=tuple(outline), line=part + 1, pos=part + 1, part=part,
        title=owner.title, aliases=aliases, path=path, text=text,
        extra=extra_words(f"{owner.title}\n{aliases}\n{path}\n{text}"),
        meta=meta_words(kind, owner.tags, owner.todo), embeddable=bool(text),
    )  # fmt: skip


__all__ = ["DAY_NS", "DIMENSION", "Ref", "Shelf", "node", "vector"]
