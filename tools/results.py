# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of what bench/results/*/*.json, tests/results/*.json and tests/mutants.json say: for README.md and docs/."""
import json
import math
import os
import re

from contention_results import contention_methods, contention_misses, contention_paper, contention_processes, contention_rule  # noqa: F401  (documents ask for them)
from mutants import FOUND, MUTANTS, places, read_mutants, sources
from peers_results import peers, peers_behind, peers_blocking, peers_burst, peers_failed, peers_first, peers_graph  # noqa: F401  (likewise)
from tables import ROOT, is_older, link, machine, mean, mpi, results, size, table, times

TOPICS = {"halo": "halo exchange", "pingpong": "messages", "contention": "beside other work", "python_torch_backend": "PyTorch"}
BY_HAND = ("memcpy2d_send", "memcpy2d_pipelined")


# --- docs/benchmarks.md: how many times faster than what people use now ---------------------------------------------------


def older(_base):
    """Whether results are of the sources here."""
    files = [result for _, result in results("**/*.json")]
    old = sum(map(is_older, files))
    which = "No result is" if not old else f"All {old} results are" if old == len(files) else f"{old} of {len(files)} results are"
    return f"{which} of older sources than the present ones."


def measured(base):
    """Which day and which sources each result is of."""
    files = [(file, result) for file, result in results("*.json") if file.stem != "record"]
    return table(["result", "day", "source"], [[link(file, f"{file.parent.name}/{file.stem}", base), result["date"][:10], f"`{result['source'][:8]}`{'' if is_older(result) else ', the present ones'}"]
                                               for file, result in sorted(files, key=lambda of: of[1]["date"], reverse=True)])


class Row:
    """A line of the README's table: ratios (other time / ours) with the case that each belongs to."""

    def __init__(self, what, against):
        self.what, self.against, self.ratios, self.typical, self.files = what, against, [], [], []

    def add(self, ratio, case):
        self.ratios.append((ratio, case))

    def line(self, base):
        worst, case = min(self.ratios)
        typical = ", ".join(self.typical) or times(mean([ratio for ratio, _ in self.ratios]))
        where = ", ".join(link(file, file.parent.name, base) for file in self.files)
        return [self.what, self.against, typical, f"{times(worst)} ({case})", where]


def host_row():
    row = Row("pack or unpack on the host, 1 thread", "`MPI_Pack`, `MPI_Unpack`")
    for file, result in results("host.json"):
        row.files.append(file)
        for entry in result["summary"]:
            if entry["method"] == "typewarp-1t" and entry["direction"] == "all":
                row.add(entry["worst"], f"{entry['worst_case']}, {mpi(entry)}")
                row.typical.append(f"{times(entry['geometric_mean'])} ({mpi(entry)})")
    return row


def gpu_row():
    names = {"memcpy2d": "`cudaMemcpy2D`", "torch": "PyTorch", "yaksa": "yaksa"}
    row = Row("pack or unpack on a GPU", ", ".join(names.values()))
    for file, result in results("pack.json"):
        row.files.append(file)
        for baseline, name in names.items():
            entries = [entry for entry in result["summary"] if entry["direction"] == "all" and entry["baseline"] == baseline]
            count = sum(entry["cases"] for entry in entries)
            total = sum(entry["cases"] * math.log(entry["geometric_mean"]) for entry in entries)
            row.typical.append(f"{times(math.exp(total / count))} ({name})")
            for entry in entries:
                row.add(entry["worst"], f"{entry['worst_case']}, {name}")
    return row


def by_size(row, measured):
    """Adds rows of messages, typical ones by their size; what was written by hand counts with its faster way."""
    found = {}
    for entry in measured:
        ways = [entry["baselines_us"][way] for way in BY_HAND if way in entry["baselines_us"]]
        if ways:
            ratio = min(ways) / entry["median_us"]
            row.add(ratio, f"{entry['case']}, {size(entry['packed_bytes'])}, {mpi(entry)}")
            found.setdefault(entry["packed_bytes"], []).append(ratio)
    row.typical = [f"{times(mean(found[bytes_]))} at {size(bytes_)}" for bytes_ in (1 << 10, 1 << 20, 1 << 26) if bytes_ in found]


