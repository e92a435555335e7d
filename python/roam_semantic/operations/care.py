"""Status and doctor: what is known now, and what a person should do about it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

from roam_semantic import __version__, sqlite
from roam_semantic.errors import RoamError
from roam_semantic.graph.counts import clashes, languages
from roam_semantic.operations.answers import Check, Clash, DoctorAnswer, StatusAnswer
from roam_semantic.operations.catalogue import operation
from roam_semantic.operations.core import Core
from roam_semantic.operations.index import failed, skipped
from roam_semantic.operations.jobs import running
from roam_semantic.store import lease
from roam_semantic.store.check import faults
from roam_semantic.values import IndexState


@operation(read_only=True)
def status(core: Core) -> StatusAnswer:
    """Tell what the server knows: vault, database, index, jobs, files left out, id clashes."""
    state = _state(core)
    reader = core.reader() if state is not None else None
    return StatusAnswer(
        version=__version__,
        vault=core.settings.vault,
        database=core.database.path if core.database else None,
        database_state=core.database.state().sentence if core.database else "no database is set",
        index_file=core.index_path,
        index=state,
        embedder=core.settings.embedder,
        job=running(core),
        skipped=skipped(reader) if reader else (),
        clashes=tuple(Clash(node, files) for node, files in clashes(reader)) if reader else (),
        not_in_database=_not_in_database(core),
        messages=_messages(core, state),
    )


def _state(core: Core) -> IndexState | None:
    try:
        return core.state()
    except RoamError:
        return None


def _messages(core: Core, state: IndexState | None) -> tuple[str, ...]:
    found = [core.message] if core.message else []
    if state is None:
        found.append("no note has been indexed yet; run `roam-semantic index`")
    elif state.pending:
        found.append(f"{state.pending} units wait for their vectors")
    return tuple(found)


def _not_in_database(core: Core) -> tuple[str, ...]:
    """Return files with nodes that org-roam's database, as last read, does not have."""
    state = _state(core)
    if core.database is None or state is None or not core.database.state().readable:
        return ()
    return tuple(
        path
        for (path,) in core.reader().rows(
            "SELECT f.path FROM embed_files f WHERE f.from_roam < 2 AND EXISTS"
            " (SELECT 1 FROM embed_nodes n WHERE n.file = f.key AND n.id IS NOT NULL AND n.owner)"
            " ORDER BY f.path LIMIT 200"
        )
    )


@operation(read_only=True)
def doctor(core: Core) -> DoctorAnswer:
    """Check the installation and the index; each failed check says what to do."""
    checks = tuple(check for part in CHECKS for check in part(core))
    return DoctorAnswer(ok=all(check.state != "failed" for check in checks), checks=checks)


def _python(core: Core) -> Iterator[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Check("program", "ok", f"roam-semantic {__version__}, Python {version} in {sys.prefix}")
    vec = sqlite.vec_path() is not None
    yield Check(
        "sqlite",
        "ok" if vec else "warning",
        f"SQLite {sqlite.library_version()}" + ("" if vec else " without sqlite-vec"),
        "" if vec else "run `pip install sqlite-vec`; until then vectors are searched without it",
    )


def _vault(core: Core) -> Iterator[Check]:
    try:
        vault = core.settings.require_vault()
    except RoamError as error:
        yield Check("vault", "failed", error.message, error.hint)
    else:
        yield Check("vault", "ok", vault)


def _database(core: Core) -> Iterator[Check]:
    if core.database is None:
        yield Check(
            "database", "warning", "no org-roam database is known; the files are read instead",
            "set ROAM_DB, or start from Emacs, to share org-roam's own graph",
        )  # fmt: skip
        return
    state = core.database.state()
    yield Check("database", "ok" if state.readable else "warning", state.sentence, state.remedy)
    mode = os.stat(core.database.path).st_mode if os.path.exists(core.database.path) else 0
    if mode & 0o077:
        yield Check(
            "database mode", "warning", f"{core.database.path} can be read by other users",
            f"run `chmod 600 {core.database.path}`",
        )  # fmt: skip


def _permissions(core: Core) -> Iterator[Check]:
    path = core.index_path
    if path is None or not os.path.exists(path):
        return
    folder = os.path.dirname(path)
    if not (os.access(path, os.W_OK) and os.access(folder, os.W_OK)):
        yield Check(
            "permissions", "failed", f"{path} cannot be written",
            f"see who owns it and {folder}, or set ROAM_INDEX to a file of yours",
        )  # fmt: skip
    elif os.stat(path).st_mode & 0o077:
        yield Check(
            "permissions",
            "warning",
            f"{path} can be read by other users",
            f"run `chmod 600 {path}`",
        )
    else:
        yield Check("permissions", "ok", f"{path} is yours alone")


def _lock(core: Core) -> Iterator[Check]:
    path = core.index_path
    pid = lease.holder(path) if path and os.path.exists(path) else None
    if pid is not None:
        who = "this process" if pid == os.getpid() else f"process {pid}"
        yield Check("lock", "ok", f"{who} is bringing the index up to date")


def _index(core: Core) -> Iterator[Check]:
    try:
        state = core.state()
        found = faults(core.reader(), deep=True)
    except RoamError as error:
        yield Check("index", "failed", error.message, error.hint)
        return
    where = f"{core.index_path}: {state.indexed} of {state.total} units have vectors"
    if state.failed:
        first = failed(core.reader())[0]
        where += f", {state.failed} failed ({first.file}:{first.line}: {first.reason})"
    complete = not state.pending and not state.failed
    remedy = "" if complete else "run `roam-semantic index`"
    yield Check("index", "ok" if complete else "warning", where, remedy)
    for fault in found:
        yield Check(
            f"index {fault.layer}", "failed", fault.message, "run `roam-semantic index --force`"
        )
    for node, files in clashes(core.reader()):
        yield Check(
            "duplicate id", "warning", f"{node} is in {' and in '.join(files)}",
            "give one of them a new id; the first one answers until then",
        )  # fmt: skip
    left_out = skipped(core.reader())
    if left_out:
        names = "; ".join(f"{item.file} ({item.reason})" for item in left_out[:10])
        yield Check(
            "files left out", "warning", f"{len(left_out)}: {names}", "nothing, if that is meant"
        )
    missing = _not_in_database(core)
    if missing:
        yield Check(
            "not in org-roam", "warning",
            f"{len(missing)} files are on disk but org-roam's database lacks them or is older:"
            f" {', '.join(missing[:10])}",
            "M-x org-roam-db-sync; they are found here all the same",
        )  # fmt: skip


def _model(core: Core) -> Iterator[Check]:
    try:
        embedder = core.embedder()
        embedder.embed_query("probe")
    except RoamError as error:
        yield Check("model", "failed", error.message, error.hint)
        return
    yield Check("model", "ok", f"{embedder.name}, {embedder.dimension} numbers a vector")
    if embedder.languages == "en" and _state(core) is not None:
        from roam_semantic.models.language import mostly_foreign  # word lists: 4 ms

        foreign = mostly_foreign(languages(core.reader()))
        if foreign is not None:
            yield Check(
                "language", "warning",
                f"most notes are not English ({foreign}); {embedder.name} knows English only,"
                " so they are found by word but poorly by meaning",
                "point ROAM_MODEL_DIR at a multilingual model",
            )  # fmt: skip


CHECKS: tuple[Callable[[Core], Iterator[Check]], ...] = (
    _python, _vault, _database, _permissions, _lock, _index, _model,
)  # fmt: skip
