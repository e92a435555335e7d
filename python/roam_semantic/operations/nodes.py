"""Reading one node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from roam_semantic.operations.answers import NodeAnswer
from roam_semantic.operations.catalogue import TEXT, operation
from roam_semantic.operations.core import Core
from roam_semantic.retrieval.names import resolve
from roam_semantic.values import Ref

if TYPE_CHECKING:
    from roam_semantic.graph.text import NodeText


NodeName = Annotated[
    str, Meta(description="id, title, alias, ref, or file path in the vault", extra=TEXT)
]


@operation(read_only=True, positional=("node",))
def get_node(
    core: Core,
    node: NodeName,
    max_chars: Annotated[
        int, Meta(description="most characters of text", ge=1, le=200_000)
    ] = 20_000,
    offset: Annotated[int, Meta(description="characters of text to leave out first", ge=0)] = 0,
) -> NodeAnswer:
    """Read a note: a heading with its subtree, or a whole file, as it is on disk now."""
    core.freshen()
    reader = core.reader()
    from roam_semantic.graph.text import read_node  # the parser of org files: 20 ms

    found = read_node(reader, resolve(reader, node, core.index.vault))
    return _answer(found, max_chars, offset)


def _answer(found: NodeText, max_chars: int, offset: int) -> NodeAnswer:
    node = found.node
    text = found.text[offset : offset + max_chars]
    more = offset + len(text) < len(found.text)
    return NodeAnswer(
        node_id=node.id,
        title=node.title,
        file=node.file,
        line=node.line,
        pos=node.pos,
        level=node.level,
        outline_path=node.outline_path,
        tags=node.tags,
        aliases=node.aliases,
        refs=tuple(written(ref) for ref in node.refs),
        todo=node.todo,
        priority=node.priority,
        text=text,
        truncated=more,
        next_offset=offset + len(text) if more else None,
    )


def written(ref: Ref) -> str:
    """Return REF as a person writes it: `@key`, `https://…`."""
    if ref.type == "cite":
        return f"@{ref.ref}"
    return f"{ref.type}:{ref.ref}"
