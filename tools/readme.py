#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fills in the parts of README.md that come from other files: the example and the measured numbers.

The example is the marked region of tests/docs/readme_example.cpp, which is compiled and run as a test. The numbers
come from bench/results/*/*.json and tests/results/*.json. With --check, says whether README.md is up to date.
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE_LINES = 15
# Of results with targets: what they are about, and which of their plots are shown.
PLOTTED = {"halo": ("halo exchanges", "halo-*-2gpu.png"), "pingpong": ("messages", "pingpong-*-2gpu-device-device.png")}
SIZES = """Up to 64 KiB, what is measured is mostly a launch. PyTorch's rows are left out there, since they are mostly the call from Python.
yaksa's times were not measured in this run, but recorded before on a GPU of the same kind (`bench/pack/yaksa.json`). `pack_unpack`,
`one_call_each`, `struct_of_all` and `unprepared` are Typewarp itself, told the same in other ways."""


def example():
    text = (ROOT / "tests/docs/readme_example.cpp").read_text(encoding="utf-8")
    code = re.search(r"// \[example\]\n(.*?)// \[/example\]", text, re.DOTALL).group(1)
    if code.count("\n") > EXAMPLE_LINES:
        sys.exit(f"the example has {code.count(chr(10))} lines, more than {EXAMPLE_LINES}")
    return f"```cpp\n{code}```"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def in_words(method):
    """'2 threads' of 'typewarp-2t'; other methods as they are."""
    threads = re.fullmatch(r"typewarp-(\d+)t", method)
    return method if threads is None else f"{threads[1]} thread" + ("s" if threads[1] != "1" else "")


def smallest_calls(result):
    """What packing and unpacking 8 bytes takes, in one sentence; each MPI is timed beside us, so the mean is ours."""
    sentences = []
    for direction in ("pack", "unpack"):
        rows = [row for row in result.get("overhead", []) if row["case"] == "overhead/8B" and row["direction"] == direction]
        if rows:
            ours = sum(row["median_us"] for row in rows) / len(rows)
            others = ", ".join(f"{name.split()[0]} {1000 * time:.0f} ns"
                               for row in rows for name, time in row["baselines_us"].items())
            sentences.append(f"to {direction} 8 bytes takes {1000 * ours:.0f} ns ({others})")
    return f"One call: {'; '.join(sentences)}." if sentences else ""


def cell(entry):
    return f"{entry['geometric_mean']:.2f} ({entry['cases']}; {entry['worst']:.2f})" if entry else ""


def by_size(result, where):
    """The summaries over pack, unpack and copy of a result with classes of sizes, a row a baseline."""
    entries = {}
    for entry in result["summary"]:
        if entry["direction"] == "all":
            entries.setdefault(entry["baseline"], {})[entry["size"]] = entry
    rows = [[baseline, *(cell(found.get(size)) for size in result["sizes"])] for baseline, found in entries.items()]
    return "\n\n".join([f"{where}: times faster, geometric mean, by packed size. In brackets: how many rows, and the worst of them.",
                        table(["against", *result["sizes"]], rows), SIZES])


def targets(result, where, what):
    """What a result is expected to reach, and how many of its rows do, a row a target and MPI."""
    rows = [[entry["target"], entry["mpi"], str(entry["rows"]), str(len(entry["misses"])), f"{entry['geometric_mean']:.2f}"]
            for entry in result["targets"] if entry["rows"]]
    return "\n\n".join([f"{where}: {what}, against what they are expected to reach.",
                        table(["target", "MPI", "rows", "that miss it", "geometric mean"], rows)])


def stencils(result, where):
    """Of stencil2d, what halos exchanged by hand take against ours, a row a field; and the lines of both."""
    lines = result["lines"]
    rows = [[pair["mpi"], f"{pair['gpus']}{', MPS' if pair.get('mps') else ''}", pair["case"], f"{pair['hand_us']:.1f}", f"{pair['typewarp_us']:.1f}",
             f"{100 * pair['improvement']:.0f} %"] for pair in result["pairs"] if pair["paper"] == "001"]
    return "\n\n".join([f"{where}: an iteration of stencil2d in microseconds, with halos exchanged by {lines['hand']['lines']} lines "
                        f"written by hand (cudaMemcpy2D and MPI), and by {lines['typewarp']['lines']} lines that call Typewarp.",
                        table(["MPI", "GPUs", "grid of ranks/points of each/type", "by hand", "Typewarp", "less"], rows)])


def benchmarks():
    """The summaries: one table a row a method and an MPI, what a small call takes, one table a GPU; the plots."""
    rows, sized, calls, plots = [], [], [], []
    for file in sorted(ROOT.glob("bench/results/*/*.json")):
        result = json.loads(file.read_text(encoding="utf-8"))
        if not {"summary", "targets", "pairs"} & result.keys():
            continue  # profiles explain rows of other files
        machine = result["machine"]
        where = f"[{file.stem}]({file.relative_to(ROOT)}), {machine.get('gpu') or machine['cpu']}"
        if "targets" in result:
            what, pattern = PLOTTED[file.stem]
            sized.append(targets(result, where, f"{what} between two ranks"))
            plots += [f"![{what}, {plot.stem}]({plot.relative_to(ROOT)})" for plot in sorted(file.parent.glob(pattern))]
        elif "pairs" in result:
            sized.append(stencils(result, where))
        elif "sizes" in result:
            sized.append(by_size(result, where))
        else:
            rows += [[where, in_words(entry["method"]), entry["mpi"], str(entry["cases"]), f"{entry['geometric_mean']:.2f}",
                      f"{entry['worst']:.2f} ({entry['worst_case']})"]
                     for entry in result["summary"] if entry["direction"] == "all"]
        calls.append(smallest_calls(result))
        if file.with_suffix(".png").exists():
            plots.append(f"![{file.stem}, case by case]({file.with_suffix('.png').relative_to(ROOT)})")
    if not rows and not sized:
        return "No benchmark result is recorded yet."
    head = ["benchmark, machine", "we use", "against", "cases", "times faster, geometric mean", "worst case"]
    tables = [table(head, rows)] if rows else []
    return "\n\n".join([*tables, *filter(None, calls), *sized, *plots])