def message_row():
    row = Row("message between two GPUs of a host", "`cudaMemcpy2D` and MPI, whole or in chunks")
    measured = []
    for file, result in results("pingpong.json"):
        if result["machine"].get("gpus") == 2:
            row.files.append(file)
            measured += [entry for entry in result["rows"] if entry["method"] == "automatic" and entry["gpus"] == 2
                         and entry["memory"] == "device-device"]
    by_size(row, measured)
    return row


def halo_row():
    row = Row("halo exchange between two GPUs", "own kernels or copies and MPI, the fastest of four ways")
    for file, result in results("halo.json"):
        if result["machine"].get("gpus") == 2:
            row.files.append(file)
            for entry in result["rows"]:
                if entry["method"] == "automatic" and entry["memory"] == "device" and entry["gpus"] == 2 and entry["baselines_us"]:
                    row.add(min(entry["baselines_us"].values()) / entry["median_us"],
                            f"{entry['fields']} fields of {entry['size']}^3, {mpi(entry)}")
    return row


def preload_row():
    row = Row("the same message by an unchanged program, `typewarp run`", "the same, written into the program")
    for file, result in results("preload.json"):
        row.files.append(file)
        by_size(row, result["preload"])
    return row


def stencil_row():
    row = Row("a whole stencil program", "")
    for file, result in results("stencil2d.json"):
        row.files.append(file)
        lines = result["lines"]
        row.what = f"a whole stencil program, {lines['typewarp']['lines']} lines of halo code"
        row.against = f"{lines['hand']['lines']} lines of `cudaMemcpy2D` and MPI"
        for pair in result["pairs"]:
            ranks = math.prod(map(int, pair["case"].split("/")[0].split("x")))
            row.add(pair["hand_us"] / pair["typewarp_us"], f"{pair['case']}, {ranks} ranks on {pair['gpus']} GPUs{' under MPS' if pair.get('mps') else ''}")
    return row


def speedups(base):
    rows = [make() for make in (host_row, gpu_row, message_row, halo_row, stencil_row, preload_row)]
    return table(["what", "against", "times faster", "worst case", "measured on"], [row.line(base) for row in rows if row.ratios])


# --- docs/benchmarks*.md: everything --------------------------------------------------------------------------------


def targets(base, missed):
    """A line for each target and machine: of those with missed rows, the largest part missed first, or of those without."""
    found = {}
    for topic, name in TOPICS.items():
        for file, result in results(f"{topic}.json"):
            for entry in result["targets"]:
                if entry["rows"]:
                    found.setdefault((f"{name}: {entry['target']}", file), []).append(entry)
    lines = []
    for (target, file), entries in found.items():
        rows = sum(entry["rows"] for entry in entries)
        missing = [(miss, mpi(entry)) for entry in entries for miss in entry["misses"]]
        if bool(missing) != missed:
            continue
        line = [target, link(file, file.parent.name, base)]
        if missed:
            worst, whose = max(missing, key=lambda one: abs(math.log(one[0]["value"] / one[0]["wanted"])))
            of = str(worst["size"]) if "halo" in target else size(worst["size"])
            beside = f" beside {worst['application']}" if "application" in worst else ""
            line += [f"{len(missing)} of {rows}", f"{worst['value']:.2f} ({worst['case']}{beside}, {of}, {whose})", f"{worst['wanted']:g}"]
        else:
            line.append(str(rows))
        middle = math.exp(sum(entry["rows"] * math.log(entry["geometric_mean"]) for entry in entries) / rows)
        lines.append((-len(missing) / rows, [*line, f"{middle:.2f}"]))
    lines.sort(key=lambda line: line[0])
    head = ["target", "machine", *(["missed by", "worst", "wanted"] if missed else ["rows"]), "geometric mean"]
    return table(head, [line for _, line in lines])


def misses(base):
    return targets(base, missed=True)


def reached(base):
    return targets(base, missed=False)


