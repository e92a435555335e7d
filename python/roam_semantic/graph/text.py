"""The text of a node as it is on disk now: a heading with its subtree, a file whole."""

from __future__ import annotations

import hashlib

import msgspec

from roam_semantic.errors import NotFound, NotReady
from roam_semantic.org.decode import NotText, decode
from roam_semantic.org.names import is_encrypted
from roam_semantic.org.parse import read_note
from roam_semantic.paths import to_path
from roam_semantic.sqlite import Connection
from roam_semantic.values import Node, Ref, Section


class NodeText(msgspec.Struct, frozen=True):
    """A node and its text, from its heading to the next one of its level."""

    node: Node
    text: str


def read_node(connection: Connection, key: int) -> NodeText:
    """Return the node KEY with its text.

    Raise NotFound when the file or heading has gone since it was indexed, and
    NotReady when the file cannot be read here (encrypted).
    """
    node, real_path = _stored(connection, key)
    return NodeText(node, _own_text(read_file(node.file, real_path).text, node))


class FileText(msgspec.Struct, frozen=True):
    """A file's text as Emacs shows it, and the SHA-1 of its bytes."""

    text: str
    hash: str


def read_file(path: str, real_path: str) -> FileText:
    """Return the text of the file PATH, which is read at REAL_PATH; raise as `read_node`."""
    if is_encrypted(path):
        raise NotReady(f"{path} is encrypted and is not read here", "open it in Emacs")
    try:
        with open(to_path(real_path), "rb") as file:
            raw = file.read()
        text = decode(raw).text
    except FileNotFoundError as error:
        raise NotFound(f"{path} is gone", "run `roam-semantic index`") from error
    except (OSError, NotText) as error:
        raise NotReady(f"{path} cannot be read ({error})", "check the file") from error
    return FileText(text, hashlib.sha1(raw, usedforsecurity=False).hexdigest())


def _own_text(text: str, node: Node) -> str:
    sections = read_note(text, node.file).sections
    start = _place(sections, node)
    lines = text.split("\n")
    end = next(
        (
            place
            for place in range(start + 1, len(sections))
            if 0 < sections[place].level <= node.level
        ),
        len(sections),
    )
    if node.level == 0:
        start, end = 0, len(sections)
    kept: list[str] = []
    hidden = 0
    for place in range(start, end):
        section = sections[place]
        if hidden and (section.level <= hidden or section.id is not None):
            hidden = 0
        if section.excluded:
            hidden = section.level or hidden
        if not hidden and not section.excluded:
            stop = sections[place + 1].line - 1 if place + 1 < len(sections) else len(lines)
            kept += lines[(section.line or 1) - 1 : stop]
    return "\n".join(kept).replace("\0", "").strip("\n")


def _place(sections: tuple[Section, ...], node: Node) -> int:
    for place, section in enumerate(sections):
        if node.level > 0 and section.id == node.id and section.level > 0:
            return place
    if node.level == 0:
        return 0
    raise NotFound(
        f"the heading {node.title} is no longer in {node.file}", "run `roam-semantic index`"
    )


def _stored(connection: Connection, key: int) -> tuple[Node, str]:
    row = connection.row(
        "SELECT n.id, f.path, n.level, n.pos, n.line, n.title, n.todo, n.priority, n.scheduled,"
        " n.deadline, n.outline_path, n.properties, f.real_path FROM embed_nodes n"
        " JOIN embed_files f ON f.key = n.file WHERE n.key = ?",
        (key,),
    )
    if row is None:
        raise NotFound("the note is no longer in the index", "search for it again")
    node_id, path, level, pos, line, title, todo, priority, scheduled, deadline = row[:10]
    node = Node(
        id=node_id,
        file=path,
        level=level,
        pos=pos,
        line=line,
        title=title,
        todo=todo,
        priority=priority,
        scheduled=scheduled,
        deadline=deadline,
        outline_path=msgspec.json.decode(row[10], type=tuple[str, ...]),
        tags=_texts(connection, "SELECT tag FROM embed_tags WHERE node = ? ORDER BY rowid", key),
        aliases=_texts(
            connection, "SELECT alias FROM embed_aliases WHERE node = ? ORDER BY rowid", key
        ),
        refs=tuple(
            Ref(ref, kind)
            for ref, kind in connection.rows(
                "SELECT ref, type FROM embed_refs WHERE node = ? ORDER BY rowid", (key,)
            )
        ),
        properties=msgspec.json.decode(row[11], type=dict[str, str]),
    )
    return node, row[12]


def _texts(connection: Connection, sql: str, key: int) -> tuple[str, ...]:
    return tuple(text for (text,) in connection.rows(sql, (key,)))
