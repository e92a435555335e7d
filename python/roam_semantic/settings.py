"""Every setting: its name in the environment, default, and what it means.

The only reader of the environment.  `load` turns it, with what the command
line overrides, into one frozen `Settings`; nothing else asks `os.environ`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from roam_semantic.errors import BadRequest, NotReady

INDEX_NAME = "org-roam-semantic.db"
# Value of ROAM_INDEX: the index is in org-roam's own database.
SHARED = "shared"
EMBEDDERS = ("auto", "embedded", "ollama")


class Setting(msgspec.Struct, frozen=True):
    """One documented setting; README's table is made from these."""

    name: str
    field: str
    default: str
    help: str


SETTINGS: tuple[Setting, ...] = (
    Setting("ROAM_DIR", "vault", "~/org-roam if it exists", "folder of the notes"),
    Setting(
        "ROAM_DB",
        "database",
        "org-roam.db in the vault or Emacs' folder",
        "org-roam's database, read only unless ROAM_INDEX is shared",
    ),
    Setting(
        "ROAM_INDEX",
        "index",
        f"{INDEX_NAME} beside ROAM_DB, else in the cache folder",
        "file of our index; shared: inside ROAM_DB",
    ),
    Setting("ROAM_EMBEDDER", "embedder", "auto", "auto, embedded or ollama"),
    Setting("ROAM_MODEL_DIR", "model_dir", "", "folder of a model of your own"),
    Setting("ROAM_SEARCH_HOST", "host", "127.0.0.1", "loopback address of the HTTP endpoint"),
    Setting("ROAM_SEARCH_PORT", "port", "8766", "TCP port of the HTTP endpoint, 0: any"),
    Setting("ROAM_LOG", "log", "", "file for diagnostics; empty keeps them on stderr"),
    Setting("XDG_CACHE_HOME", "cache_home", "~/.cache", "where the vector cache is kept"),
    Setting("XDG_STATE_HOME", "state_home", "~/.local/state", "where the HTTP token is kept"),
    Setting("ROAM_SEMANTIC_GATE", "gate", "", "right to write a shared index, set by Emacs"),
    Setting("ROAM_SEMANTIC_TOKEN", "token", "", "secret of the EPC handshake, set by Emacs"),
)


class Settings(msgspec.Struct, frozen=True):
    """What this process was told; paths are absolute, links not resolved."""

    vault: str | None
    database: str | None
    index: str | None
    shared: bool
    gate: str | None
    embedder: str
    model_dir: str | None
    host: str
    port: int
    log: str | None
    cache: str
    state: str
    token: str | None
    home: str

    def require_vault(self) -> str:
        """Return the vault; raise NotReady when none is set or it is gone."""
        if self.vault is None:
            raise NotReady("no vault is set", "set ROAM_DIR or pass --dir FOLDER")
        if not os.path.isdir(self.vault):
            raise NotReady(
                f"the vault {self.vault} is not a folder", "set ROAM_DIR or pass --dir FOLDER"
            )
        return self.vault


def load(
    overrides: Mapping[str, str | None] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Return the settings: OVERRIDES (field → text) before ENVIRON.

    Raise BadRequest when a value cannot be meant (names the variable).
    """
    env = os.environ if environ is None else environ
    given = {key: value for key, value in (overrides or {}).items() if value}

    def text(field: str) -> str | None:
        name = next(s.name for s in SETTINGS if s.field == field)
        return given.get(field) or env.get(name) or None

    def path(field: str) -> str | None:
        value = text(field)
        return None if value is None else os.path.abspath(os.path.expanduser(value))

    home = os.path.expanduser("~")
    usual = os.path.join(home, "org-roam")
    vault = path("vault") or (usual if os.path.isdir(usual) else None)
    shared = text("index") == SHARED
    cache_home, state_home = path("cache_home"), path("state_home")
    return Settings(
        vault=vault,
        database=path("database"),
        index=None if shared else path("index"),
        shared=shared,
        gate=path("gate"),
        embedder=_one_of("ROAM_EMBEDDER", text("embedder") or "auto", EMBEDDERS),
        model_dir=path("model_dir"),
        host=text("host") or "127.0.0.1",
        port=_port("ROAM_SEARCH_PORT", text("port") or "8766"),
        log=path("log"),
        cache=os.path.join(cache_home or f"{home}/.cache", "roam-semantic"),
        state=os.path.join(state_home or f"{home}/.local/state", "roam-semantic"),
        token=text("token"),
        home=home,
    )


def refuse_telemetry() -> None:
    """Keep libraries from reporting to their makers; call it before importing them.

    onnxruntime (measured: 1.32) otherwise writes a device id and a database
    into the cache folder and calls Microsoft as soon as it is imported; its
    own `disable_telemetry_events` comes too late for both.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise BadRequest(f"{name} is {value!r}", f"use one of {', '.join(allowed)}")
    return value


def _port(name: str, value: str) -> int:
    if not value.isascii() or not value.isdigit() or int(value) > 65535:
        raise BadRequest(f"{name} is {value!r}", "use a number from 0 to 65535")
    return int(value)