def host(base):
    rows, sentences = [], []
    for file, result in results("host.json"):
        for entry in result["summary"]:
            if entry["direction"] == "all":
                threads = re.fullmatch(r"typewarp-(\d+)t", entry["method"])[1]
                rows.append([link(file, file.parent.name, base), threads, mpi(entry), str(entry["cases"]),
                             f"{entry['geometric_mean']:.2f}", f"{entry['worst']:.2f} ({entry['worst_case']})"])
        for direction in ("pack", "unpack"):
            calls = [row for row in result["overhead"] if row["case"] == "overhead/8B" and row["direction"] == direction]
            ours = sum(row["median_us"] for row in calls) / len(calls)
            others = ", ".join(f"{name.split()[0]} {1000 * us:.0f} ns" for row in calls for name, us in row["baselines_us"].items())
            sentences.append(f"To {direction} 8 bytes takes {1000 * ours:.0f} ns ({others}).")
    return table(["machine", "threads", "against", "cases", "geometric mean", "worst case"], rows) + "\n\n" + " ".join(sentences)


def pack(base):
    parts = []
    for file, result in results("pack.json"):
        entries = {}
        for entry in result["summary"]:
            if entry["direction"] == "all":
                entries.setdefault(entry["baseline"], {})[entry["size"]] = entry
        cells = {name: [f"{found[size]['geometric_mean']:.2f} ({found[size]['cases']}; {found[size]['worst']:.2f})" if size in found else ""
                        for size in result["sizes"]] for name, found in entries.items()}
        parts.append(f"{link(file, file.parent.name, base)}, {machine(result)}:\n\n"
                     + table(["against", *result["sizes"]], [[name, *line] for name, line in cells.items()]))
    return "\n\n".join(parts)


def stencil(base):
    """A line for each case, those slowest beside the program by hand first: by turns on the GPUs, and under the Multi-Process Service."""
    cases = {}
    for file, result in results("stencil2d.json"):
        for pair in result["pairs"]:
            key = (link(file, file.parent.name, base), mpi(pair), str(pair["gpus"]), pair["case"])
            cases.setdefault(key, {})[pair.get("mps", False)] = pair
    rows = []
    for key, pairs in sorted(cases.items(), key=lambda case: min(pair["improvement"] for pair in case[1].values())):
        ways = [[f"{pairs[mps]['hand_us']:.1f}", f"{pairs[mps]['typewarp_us']:.1f}", f"{100 * pairs[mps]['improvement']:.0f} %"]
                if mps in pairs else [""] * 3 for mps in (False, True)]
        rows.append([*key, *ways[0], *ways[1]])
    return table(["machine", "MPI", "GPUs", "grid of ranks/points of each/type", "by hand, us", "Typewarp, us", "less time",
                  "MPS: by hand, us", "Typewarp, us", "less time"], rows)


def preload(base):
    rows = [[link(file, file.parent.name, base), mpi(entry), entry["case"], size(entry["packed_bytes"]), f"{entry['median_us']:.1f}",
             *(f"{entry['baselines_us'][way]:.1f}" for way in BY_HAND)]
            for file, result in results("preload.json") for entry in result["preload"]]
    return table(["machine", "MPI", "type", "size", "unchanged, us", "`cudaMemcpy2D`, `MPI_Send`, us", "in chunks, us"], rows)


def preload_costs(base):
    """Of all sizes, the geometric mean of what a call takes with the library over what it takes alone, and the worst."""
    rows = []
    for file, result in results("preload_costs.json"):
        ways = [way for way in result["rows"][0]["us"] if way != "alone"]
        cases = {}
        for row in result["rows"]:
            cases.setdefault((row["mpi"], row["ranks"], row["case"]), []).append(row)
        for (_, ranks, case), of_sizes in cases.items():
            line = [link(file, file.parent.name, base), mpi(of_sizes[0]), case, str(ranks)]
            for way in ways:
                ratios = [(row["us"][way] / row["us"]["alone"], row) for row in of_sizes]
                worst, where = max(ratios, key=lambda ratio: ratio[0])
                more = where["us"][way] - where["us"]["alone"]
                line.append(f"{times(mean([ratio for ratio, _ in ratios]))} ({times(worst)} at {size(where['packed_bytes'])}: {more:{'+.2f' if abs(more) < 10 else '+.0f'}} us)")
            rows.append(line)
    return table(["machine", "MPI", "calls", "ranks", *ways], rows) if rows else "Not measured yet."


