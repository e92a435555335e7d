"""Who may import whom: the map of ARCHITECTURE.org, kept by a machine."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "python"
PACKAGE = "roam_semantic"

# A part may import parts of a lower rank and itself, never its own rank.
RANKS = (
    ("errors", "values", "paths"),
    ("settings", "sqlite"),
    ("org", "org_roam", "models", "store", "code", "sources"),
    ("graph", "indexing", "retrieval", "notes", "knowledge"),
    ("operations",),
    ("faces",),
    ("app",),
    ("__main__",),
)
RANK = {part: rank for rank, parts in enumerate(RANKS) for part in parts}

# Library → the files that may import it, as prefixes below the package.
HOMES = {
    "apsw": ("sqlite.py",),
    "sqlite3": (),
    "mcp": ("faces/mcp",),
    "epc": ("faces/epc",),
    "sexpdata": ("faces/",),
    "http": ("faces/", "models/"),
    "argparse": ("faces/cli", "__main__.py", "app.py"),
    "onnxruntime": ("models/",),
    "onnx": ("models/",),
    "tokenizers": ("models/",),
    "watchfiles": ("indexing/watch.py",),
    "httpx": ("models/",),
    "pickle": (),
    "requests": (),
}


class Import(NamedTuple):
    """One import: the file below the package, the dotted name, the line."""

    file: str
    name: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.name}"


def files() -> list[Path]:
    return sorted((SOURCE / PACKAGE).rglob("*.py"))


def imports(path: Path) -> Iterator[Import]:
    file = path.relative_to(SOURCE / PACKAGE).as_posix()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: write the whole name of a module"
            for alias in node.names:
                yield Import(file, f"{node.module}.{alias.name}", node.lineno)


def part(dotted: str) -> str | None:
    """Return the part of our package that DOTTED lies in, or None."""
    words = dotted.split(".")
    return words[1] if words[0] == PACKAGE and len(words) > 1 else None


def part_of_file(file: str) -> str:
    return file.split("/")[0].removesuffix(".py")


def all_imports() -> list[Import]:
    return [each for path in files() for each in imports(path)]


def test_every_part_of_the_package_has_a_rank():
    parts = {part_of_file(path.relative_to(SOURCE / PACKAGE).as_posix()) for path in files()}

    assert set() == parts - set(RANK) - {"__init__"}


def test_no_part_imports_its_own_rank_or_a_higher_one():
    wrong = [
        str(each)
        for each in all_imports()
        if (target := part(each.name)) in RANK
        and target != (source := part_of_file(each.file))
        and RANK.get(source, -1) <= RANK[target]
    ]

    assert [] == wrong


def test_a_library_is_imported_only_where_it_is_at_home():
    wrong = [
        str(each)
        for each in all_imports()
        if (homes := HOMES.get(each.name.split(".")[0])) is not None
        and not any(each.file.startswith(home) for home in homes)
    ]

    assert [] == wrong


def test_only_settings_reads_the_environment():
    words = ("environ", "environb", "getenv", "getenvb")
    wrong = [
        f"{path.name}:{node.lineno}"
        for path in files()
        if path.name != "settings.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Attribute) and node.attr in words)
        or (isinstance(node, ast.ImportFrom) and {a.name for a in node.names} & set(words))
    ]

    assert [] == wrong


def modules() -> dict[str, set[str]]:
    """Return for each module of ours those it imports, late imports too."""
    names = {module_name(path): path for path in files()}
    return {
        name: {
            target
            for each in imports(path)
            for target in (each.name, each.name.rpartition(".")[0])
            if target in names and target != name
        }
        - {PACKAGE}
        for name, path in names.items()
    }


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def test_no_module_imports_itself_by_a_ring_of_others():
    graph = modules()
    # Take away what imports nothing that is left, until nothing more goes.
    while leaves := {name for name, needs in graph.items() if not needs & graph.keys()}:
        graph = {name: needs for name, needs in graph.items() if name not in leaves}

    assert {} == graph
