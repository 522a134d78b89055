"""Checks of JSON documents against docs/schema/acutance-1.json, for the parts of JSON Schema that it uses."""
import json
import pathlib

SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema" / "acutance-1.json").read_text())
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$id", "$defs", "title", "description", "oneOf", "$ref", "type", "const", "enum", "minimum",
         "properties", "required", "additionalProperties", "items"}


def is_type(value, name):
    if name in ("number", "integer"):
        return isinstance(value, int if name == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def object_problems(value, schema, at):
    properties = schema.get("properties", {})
    extra = schema.get("additionalProperties", True)
    for name in schema.get("required", []):
        if name not in value:
            yield f"{at}: {name} is missing"
    for name, item in value.items():
        if name in properties:
            yield from problems(item, properties[name], f"{at}.{name}")
        elif extra is False:
            yield f"{at}: {name} is not in the schema"
        elif isinstance(extra, dict):
            yield from problems(item, extra, f"{at}.{name}")


def problems(value, schema, at="document"):
    """The reasons why a value does not match."""
    assert not set(schema) - KNOWN, set(schema) - KNOWN
    if "$ref" in schema:
        yield from problems(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], at)
    if "oneOf" in schema:
        tried = [list(problems(value, option, at)) for option in schema["oneOf"]]
        if sum(not found for found in tried) != 1:
            yield f"{at}: {sum(not found for found in tried)} alternatives fit: " + "; ".join(sum(tried, []))[:2000]
    kinds = schema.get("type", [])
    if kinds and not any(is_type(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        yield f"{at}: {value!r} is no {kinds}"
        return
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not allowed"
    if "minimum" in schema and is_type(value, "number") and value < schema["minimum"]:
        yield f"{at}: {value} is too small"
    if isinstance(value, dict):
        yield from object_problems(value, schema, at)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from problems(item, schema["items"], f"{at}[{index}]")


def check(document):
    found = list(problems(document, SCHEMA))
    assert not found, "\n".join(found[:10])
    return document
