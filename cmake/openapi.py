#!/usr/bin/env python3
"""openapi.py SCHEMA OUT.cc TAG…: writes a source that defines what common/http/openapi.h declares: the part
of SCHEMA that the operations with one of these tags make up, their paths and the components they lead
to, and who may use each of them."""

import sys
from pathlib import Path

import yaml

METHODS = {"get", "put", "post", "delete"}
REF_PREFIX = "#/components/"
# What x-user says of a parameter and of an operation, as route_rules.h has it.
PARAMETER_IS = {"self": "kUser", "refused": "kForServices"}
WHOSE = {None: "kAnybodys", "path": "kOfPath", "query": "kOfQuery", "body": "kOfBody"}
STREAMS = {"application/x-ndjson", "text/event-stream"}
SOURCE = """\
#include "common/http/openapi.h"

namespace fanfold::http {{

std::string_view OpenApi() noexcept {{ return R"__OPENAPI__({text})__OPENAPI__"; }}

std::string_view OpenApiWhereOpen() noexcept {{ return R"__OPENAPI__({open_text})__OPENAPI__"; }}

std::span<const RouteRule> RouteRules() noexcept {{
{parameters}
  static constexpr RouteRule kRules[] = {{
{rules}
  }};
  return kRules;
}}

}}  // namespace fanfold::http
"""


class Dumper(yaml.SafeDumper):
    """Writes what anchors stood for, since not every reader of the API knows them, and paragraphs as
    such."""

    def ignore_aliases(self, data):
        return True

    def represent_str(self, text):
        style = "|" if "\n" in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)


Dumper.add_representer(str, Dumper.represent_str)


def part_of_path(item: dict, tags: set) -> dict:
    part = {name: value for name, value in item.items()
            if name not in METHODS or tags & set(value["tags"])}
    return part if METHODS & part.keys() else {}


def refs_in(node) -> set:
    """(kind, name) of every component that a part of the document names."""
    if isinstance(node, list):
        return set().union(*map(refs_in, node))
    if not isinstance(node, dict):
        return set()
    refs = refs_in(list(node.values()))
    ref = node.get("$ref")
    if isinstance(ref, str):
        kind, name = ref.removeprefix(REF_PREFIX).split("/")
        refs.add((kind, name))
    return refs


def reachable(components: dict, roots: set) -> set:
    found, fresh = set(), roots
    while fresh:
        found |= fresh
        fresh = refs_in([components[kind][name] for kind, name in fresh]) - found
    return found


def resolved(document: dict, node: dict) -> dict:
    ref = node.get("$ref")
    if ref is None:
        return node
    kind, name = ref.removeprefix(REF_PREFIX).split("/")
    return document["components"][kind][name]


def scopes_of(operation: dict, route: str) -> tuple:
    """Whether it is public, its scope, and one that does as well; an operation that says nothing is
    nobody's."""
    if "security" not in operation:
        raise SystemExit(f"{route}: security is missing")
    security = operation["security"]
    if security in ([], [{"token": []}]):
        return security == [], "", ""
    scopes = [scope for way in security for scope in way["token"]]
    if len(scopes) != len(security) or len(scopes) > 2:
        raise SystemExit(f"{route}: security names one scope of token, or one of two")
    return False, *scopes, *[""] * (2 - len(scopes))


def parameter_rules(document: dict, parameters: list) -> list:
    rules = []
    for parameter in (resolved(document, one) for one in parameters):
        name, kind, scope = parameter["name"], parameter.get("x-user"), parameter.get("x-scope")
        if kind is not None:
            rules.append(f'{{"{name}", ParameterIs::{PARAMETER_IS[kind]}}}')
        if scope is not None:
            rules.append(f'{{"{name}", ParameterIs::kForScope, "{scope}"}}')
    return rules


def rules_of(document: dict) -> tuple:
    """The sources of the tables of parameters and of routes."""
    tables, rules = [], []
    for path, item in document["paths"].items():
        for method in sorted(METHODS & item.keys()):
            operation, route = item[method], f"{method.upper()} {path}"
            public, scope, or_scope = scopes_of(operation, route)
            parameters = parameter_rules(
                document, item.get("parameters", []) + operation.get("parameters", []))
            whose = operation.get("x-user")
            if (whose == "query") != any("ParameterIs::kUser" in rule for rule in parameters):
                raise SystemExit(f"{route}: x-user is query where a parameter says self, and only there")
            table = "{}"
            if parameters:
                table = f"kParameters{len(tables)}"
                tables.append(f"  static constexpr ParameterRule {table}[] = {{{', '.join(parameters)}}};")
            answers = operation["responses"].get("200", {})
            streams = bool(STREAMS & resolved(document, answers).get("content", {}).keys())
            rules.append(f'      {{"{route}", {str(public).lower()}, "{scope}", "{or_scope}", '
                         f"WhoseRequest::{WHOSE[whose]}, {str(streams).lower()}, {table}}},")
    return "\n".join(tables), "\n".join(rules)


def part_of(document: dict, tags: set) -> dict:
    paths = {path: part for path, item in document["paths"].items()
             if (part := part_of_path(item, tags))}
    used = reachable(document["components"], refs_in(paths))
    components = {kind: {name: value for name, value in named.items() if (kind, name) in used}
                  for kind, named in document["components"].items()}
    components["securitySchemes"] = document["components"]["securitySchemes"]
    return {**document, "tags": [tag for tag in document["tags"] if tag["name"] in tags],
            "paths": paths,
            "components": {kind: named for kind, named in components.items() if named}}


def where_open(part: dict) -> dict:
    """As it is where nobody is asked for a token."""
    paths = {path: {name: {key: value for key, value in operation.items() if key != "security"}
                    if name in METHODS else operation for name, operation in item.items()}
             for path, item in part["paths"].items()}
    components = {kind: named for kind, named in part["components"].items() if kind != "securitySchemes"}
    return {**part, "paths": paths, "components": components}


def text_of(part: dict) -> str:
    return yaml.dump(part, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)


def main() -> None:
    schema, out, tags = Path(sys.argv[1]), Path(sys.argv[2]), set(sys.argv[3:])
    part = part_of(yaml.safe_load(schema.read_text()), tags)
    parameters, rules = rules_of(part)
    source = SOURCE.format(text=text_of(part), open_text=text_of(where_open(part)),
                           parameters=parameters, rules=rules)
    # Each configuring comes here: an unchanged source is not to be compiled again.
    if not out.exists() or out.read_text() != source:
        out.write_text(source)


if __name__ == "__main__":
    main()
