"""Links a note could have: names of other notes in its text, passages that mean one."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from roam_semantic.operations.answers import LinksAnswer, Suggestion
from roam_semantic.operations.catalogue import operation
from roam_semantic.operations.core import Core
from roam_semantic.operations.nodes import NodeName
from roam_semantic.operations.related import own_vectors, telling_words
from roam_semantic.retrieval.names import resolve
from roam_semantic.retrieval.passage import passage
from roam_semantic.retrieval.source import Source, source_of
from roam_semantic.sqlite import Connection
from roam_semantic.store.words import clean

if TYPE_CHECKING:
    from roam_semantic.graph.draft import Draft

# Of the pairs of notes of the sample vault this near, four of five are linked.
NEAR = 0.62
# A passage of fewer letters means too little to mean a note.
LETTERS = 60
# Letters from which on a name does not stand there by chance.
SURE = 20


@operation(read_only=True, positional=("node",))
def suggest_links(
    core: Core,
    node: NodeName,
    k: Annotated[int, Meta(description="how many suggestions", ge=1, le=200)] = 20,
) -> LinksAnswer:
    """Find in a note the names of other notes, and passages that mean one, without a link."""
    core.freshen()
    draft = _draft(core, node)
    if not draft.is_indexed:
        core.freshen(at_once=True)
        draft = _draft(core, node)
    degraded: list[str] = []
    found = _mentions(core.reader(), draft)
    if draft.is_indexed:
        found += _meanings(core, draft, {each.node_id for each in found}, degraded)
    else:
        degraded.append("meaning: the file is newer than the index")
    best = sorted(found, key=lambda each: (-each.score, each.pos))[:k]
    best.sort(key=lambda each: (each.pos, each.end))
    return LinksAnswer(draft.hash, draft.path, tuple(best), core.state(), tuple(degraded))


def _draft(core: Core, node: str) -> Draft:
    from roam_semantic.graph.draft import read_draft  # the parser of org files: 20 ms

    reader = core.reader()
    return read_draft(reader, resolve(reader, node, core.index.vault))


def _mentions(reader: Connection, draft: Draft) -> list[Suggestion]:
    """Return the first place of each name of another note that DRAFT does not link to."""
    from roam_semantic.org.linkable import linkable
    from roam_semantic.retrieval.mentions import find_mentions

    names = reader.rows(
        "SELECT title, key FROM embed_nodes WHERE owner = 1 AND id IS NOT NULL UNION ALL"
        " SELECT a.alias, n.key FROM embed_aliases a JOIN embed_nodes n ON n.key = a.node"
        " WHERE n.owner = 1 AND n.id IS NOT NULL"
    )
    text = draft.part(linkable(draft.text, draft.note))
    places: dict[int, tuple[int, int]] = {}
    for mention in find_mentions(text, names):
        if mention.node not in draft.shut:
            places.setdefault(mention.node, (mention.start, mention.end))
    targets = _targets(reader, dict.fromkeys(places))
    found: list[Suggestion] = []
    for node, target in targets.items():
        start, end = places[node]
        sure = _sureness(text[start:end])
        found.append(_suggestion("mention", draft, start, end, target, passage(target.text), sure))
    return found


def _sureness(name: str) -> float:
    """Return how sure it is that NAME is meant where it stands, by its length."""
    return 0.5 + 0.5 * min(1.0, sum(map(str.isalpha, name)) / SURE)


def _meanings(
    core: Core, draft: Draft, mentioned: Collection[str], degraded: list[str]
) -> list[Suggestion]:
    """Return the passages of DRAFT that are near to another note, each such note once."""
    reader = core.reader()
    source = _talking(source_of(reader, draft.key))
    if not source.units:
        return []
    own = own_vectors(core, source, degraded)
    if not own:
        return []
    from roam_semantic.retrieval.related import nearest_pairs  # numpy

    with reader.reading():
        pairs = nearest_pairs(reader, core.codes(), own, source.shut)
        near = [pair for pair in pairs if pair.score >= NEAR and pair.node not in draft.shut]
        targets = _targets(reader, {pair.node: pair.unit for pair in reversed(near)})
    units = {unit.id: unit for unit in source.units}
    found: dict[int, Suggestion] = {}
    taken: set[int] = set()
    for pair in near:
        target = targets.get(pair.node)
        place = draft.passage_at(units[pair.own].pos)
        if target is None or place is None or pair.node in found or pair.own in taken:
            continue
        if target.node_id not in mentioned:
            taken.add(pair.own)
            shown = passage(target.text, telling_words(units[pair.own].text))
            found[pair.node] = _suggestion("meaning", draft, *place, target, shown, pair.score)
    return list(found.values())


def _talking(source: Source) -> Source:
    """Return SOURCE with only those of its units that say enough to mean a note."""
    units = tuple(unit for unit in source.units if sum(map(str.isalpha, unit.text)) >= LETTERS)
    return msgspec.structs.replace(source, units=units)


class _Target(msgspec.Struct, frozen=True):
    """A note that could be linked to; text: of the unit that is shown."""

    node_id: str
    title: str
    file: str
    text: str


def _targets(reader: Connection, units: dict[int, int | None]) -> dict[int, _Target]:
    """Return the nodes UNITS is about, those with an id, with the unit it names or their first."""
    rows = reader.rows(
        "SELECT n.key, n.id, n.title, f.path, u.text FROM json_each(?) asked"
        " JOIN embed_nodes n ON n.key = asked.key AND n.id IS NOT NULL"
        " JOIN embed_files f ON f.key = n.file"
        " LEFT JOIN embed_units u ON u.id = coalesce(asked.value,"
        "  (SELECT min(id) FROM embed_units WHERE node = n.key))",
        (msgspec.json.encode(units).decode(),),
    )
    return {
        key: _Target(node_id, title, path, text or "") for key, node_id, title, path, text in rows
    }


def _suggestion(
    kind: Literal["mention", "meaning"],
    draft: Draft,
    start: int,
    end: int,
    target: _Target,
    shown: str,
    score: float,
) -> Suggestion:
    return Suggestion(
        kind=kind,
        pos=start + 1,
        end=end + 1,
        line=draft.text.count("\n", 0, start) + 1,
        text=draft.text[start:end],
        node_id=target.node_id,
        title=clean(target.title),
        file=target.file,
        passage=shown,
        score=round(score, 4),
    )