def choice(base):
    """By the method that the engine chose: its time over that of the best method, the worst first."""
    rows = []
    for file, result in results("choice.json"):
        for method, group in result["summary"].items():
            worst = f"{group['worst']:.2f} ({group['worst_case']})"
            rows.append([link(file, file.parent.name, base), method, str(group["rows"]), f"{group['geometric_mean']:.3f}", worst,
                         str(group["above_wanted"])])
    return table(["machine", "chosen", "moves", "geometric mean", "worst", "above 1.25"], rows) if rows else "Not measured yet."


def exchange(base):
    rows, ways = {}, {}
    for file, result in results("exchange.json"):
        for row in result["rows"]:
            way = f"{row['method'].replace('_', ' ')}, {row['starts']}"
            ways[way] = None
            rows.setdefault((link(file, file.parent.name, base), mpi(row), row["case"], size(row["packed_bytes"])), {})[way] = f"{row['median_us']:.1f}"
    lines = [[*case, *(us.get(way, "") for way in ways)] for case, us in rows.items()]
    return table(["machine", "MPI", "case", "packed", *(f"{way}, us" for way in ways)], lines) if rows else "Not measured yet."


def fragments(base):
    """A line for each message: which fragments are best, which are built in, and which the model takes for best; then the curves."""
    lines, pictures = [], []
    for file, result in results("fragments.json"):
        pictures += [f"![{picture.stem}]({os.path.relpath(picture, base)})" for picture in sorted(file.parent.glob("fragments-*.png"))]
        for entry in result["messages"]:
            cells = [f"{size(entry[name])}: {entry[name + '_us']:.0f}" for name in ("best", "built_in", "told")]
            lines.append([link(file, file.parent.name, base), mpi(entry), entry["method"], size(entry["size"]), *cells,
                          f"{entry['built_in_us'] / entry['best_us']:.2f}", f"{entry['measured_over_predicted']:.2f}"])
    head = ["machine", "MPI", "protocol", "message", "best, us", "built in, us", "the model's, us", "built in over best", "predicted"]
    return "\n\n".join([table(head, lines), *pictures]) if lines else "Not measured yet on a GPU."


def python_ranks(base):
    """Of each size, how long it takes and how many times faster that is than the best of the others."""
    lines = {}
    for file, result in results("python_*.json"):
        for row in (row for row in result["rows"] if "ranks" in row):
            peer, us = min(row["peers_us"].items(), key=lambda peer: peer[1])
            cells = lines.setdefault((link(file, file.parent.name, base), row["case"], peer), [])
            cells.append(f"{size(row['bytes'])} {row['median_us']:.1f} ({times(us / row['median_us'])})")
    rows = [[*line, "; ".join(cells)] for line, cells in lines.items()]
    return table(["machine", "case", "against the best, which is", "us (times faster)"], rows) if rows else "Not measured yet."


def python_pages(base):
    """A line for each number of pages, with what as many bytes take that lie together."""
    rows = []
    for file, result in results("python_*.json"):
        for row in (row for row in result["rows"] if "whole_us" in row):
            peer, us = min(row["peers_us"].items(), key=lambda peer: peer[1])
            rows.append([link(file, file.parent.name, base), row["case"], f"{row['pages']:,} of {size(row['page'])}", f"{row['median_us']:,.1f}",
                         f"{row['whole_us']:,.1f}", f"{row['posting_us']:.1f}", peer, times(us / row["median_us"])])
    return table(["machine", "case", "pages, of each of two layers", "us", "one copy, us", "posting, us", "best peer", "times faster"], rows) if rows else "Not measured yet."


def nixl_pages(base):
    """A line for each number of pages that agents of NIXL move."""
    rows = []
    for file, result in results("python_nixl_pages.json"):
        for row in result["rows"]:
            other = row["peers_us"]["NIXL"]
            rows.append([link(file, file.parent.name, base), f"{row['pages']:,} of {size(row['page'])}", f"{other:,.0f}", f"{row['median_us']:,.0f}",
                         f"{row['prepare_us']:,.0f}", f"{row['posting_us']:,.0f}",
                         f"{row['posting_again_us']:.0f}" if "posting_again_us" in row else "", times(other / row["median_us"])])
    return table(["machine", "pages", "by UCX, us", "by Typewarp, us", "making it, us", "posting it, us", "again, us", "times faster"], rows) if rows else "Not measured yet."


