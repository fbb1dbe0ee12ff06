"""The series that the processes export, read from the code that makes them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ["common", "writer", "projector", "reader", "operations", "cli"]
TYPES = {"Counter": "counter", "Gauge": "gauge", "GenerationGauge": "gauge", "Seconds": "histogram", "Sizes": "histogram"}
HISTOGRAM_SUFFIXES = ["_bucket", "_sum", "_count"]
LITERALS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
MADE = re.compile(rf'\b(?:Get(Counter|Gauge|Seconds|Sizes)|(GenerationGauge) \w+)[({{]\s*"([^"]+)",\s*{LITERALS}')
OF_ROUTES = re.compile(r'\.(requests|seconds) = "([^"]+)"')
ROUTE_METER = "common/http/metered_routes.cc"
OF_ROUTE = {"requests": ("counter", re.compile(rf"GetCounter\(requests_, {LITERALS}")),
            "seconds": ("histogram", re.compile(rf"GetSeconds\(series\.seconds, {LITERALS}"))}


def joined(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


def code_metrics():
    """name → (type, help)."""
    route_helps = {kind: (type_, joined(help_.search((ROOT / ROUTE_METER).read_text(encoding="utf-8"))[1]))
                   for kind, (type_, help_) in OF_ROUTE.items()}
    metrics = {}
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.[ch]*")):
            code = path.read_text(encoding="utf-8")
            for getter, of_generations, name, literals in MADE.findall(code):
                metrics[name] = (TYPES[getter or of_generations], joined(literals))
            for kind, name in OF_ROUTES.findall(code):
                metrics[name] = route_helps[kind]
    return metrics


def series_of_code():
    """Every name that a series can have."""
    metrics = code_metrics()
    return {*metrics, *(name + suffix for name, (type_, _) in metrics.items() if type_ == "histogram"
                        for suffix in HISTOGRAM_SUFFIXES)}