def test_results():
    rows = []
    for file in sorted(ROOT.glob("tests/results/*.json")):
        result = json.loads(file.read_text(encoding="utf-8"))
        machine, total, sanitizers = result["machine"], result["totals"], result["sanitizers"] or {}
        found = []
        for tool in (tool for tool in ("memcheck", "racecheck") if tool in sanitizers):
            runs = sanitizers[tool]
            unfinished = f" ({len(runs['failed_runs'])} of {len(runs['programs'])} runs did not finish)" if runs["failed_runs"] else ""
            found.append(f"{tool} {runs['errors']}{unfinished}")
        rows.append([f"[{file.stem}]({file.relative_to(ROOT)})", f"{machine['gpu']}, CUDA {machine['cuda']}",
                     str(total["passed"]), str(total["failed"]), str(total["skipped"]), ", ".join(found) or "not run",
                     result["date"][:10]])
    if not rows:
        return "No run of the GPU tests is recorded yet."
    return table(["machine", "GPU", "tests passed", "failed", "skipped", "errors under compute-sanitizer", "date"], rows)


PARTS = {"example": example, "benchmarks": benchmarks, "test-results": test_results}


def fill_in(text):
    for name, make in PARTS.items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if len(place.findall(text)) != 1:
            sys.exit(f"README.md: needs the markers <!-- {name} --> and <!-- /{name} --> once each")
        text = place.sub(lambda found, part=make(): f"{found[1]}{part}\n{found[2]}", text)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit with 1 if README.md is out of date")
    arguments = parser.parse_args()
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    filled = fill_in(text)
    if arguments.check and filled != text:
        sys.exit("README.md is out of date: run tools/readme.py")
    if not arguments.check:
        readme.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main()
