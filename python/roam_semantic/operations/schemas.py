"""JSON Schemas of the catalogue, and the catalogue as one document."""

from __future__ import annotations

import json
from typing import Any, cast

import msgspec

from roam_semantic.operations.catalogue import Catalogue, Operation


def input_schema(operation: Operation) -> dict[str, Any]:
    """Return the schema of the arguments of OPERATION, without references."""
    schema = _inlined(operation.arguments)
    schema.pop("title", None)
    properties = schema.get("properties", {})
    schema["properties"] = {name: _without_null(part) for name, part in properties.items()}
    if not schema.get("required"):
        schema.pop("required", None)
    return schema


def output_schema(operation: Operation) -> dict[str, Any]:
    """Return the whole schema of the answer of OPERATION, without references."""
    return _inlined(operation.signature.answer)


def outline(operation: Operation) -> dict[str, Any]:
    """Return the schema of the answer cut to the fields it always has.

    An agent's client reads the list of tools before the first call, and all of
    it must stay small; types and parts of an answer are seen in the first one.
    """
    return {"type": "object", "required": output_schema(operation).get("required", [])}


def document(catalogue: Catalogue) -> str:
    """Return the whole outside contract as JSON that is pleasant to compare."""
    operations = {
        operation.command: {
            "tool": operation.tool,
            "description": operation.description,
            "positional": list(operation.positional),
            "hints": msgspec.to_builtins(operation.hints),
            "input": input_schema(operation),
            "output": output_schema(operation),
        }
        for operation in catalogue
    }
    return json.dumps({"operations": operations}, indent=2, ensure_ascii=False)


def _inlined(kind: Any) -> dict[str, Any]:
    (schema,), components = msgspec.json.schema_components([kind])
    return _resolve(schema, components)


def _resolve(schema: Any, components: dict[str, Any]) -> Any:
    """Return SCHEMA with each reference replaced by what it refers to."""
    if isinstance(schema, (list, tuple)):
        return [_resolve(part, components) for part in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    fields = cast("dict[str, Any]", schema)
    if "$ref" in fields:
        name = fields["$ref"].rpartition("/")[2]
        return _resolve(components[name], components)
    return {name: _resolve(part, components) for name, part in fields.items()}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return SCHEMA without null as an alternative: not giving it says the same."""
    kinds = [part for part in schema.get("anyOf", []) if part.get("type") != "null"]
    return kinds[0] if len(kinds) == 1 else schema
