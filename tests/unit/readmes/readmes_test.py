"""A folder's README names files that are there, and so does ARCHITECTURE; each folder of code has one."""
import html
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OWN = ("common", "writer", "projector", "reader", "operations", "cli", "bench")
# Told of by the README above them.
TOLD_ABOVE = ("cli/", "operations/", "reader/tables", "bench/")
NAMED = re.compile(r"`([\w./-]+\.(?:h|cc|md|py|yaml))`")
LINKED = re.compile(r"\]\(([\w./-]+)\)")


def folders():
    files = (file for own in OWN for file in (ROOT / own).rglob("*") if file.suffix in (".h", ".cc"))
    return sorted({str(file.parent.relative_to(ROOT)) for file in files})


def missing(readme):
    text = readme.read_text(encoding="utf-8")
    # A page that is no folder's names files by their paths, or means one in each folder.
    is_folders = readme.parent != ROOT and readme.name == "README.md"
    named = [name for name in NAMED.findall(text) if (is_folders or "/" in name)
             and not any((base / name).exists() for base in (readme.parent, ROOT))]
    return named + [link for link in LINKED.findall(text) if not (readme.parent / link).exists()]


class Readmes(unittest.TestCase):
    def test_each_folder_of_code_has_one(self):
        without = [folder for folder in folders()
                   if not folder.startswith(TOLD_ABOVE)
                   and not (ROOT / folder / "README.md").exists()]
        self.assertEqual(without, [])

    def test_what_they_name_is_there(self):
        for readme in [*(ROOT / folder / "README.md" for folder in folders()),
                       ROOT / "docs/ARCHITECTURE.md", ROOT / "README.md"]:
            if readme.exists():
                with self.subTest(readme=str(readme.relative_to(ROOT))):
                    self.assertEqual(missing(readme), [])

    def test_the_page_leads_to_each(self):
        page = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
        for readme in (folder for folder in folders() if (ROOT / folder / "README.md").exists()):
            self.assertIn(f"../{readme}/README.md", page)

    def test_the_first_page_of_docs_leads_to_each(self):
        page = ROOT / "docs/README.md"
        self.assertEqual(missing(page), [])
        links = set(LINKED.findall(page.read_text(encoding="utf-8")))
        self.assertEqual({file.name for file in (ROOT / "docs").glob("*.md")} - links, {"README.md"})

    def test_the_figure_is_drawn_from_its_text(self):
        images = ROOT / "docs/images"
        drawn = html.unescape(" ".join(re.findall(r"<text[^>]*>([^<]+)</text>",
                                                  (images / "flow.svg").read_text(encoding="utf-8"))))
        labels = re.findall(r'\[(?:[^\]]*\b)?label="([^"]+)"', (images / "flow.dot").read_text(encoding="utf-8"))
        self.assertGreater(len(labels), 15)
        told = sorted(part for label in labels for part in label.split("\\n"))
        for part in told:
            self.assertIn(part, drawn)


if __name__ == "__main__":
    unittest.main()
