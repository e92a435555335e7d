"""Answers as a person reads them in a terminal; `--json` has everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import msgspec

from roam_semantic.faces.meter import duration
from roam_semantic.faces.terminal import one_line, safe, wrap
from roam_semantic.operations.answers import (
    DoctorAnswer,
    IndexAnswer,
    Job,
    LinksAnswer,
    NameAnswer,
    NameHit,
    NodeAnswer,
    RefreshAnswer,
    RelatedAnswer,
    SearchAnswer,
    StatusAnswer,
    WatchAnswer,
)
from roam_semantic.values import Hit, IndexState

PASSAGE_LINES = 4
MOST_LISTED = 20
SHORT = 120
SIGNS = {"ok": "ok", "warning": "warning", "failed": "FAILED"}


def show(answer: Any, width: int = 80) -> str:
    """Return ANSWER in lines of at most WIDTH columns, without a final newline."""
    shower = _SHOWERS.get(answer.__class__, _show_fields)
    return "\n".join(shower(answer, width))


def _show_search(answer: SearchAnswer, width: int) -> Iterator[str]:
    for wrong, right in answer.corrected.items():
        yield f"also searched: {one_line(right)} for {one_line(wrong)}"
    for number, hit in enumerate(answer.hits, 1):
        yield from _show_hit(number, hit, width)
        yield ""
    yield from _show_end(len(answer.hits), answer.next_offset, answer.index, answer.degraded)


def _show_hit(number: int, hit: Hit, width: int) -> Iterator[str]:
    yield wrap(f"{number}. {_place(hit.title, hit.outline_path)}", width)
    yield f"   {safe(hit.file)}:{hit.line}"
    lines = wrap(hit.passage, width, "   ").split("\n")
    if len(lines) > PASSAGE_LINES:
        lines = [*lines[:PASSAGE_LINES], "   …"]
    yield from (line for line in lines if line)
    ranks = [
        f"{leg} #{rank}"
        for leg, rank in (
            ("words", hit.ranks.words),
            ("meaning", hit.ranks.vectors),
            ("rerank", hit.ranks.rerank),
        )
        if rank is not None
    ]
    yield f"   score {hit.score:.2f}" + (f" ({', '.join(ranks)})" if ranks else "")


def _place(title: str, outline_path: tuple[str, ...]) -> str:
    """Return TITLE with the headings around or below it that it does not name itself."""
    path = " > ".join(outline_path[:-1] if outline_path[-1:] == (title,) else outline_path)
    return f"{title} [{path}]" if path else title


def _show_names(answer: NameAnswer, width: int) -> Iterator[str]:
    for hit in answer.hits:
        yield from _show_name(hit, width)
    if answer.hits:
        yield ""
    yield from _show_end(len(answer.hits), answer.next_offset, answer.index, ())


def _show_name(hit: NameHit, width: int) -> Iterator[str]:
    matched = "" if hit.matched == "title" else f" ({hit.matched} {hit.value})"
    yield wrap(_place(hit.title, hit.outline_path) + matched, width)
    yield f"   {safe(hit.file)}:{hit.line}"


def _show_related(answer: RelatedAnswer, width: int) -> Iterator[str]:
    source = answer.source
    yield wrap(f"related to {_place(source.title, source.outline_path)}", width)
    yield ""
    for number, hit in enumerate(answer.hits, 1):
        yield from _show_hit(number, hit, width)
        yield wrap(f"because of line {hit.because_line}: {_short(hit.because)}", width, "   ")
        if hit.linked:
            yield "   linked already"
        yield ""
    yield from _show_end(len(answer.hits), None, answer.index, answer.degraded)


def _show_links(answer: LinksAnswer, width: int) -> Iterator[str]:
    yield safe(answer.file)
    for each in answer.suggestions:
        sign = "names" if each.kind == "mention" else "means"
        yield wrap(f"{each.line}: {_short(each.text)}", width)
        yield wrap(f"{sign} {each.title} (score {each.score:.2f})", width, "   ")
        yield f"   {safe(each.file)}"
    yield ""
    count = len(answer.suggestions)
    yield f"{count} link{'s' if count != 1 else ''} to make" if count else "nothing to link"
    yield from (f"without {one_line(stage)}" for stage in answer.degraded)


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= SHORT else line[: SHORT - 1].rstrip() + "…"


def _show_end(
    hits: int, next_offset: int | None, index: IndexState, degraded: tuple[str, ...]
) -> Iterator[str]:
    found = "nothing found" if not hits else f"{hits} hit{'s' if hits != 1 else ''}"
    more = "" if next_offset is None else f"; more with --offset {next_offset}"
    yield f"{found}{more}"
    if index.pending or index.stale_files:
        yield (
            f"not all is indexed: {index.pending} passages wait for their vectors,"
            f" {index.stale_files} files are newer"
        )
    yield from (f"without {one_line(stage)}" for stage in degraded)


def _show_node(answer: NodeAnswer, width: int) -> Iterator[str]:
    yield wrap(" > ".join((*answer.outline_path, answer.title)), width)
    yield f"{safe(answer.file)}:{answer.line}"
    facts = {
        "id": answer.node_id or "",
        "tags": " ".join(answer.tags),
        "aliases": ", ".join(answer.aliases),
        "refs": " ".join(answer.refs),
        "state": answer.todo or "",
    }
    yield from (wrap(f"{name}: {value}", width) for name, value in facts.items() if value)
    yield ""
    yield safe(answer.text).rstrip("\n")
    if answer.next_offset is not None:
        yield f"… more with --offset {answer.next_offset}"


def _show_index(answer: IndexAnswer, width: int) -> Iterator[str]:
    goes_on = "indexing goes on: " if answer.state == "running" else ""
    yield wrap(
        f"{goes_on}{answer.files} files, {answer.nodes} nodes, {answer.units} passages;"
        f" {answer.embedded} embedded, {answer.from_cache} from the cache,"
        f" {answer.pending} waiting, in {duration_exact(answer.seconds)}",
        width,
    )
    skipped = [f"{item.file} ({item.reason})" for item in answer.skipped]
    failed = [f"{item.file}:{item.line} ({item.reason})" for item in answer.failed]
    yield from _show_list("left out", skipped)
    yield from _show_list("not embedded, to be tried again", failed)


def duration_exact(seconds: float) -> str:
    """Return SECONDS with a decimal while they are few."""
    return f"{seconds:.1f} s" if seconds < 10 else duration(seconds)


def _show_list(title: str, items: list[str]) -> Iterator[str]:
    if items:
        yield f"{title}: {len(items)}"
        yield from (f"  {one_line(item)}" for item in items[:MOST_LISTED])
        if len(items) > MOST_LISTED:
            yield f"  and {len(items) - MOST_LISTED} more, see --json"


def _show_doctor(answer: DoctorAnswer, width: int) -> Iterator[str]:
    for check in answer.checks:
        told = wrap(f"{check.name}: {check.message}", width, " " * 9).lstrip()
        yield f"{SIGNS[check.state]:<8} {told}"
        if check.remedy and check.state != "ok":
            yield wrap(f"-> {check.remedy}", width, " " * 9)
    bad = sum(check.state == "failed" for check in answer.checks)
    yield "everything that must work works" if answer.ok else f"{bad} of the checks failed"


def _show_status(answer: StatusAnswer, width: int) -> Iterator[str]:
    yield f"roam-semantic {answer.version}"
    yield f"notes: {safe(answer.vault or 'no folder is set')}"
    yield wrap(f"org-roam: {answer.database or 'no database'}: {answer.database_state}", width)
    yield f"index: {safe(answer.index_file or 'none')}"
    yield from _show_progress(answer.index, answer.job)
    yield from _show_list("left out", [f"{s.file} ({s.reason})" for s in answer.skipped])
    clashes = [f"{clash.node_id} in {', '.join(clash.files)}" for clash in answer.clashes]
    yield from _show_list("ids used twice", clashes)
    yield from _show_list("newer than org-roam's database", list(answer.not_in_database))
    yield from (one_line(message) for message in answer.messages)


def _show_progress(state: IndexState | None, job: Job | None) -> Iterator[str]:
    if state is not None:
        yield f"passages: {state.indexed} of {state.total} with vectors, {state.pending} waiting"
    if job is not None:
        counted = f" {job.done} of {job.total}" if job.total else ""
        left = f", {duration(job.left_s)} left" if job.left_s else ""
        yield f"running: {job.phase}{counted}{left}"


def _show_refresh(answer: RefreshAnswer | WatchAnswer, width: int) -> Iterator[str]:
    if isinstance(answer, WatchAnswer):
        yield answer.state
    yield from _show_progress(answer.index, answer.job)
    if answer.index.stale_files:
        yield f"files not read yet: {answer.index.stale_files}"
    if answer.message:
        yield wrap(answer.message, width)


def _show_fields(answer: Any, width: int) -> Iterator[str]:
    """Show an answer nothing above knows: its fields, one a line."""
    yield from _show_value(msgspec.to_builtins(answer), "")


def _show_value(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in cast("dict[str, Any]", value).items():
            if isinstance(part, (dict, list, tuple)) and part:
                yield f"{indent}{name}:"
                yield from _show_value(cast("Any", part), indent + "  ")
            elif part not in (None, [], (), {}, ""):
                yield f"{indent}{name}: {one_line(str(cast('Any', part)))}"
    elif isinstance(value, (list, tuple)):
        for part in cast("list[Any]", value):
            yield from _show_value(part, indent)
    else:
        yield f"{indent}{one_line(str(value))}"


_SHOWERS: dict[type[Any], Callable[[Any, int], Iterator[str]]] = {
    SearchAnswer: _show_search,
    NameAnswer: _show_names,
    RelatedAnswer: _show_related,
    LinksAnswer: _show_links,
    NodeAnswer: _show_node,
    IndexAnswer: _show_index,
    DoctorAnswer: _show_doctor,
    StatusAnswer: _show_status,
    RefreshAnswer: _show_refresh,
    WatchAnswer: _show_refresh,
}
