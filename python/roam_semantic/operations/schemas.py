"""JSON Schemas of the catalogue, and the catalogue as one document."""

from __future__ import annotations

import json
from typing import Any, cast

import msgspec

from roam_semantic.operations.catalogue import Catalogue, Operation

SCALARS = ("string", "integer", "number", "boolean", "null")


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
    """Return the schema of the answer cut to what a client must know to check it.

    An agent reads every schema before its first call; the fields of a hit cost
    a thousand characters and are seen in the first answer anyway.
    """
    schema = output_schema(operation)
    properties = {name: _type_only(part) for name, part in schema["properties"].items()}
    return {"type": "object", "properties": properties, "required": schema.get("required", [])}


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


def _type_only(schema: dict[str, Any]) -> dict[str, Any]:
    """Return SCHEMA with its type alone; {} where that would not say it all."""
    if "type" in schema:
        return {"type": schema["type"]}
    kinds = [part.get("type") for part in schema.get("anyOf", [])]
    if kinds and all(isinstance(kind, str) for kind in kinds):
        return {"type": kinds}
    return {}
