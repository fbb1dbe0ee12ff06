#!/usr/bin/env python3
"""openapi.py SCHEMA OUT.cc TAG…: writes a source that defines http::OpenApi(), the part of SCHEMA that
the operations with one of these tags make up: their paths and the components they lead to."""

import sys
from pathlib import Path

import yaml

METHODS = {"get", "put", "post", "delete"}
REF_PREFIX = "#/components/"
SOURCE = """\
#include "common/http/openapi.h"

namespace fanfold::http {{

std::string_view OpenApi() noexcept {{ return R"__OPENAPI__({text})__OPENAPI__"; }}

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


def part_of(document: dict, tags: set) -> dict:
    paths = {path: part for path, item in document["paths"].items()
             if (part := part_of_path(item, tags))}
    used = reachable(document["components"], refs_in(paths))
    components = {kind: {name: value for name, value in named.items() if (kind, name) in used}
                  for kind, named in document["components"].items()}
    return {**document, "tags": [tag for tag in document["tags"] if tag["name"] in tags],
            "paths": paths,
            "components": {kind: named for kind, named in components.items() if named}}


def main() -> None:
    schema, out, tags = Path(sys.argv[1]), Path(sys.argv[2]), set(sys.argv[3:])
    part = part_of(yaml.safe_load(schema.read_text()), tags)
    text = yaml.dump(part, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)
    source = SOURCE.format(text=text)
    # Each configuring comes here: an unchanged source is not to be compiled again.
    if not out.exists() or out.read_text() != source:
        out.write_text(source)


if __name__ == "__main__":
    main()
