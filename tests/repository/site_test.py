#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""tools/site.sh makes a site of which all links lead somewhere, that fetches nothing, and that has each public name.

usage: site_test.py <folder>: where the site is made
"""
import ast
import html.parser
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".tools/site"
FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/site").resolve()


class Page(html.parser.HTMLParser):
    """The anchors of a page, what it links to, and what it fetches when it is opened."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links, self.fetched = {""}, [], []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.anchors |= {told[key] for key in ("id", "name") if told.get(key)}
        if tag == "a" and told.get("href"):
            self.links.append(told["href"])
        elif tag == "link" and told.get("rel") not in ("next", "prev", "index", "search", "author") or tag in ("img", "script", "iframe", "source"):
            self.fetched.append(told.get("href") or told.get("src") or "")


def dead_links(folder):
    """Links of a site's pages, to its own files and anchors and from elsewhere what it fetches, that do not work."""
    pages = {file: Page(file) for file in folder.rglob("*.html")}
    for file, page in pages.items():
        for link in page.links + page.fetched:
            url = urllib.parse.urlsplit(link)
            target = (file.parent / urllib.parse.unquote(url.path)).resolve() if url.path else file
            if url.scheme or url.netloc:
                wrong = link in page.fetched and url.scheme != "data"
            else:
                wrong = not target.is_file() or target in pages and urllib.parse.unquote(url.fragment) not in pages[target].anchors
            if wrong:
                yield f"{file.relative_to(folder)}: {link}"


def names_of_python():
    """What __init__.py lists, and what is imported when it is asked for."""
    lists = {target.id: node.value for node in ast.parse((ROOT / "python/typewarp/__init__.py").read_text(encoding="utf-8")).body
             if isinstance(node, ast.Assign) for target in node.targets if isinstance(target, ast.Name)}
    later = {word.value for word in ast.walk(lists["_LATER"]) if isinstance(word, ast.Constant) and word.value[0] != "_"}
    return sorted(later.union(ast.literal_eval(lists["__all__"])))


def names_of_c(header):
    return re.findall(r"^[\w ]+[ *](tw_\w+)\(", header, re.MULTILINE) + re.findall(r"\bTW_\w+(?=[,}]| =)", re.sub("//.*", "", header))


def names_of_cxx(header):
    """Of types and functions that stand in no class: nothing before them, but within other namespaces than those of the reference."""
    header = re.sub(r"^namespace (?!typewarp|layout)\w+ \{.*?^\}", "", re.sub("//.*", "", header), flags=re.MULTILINE | re.DOTALL)
    types = re.findall(r"^(?:class|struct|enum class) (\w+)[^;{]*\{", header, re.MULTILINE)
    return types + re.findall(r"^(?!using|template|  |return)[\w:<>\[\], ]+[&*]* (\w+)\([^;{]*?(?:;|\{)", header, re.MULTILINE)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = subprocess.run([ROOT / "tools/site.sh", FOLDER], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        lines = zlib.decompress((FOLDER / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode().splitlines()
        cls.names = {tuple(re.fullmatch(r"(.+?) (\w+):\w+ -?\d+ .*", line).groups()) for line in lines}

    def lacking(self, domain, names):
        return [name for name in names if (name, domain) not in self.names]

    def test_links(self):
        self.assertEqual(list(dead_links(FOLDER)), [])

    def test_front_page(self):
        self.assertIn("<h1>Typewarp", (FOLDER / "index.html").read_text(encoding="utf-8"))

    def test_python(self):
        names = names_of_python()
        self.assertGreater(len(names), 35)
        self.assertEqual(self.lacking("py", ["typewarp." + name for name in names]), [])

    def test_c(self):
        names = [name for header in (ROOT / "include").rglob("*.h") for name in names_of_c(header.read_text(encoding="utf-8"))]
        self.assertGreater(len(names), 200)
        self.assertEqual(self.lacking("c", names), [])

    def test_cxx(self):
        short = {name.rpartition("::")[2] for name, domain in self.names if domain == "cpp"}
        names = {name for header in (ROOT / "include").rglob("*.hpp") for name in names_of_cxx(header.read_text(encoding="utf-8"))}
        self.assertGreater(len(names), 100)
        self.assertEqual(sorted(names - short), [])


class CanFail(unittest.TestCase):
    def reference(self, text, suffix=".h"):
        """The reference of a header, and the warnings of it."""
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "x" + suffix)
            header.write_text("// (c)\n// SPDX\n#pragma once\n\n" + text, encoding="utf-8")
            reader = headers.Reader(header)
            with self.assertLogs("sphinx", "WARNING") as logs:
                headers.log.warning("none")
                lines = reader.scope(reader.root, told=suffix == ".h")
        return "\n".join(line.rstrip() for line in lines), [record.getMessage() for record in logs.records[1:]]

    def test_text(self):
        lines, warnings = self.reference("/// Does it.\nint tw_f(int a,\n         int b);\nint tw_g(void);\n")
        self.assertEqual(lines, ".. c:function:: int tw_f(int a, int b)\n                int tw_g(void)\n\n   Does it.\n\n")
        self.assertEqual(warnings, [])

    def test_without_text(self):
        self.assertEqual(self.reference("/// Does it.\nint tw_f(void);\n\nint tw_g(void);\n")[1], ["x.h: there is no text for int tw_g(void)"])

    def test_section(self):
        lines, warnings = self.reference("// About x.\n\n#include <stdint.h>\n\nint tw_f(void);\n\n// All of these.\n\nint tw_g(void);\n")
        self.assertIn("All of these.", lines)
        self.assertEqual(warnings, ["x.h: there is no text for int tw_f(void)"])

    def test_class(self):
        lines, warnings = self.reference("/// All.\nnamespace typewarp {\n\n/// One.\nclass C {\n public:\n  C(C&&);\n  /// Size.\n  int size() const { return s_; }\n\n"
                                         " private:\n  int s_;  ///< mine\n};\n\nstruct D {};\n\n}  // namespace typewarp\n", ".hpp")
        self.assertIn("   .. cpp:function:: int size() const\n\n      Size.\n", lines)
        self.assertNotIn("s_", lines)
        self.assertNotIn("C&&", lines)
        self.assertEqual(warnings, ["x.hpp: there is no text for D"])

    def test_dead_links(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "a.html")
            page.write_text('<a id="x" href="#x"></a><a href="#y"></a><a href="b.html"></a><img src="https://example.org/i.png"/>'
                            '<a href="https://example.org">', encoding="utf-8")
            self.assertEqual(list(dead_links(pathlib.Path(folder))), ["a.html: #y", "a.html: b.html", "a.html: https://example.org/i.png"])


if __name__ == "__main__":
    if not (TOOLS / ".complete").exists():
        print("skipped: no Sphinx in .tools/site (tools/setup.sh --with-lint installs it)")
        sys.exit(77)
    if pathlib.Path(sys.prefix).resolve() != TOOLS.resolve():
        os.execv(TOOLS / "bin/python", [TOOLS / "bin/python", "-B", *sys.argv])
    sys.path.insert(0, str(ROOT / "docs/site"))
    import headers
    unittest.main(argv=sys.argv[:1])