def python_arrays(base):
    """How many times faster than the best of the other libraries, of all types of elements: two columns a machine."""
    cases, columns = {}, []
    for file, result in results("python_*.json"):
        found = {}
        for row in (row for row in result["rows"] if "type" in row):
            ratio = min(row["peers_us"].values()) / row["median_us"]
            found.setdefault(row["case"], {}).setdefault(row["bytes"] >= 8 << 20, []).append(ratio)
        if not found:
            continue
        columns += [f"{link(file, file.parent.name, base)}, {size}" for size in ("4 KiB", "16 and 256 MiB")]
        for case, ratios in found.items():
            cells = cases.setdefault(case, [])
            cells += [""] * (len(columns) - 2 - len(cells))
            cells += [f"{times(mean(ratios[long]))} ({times(min(ratios[long]))})" for long in (False, True)]
    return table(["slice", *columns], [[case, *cells] for case, cells in cases.items()]) if cases else "Not measured yet."


def python_calls(base):
    calls, machines = {}, {}
    for file, result in results("python_*.json"):
        for row in (row for row in result["rows"] if not row["peers_us"]):
            machine = machines.setdefault(link(file, file.parent.name, base), len(machines))
            calls.setdefault(row["case"], {})[machine] = f"{row['median_us']:.1f}"
    rows = [[call, *(us.get(machine, "") for machine in machines.values())] for call, us in calls.items()]
    return table(["us", *machines], rows) if rows else "Not measured yet."


def collectives(base, pattern="collectives.json"):
    lines, sizes = {}, set()
    for file, result in results(pattern):
        for row in result["rows"]:
            sizes.add(row["packed_bytes"])
            for way, us in row["us"].items():
                lines.setdefault((link(file, file.parent.name, base), mpi(row), row["case"], str(row["ranks"]), way), {})[row["packed_bytes"]] = us
    rows = [[*line, *(f"{us[bytes]:,.{1 if us[bytes] < 100 else 0}f}" if bytes in us else "" for bytes in sorted(sizes))] for line, us in lines.items()]
    return table(["machine", "MPI", "call", "ranks", "by", *map(size, sorted(sizes))], rows) if rows else "Not measured yet."


def through_host(base):
    return collectives(base, "through_host.json")


def shared_collectives(base):
    return collectives(base, "collectives_shared.json")


def test_runs(base):
    rows = []
    for file in sorted(file for file in ROOT.glob("tests/results/*.json") if not file.stem.endswith(".sanitizers")):
        result = json.loads(file.read_text(encoding="utf-8"))
        beside = file.with_suffix(".sanitizers.json")
        total = result["totals"]
        sanitizers = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else result.get("sanitizers") or {}
        found = []
        for tool in (tool for tool in ("memcheck", "racecheck") if tool in sanitizers):
            runs = sanitizers[tool]
            failed = {*runs["failed_runs"], *runs.get("not_ended", [])}
            unfinished = f" ({len(failed)} of {len(runs['programs'])} runs did not finish)" if failed else ""
            found.append(f"{tool} {runs['errors']}{unfinished}")
        rows.append([link(file, file.stem, base), f"{result['machine']['gpu']}, CUDA {result['machine']['cuda']}", str(total["failed"]),
                     str(total["passed"]), str(total["skipped"]), ", ".join(found) or "not run",
                     f"{len(result.get('not_run', []))}", result["date"][:10], f"`{result['source'][:8]}`{'' if is_older(result) else ', the present ones'}"])
    return table(["machine", "GPU", "failed", "passed", "skipped", "errors under compute-sanitizer", "not run", "date", "sources"], rows)


def mutants(_base):
    """Where each fault is now, and what was last found of it."""
    found = json.loads(FOUND.read_text(encoding="utf-8"))
    texts = sources(ROOT)
    rows = []
    for mutant in read_mutants(MUTANTS):
        run = found.get(mutant.fault, {"outcome": "not run", "commit": ""})
        files = ", ".join(f"`{file.relative_to(ROOT)}`" for file in places(mutant, texts))
        rows.append([mutant.fault, files, run["outcome"], run["commit"]])
    return table(["fault", "in", "outcome", "commit"], rows)
