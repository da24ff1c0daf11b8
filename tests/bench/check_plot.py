# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""check_plot.py <benchmark> <result> <text>...: says what is missing from the pictures of a result, which are to show these texts."""
import pathlib
import runpy
import sys
import tempfile

try:
    import matplotlib  # noqa: F401  (plot.py needs it)
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)


def problems(folder, name, texts):
    svgs = list(folder.glob(f"{name}-*.svg"))
    if len(svgs) != 1:
        yield f"{len(svgs)} pictures"
    for svg in svgs:
        for text in texts:
            # Letters are drawn, and each text stands in a comment.
            if f"<!-- {text} -->" not in svg.read_text(encoding="utf-8"):
                yield f"{svg.name} does not say: {text}"
        if not svg.with_suffix(".png").read_bytes().startswith(b"\x89PNG"):
            yield f"{svg.name} has no PNG beside it"


benchmark, result, *wanted = sys.argv[1:]
program = pathlib.Path(__file__).resolve().parents[2] / "bench" / benchmark / "plot.py"
with tempfile.TemporaryDirectory() as output:
    sys.argv = [str(program), result, "--output", f"{output}/{benchmark}"]
    sys.path.insert(0, str(program.parent))
    runpy.run_path(str(program), run_name="__main__")
    found = list(problems(pathlib.Path(output), benchmark, wanted))
print("\n".join(found) or "all of it is shown")
sys.exit(bool(found))
