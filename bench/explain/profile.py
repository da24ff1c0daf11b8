#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a profile of `typewarp explain` from a result of bench/pack, or compares predictions with one.

usage: profile.py make  --cases CASES --results PACK.JSON --name NAME --output PROFILE.JSON
       profile.py check --cases CASES --results PACK.JSON [--worst N]
CASES is what `explain_cases REGEX` printed. `make` takes the figures fig4, fig6 and beyond only, so that `check` compares
the others with what was not made from them. `check` exits with 1 where the geometric mean of predicted over measured,
taken as a factor either way, exceeds 1.5 for any method of figures that the profile has not seen.
"""
import argparse
import collections
import json
import math
import pathlib
import sys

LEARNT = {"fig4", "fig6", "beyond"}
WORST_MEAN = 1.5


def key(row):
    return row["figure"], row["case"], row["direction"], row["memory"]


def joined(arguments):
    results = json.loads(arguments.results.read_text(encoding="utf-8"))
    measured = {key(row): row["median_us"] for row in results["rows"] if row.get("method") == "automatic" and "memory" in row}
    cases = [json.loads(line) for line in arguments.cases.read_text(encoding="utf-8").splitlines()]
    return results, [{**case, "median_us": measured[key(case)]} for case in cases if key(case) in measured]


def make(arguments):
    results, cases = joined(arguments)
    machine = results["machine"]
    ratios = [{"direction": case["direction"], "memory": case["memory"], "method": case["method"], "run": case["run"],
               "step": case["step"], "touched": case["touched"], "whole": case["whole"], "scattered": case["scattered"],
               "ratio": round(case["median_us"] / case["floor_us"], 3), "source": f"{case['figure']}/{case['case']}"}
              for case in cases if case["figure"] in LEARNT]
    profile = {"version": 1, "name": arguments.name, "gpu": machine["gpu"], "source": arguments.results.as_posix(),
               "rates": {name: machine["rates"][name]
                         for name in ("copy_gb_per_s", "to_host_gb_per_s", "to_device_gb_per_s", "launch_us")}}
    lines = ",\n".join("  " + json.dumps(ratio) for ratio in ratios)
    head = json.dumps(profile, indent=1)[:-2]
    arguments.output.write_text(f'{head},\n "ratios": [\n{lines}\n ]\n}}\n', encoding="utf-8")
    print(f"wrote {arguments.output}: {len(ratios)} measured layouts")


def mean(values):
    return math.exp(sum(values) / len(values))


def check(arguments):
    _, cases = joined(arguments)
    groups = collections.defaultdict(list)
    for case in cases:
        case["off"] = math.log(case["predicted_us"] / case["median_us"]) if case["predicted_us"] else None
        seen = "learnt" if case["figure"] in LEARNT else "new"
        for group in ((seen, "all", "", ""), (seen, case["method"], case["direction"], case["memory"])):
            groups[group].append(case)
    failed = False
    print(f"{'':8} {'method':12} {'':7} {'packed':8} {'rows':>5} {'none':>5} {'mean':>6} {'factor':>6} {'worst':>6} {'floor':>6}")
    for group, rows in sorted(groups.items()):
        known = [row["off"] for row in rows if row["off"] is not None]
        floor = mean([math.log(row["median_us"] / row["floor_us"]) for row in rows])
        if not known:
            print(f"{group[0]:8} {group[1]:12} {group[2]:7} {group[3]:8} {len(rows):5} {len(rows):5}{'':22}{floor:6.2f}")
            continue
        factor = mean([abs(off) for off in known])
        failed |= group[0] == "new" and factor > WORST_MEAN
        print(f"{group[0]:8} {group[1]:12} {group[2]:7} {group[3]:8} {len(rows):5} {len(rows) - len(known):5} {mean(known):6.2f} "
              f"{factor:6.2f} {math.exp(max(map(abs, known))):6.2f} {floor:6.2f}")
    worst = sorted((case for case in cases if case["off"] is not None and case["figure"] not in LEARNT), key=lambda case: -abs(case["off"]))
    for case in worst[:arguments.worst]:
        print(f"{'/'.join(key(case))}: predicted {case['predicted_us']:.1f} us, measured {case['median_us']:.1f}, by {case['method']}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "check"))
    parser.add_argument("--cases", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--name", default="h200")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--worst", type=int, default=10)
    arguments = parser.parse_args()
    if arguments.what == "check":
        sys.exit(check(arguments))
    if arguments.output is None:
        parser.error("make: give --output")
    make(arguments)


if __name__ == "__main__":
    main()
