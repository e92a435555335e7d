"""Decoded cells of org-roam's tables, put together file by file."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from roam_semantic.org_roam.emacsql import Lisp, LispError, Pair, Symbol, decode
from roam_semantic.sqlite import Row
from roam_semantic.values import Link, Node, Ref

Cell = str | int | float | None


class FileRows(msgspec.Struct, frozen=True):
    """What org-roam knows of one file.  Lines of nodes and links are 0: unknown.

    hash: SHA-1 of the bytes it read.  links: citations are of type "cite".
    """

    hash: str
    title: str
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]


def value(cell: Cell) -> Lisp:
    """Return the value of CELL; one that is not printed Lisp stands for itself."""
    try:
        return decode(cell)
    except LispError:
        return cell


def string(cell: Cell) -> str:
    """Return the text CELL holds; nil is "", a number its digits."""
    if isinstance(cell, str) and cell[:1] == '"' and "\\" not in cell:
        return cell[1:-1]
    found = value(cell)
    if found is None:
        return ""
    return found if isinstance(found, str) else str(found)


def assembled(tables: Mapping[str, list[Row]]) -> dict[str, FileRows]:
    """Return FileRows by path from the printed cells of TABLES, in row order."""
    aliases, tags = _by_node(tables["aliases"]), _by_node(tables["tags"])
    refs: defaultdict[Cell, dict[Ref, None]] = defaultdict(dict)
    for node, ref, kind in tables["refs"]:
        refs[node][_ref(string(ref), string(kind))] = None
    nodes: defaultdict[Cell, list[Node]] = defaultdict(list)
    file_of: dict[Cell, Cell] = {}
    for row in tables["nodes"]:
        node = _node(row, tuple(aliases[row[0]]), tuple(tags[row[0]]), tuple(refs[row[0]]))
        nodes[row[1]].append(node)
        file_of[row[0]] = row[1]
    links: defaultdict[Cell, list[Link]] = defaultdict(list)
    for source, link in _links(tables):
        if source in file_of:
            links[file_of[source]].append(link)
    found: dict[str, FileRows] = {}
    for file, digest in tables["files"]:
        path, own = string(file), tuple(nodes[file])
        title = own[0].title if own and own[0].level == 0 else base_name(path)
        placed = sorted(links[file], key=lambda link: link.pos)
        found[path] = FileRows(string(digest), title, own, tuple(placed))
    return found


def base_name(path: str) -> str:
    """Return the name of the note file PATH without folder and extension."""
    return os.path.splitext(os.path.basename(path))[0]


def _by_node(rows: list[Row]) -> defaultdict[Cell, dict[str, None]]:
    # Tag rows repeat; a dictionary keeps the first place of each.
    found: defaultdict[Cell, dict[str, None]] = defaultdict(dict)
    for node, cell in rows:
        found[node][string(cell)] = None
    return found


def _ref(ref: str, kind: str) -> Ref:
    # A citation list is cut at its blanks: `hoare69]` is left of `[cite:@a; @hoare69]`.
    return Ref(ref.rstrip("]") if kind == "cite" else ref, kind)


def _node(row: Row, aliases: tuple[str, ...], tags: tuple[str, ...], refs: tuple[Ref, ...]) -> Node:
    node_id, file, level, pos, todo, priority, scheduled, deadline, title, properties, olp = row
    path = string(file)
    return Node(
        id=string(node_id),
        file=path,
        level=int(level),
        pos=int(pos),
        line=0,
        title=string(title) or base_name(path),
        todo=string(todo) or None,
        priority=chr(priority) if isinstance(priority, int) else string(priority) or None,
        scheduled=_wall_clock(scheduled),
        deadline=_wall_clock(deadline),
        outline_path=_strings(value(olp)),
        tags=tags,
        aliases=aliases,
        refs=refs,
        properties=_pairs(value(properties)),
    )


def _wall_clock(cell: Cell) -> str | None:
    # Version 18 adds the zone of the machine that read the note, 20 does not.
    return string(cell)[:19] or None


def _strings(found: Lisp) -> tuple[str, ...]:
    return tuple(map(str, found)) if isinstance(found, tuple) else ()


def _pairs(found: Lisp) -> dict[str, str]:
    pairs = found if isinstance(found, tuple) else ()
    return {
        str(pair.car): "" if pair.cdr is None else str(pair.cdr)
        for pair in pairs
        if isinstance(pair, Pair)
    }


def _links(tables: Mapping[str, list[Row]]) -> Iterator[tuple[Cell, Link]]:
    for pos, source, dest, kind, properties in tables["links"]:
        name, target = string(kind).lower(), string(dest)
        if name == "id":
            target = target.partition("::")[0]
        yield source, Link(string(source), name, target, int(pos), 0, _outline(properties))
    for pos, source, key, properties in tables.get("citations", ()):
        yield source, Link(string(source), "cite", string(key), int(pos), 0, _outline(properties))


def _outline(cell: Cell) -> tuple[str, ...]:
    found = value(cell)
    if not isinstance(found, tuple) or Symbol(":outline") not in found:
        return ()
    place = found.index(Symbol(":outline")) + 1
    return _strings(found[place]) if place < len(found) else ()
