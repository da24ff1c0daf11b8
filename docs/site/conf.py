# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""How Sphinx makes the site (tools/site.sh). Its sources are the whole repository, so that links between files are as they are there."""
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import headers  # noqa: E402
import links  # noqa: E402
import package  # noqa: E402

root = pathlib.Path(__file__).resolve().parents[2]
numbers = dict(re.findall(r"#define TYPEWARP_VERSION_(MAJOR|MINOR|PATCH) (\d+)", (root / "include/typewarp/version.h").read_text()))

project = "Typewarp"
copyright = "2026 The Typewarp Authors"
version = release = "{MAJOR}.{MINOR}.{PATCH}".format(**numbers)
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**.md", "docs/site/*.rst"]
exclude_patterns = [".*", "build", "apps", "bench", "examples", "include", "packaging", "python", "src", "tests", "tools"]
myst_heading_anchors = 6
default_role = "code"
smartquotes = False
python_maximum_signature_line_length = maximum_signature_line_length = 160
toc_object_entries = False  # each page's list of all pages would hold them
html_theme = "furo"
html_title = f"Typewarp {version}"
html_copy_source = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
# GitHub shows README.md without it.
CONTENTS = "".join(f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{pages}\n```\n" for caption, pages in {
    "Guides": "docs/guide/building\ndocs/guide/packing\ndocs/guide/messages\ndocs/guide/exchange\ndocs/guide/device-group\ndocs/guide/halo\ndocs/guide/python\n"
              "docs/guide/python-messages\ndocs/guide/torch\ndocs/guide/c\ndocs/guide/unchanged-programs\ndocs/guide/packages\ndocs/guide/*\ndocs/benchmarks\ndocs/*",
    "Interfaces": "docs/site/python\ndocs/site/c\ndocs/site/cpp-*",
    "Reference": "docs/reference/*\nCHANGELOG",
    "Internals": "docs/internals/architecture\ndocs/internals/*\nCONTRIBUTING",
}.items())


def add_contents(app, docname, source):
    if docname == root_doc:
        source[0] += CONTENTS
    if docname == "docs/internals/decisions":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\ndecisions/*\n```\n"


def finish(app, error):
    if error is None and app.builder.format == "html":
        shutil.copy(app.outdir / "README.html", app.outdir / "index.html")


def setup(app):
    app.add_config_value("typewarp_root", root, "env")
    app.add_directive("header", headers.Header)
    app.add_directive("python", package.Python)
    app.add_transform(links.ToFiles)
    app.connect("source-read", add_contents)
    app.connect("build-finished", finish)
