# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a result of bench/peers says: how many times faster than each peer, and where not. What blocks is compared with what blocks, what
a stream orders with what a stream orders."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from cases import CALLINGS, NAMES  # noqa: E402
from reporting import geometric_mean, size_name, table  # noqa: E402  (it stands one folder above)

LINK = "cudaMemcpyPeer"  # no message: what the link allows
RECORDED = json.loads((pathlib.Path(__file__).resolve().parent / "recorded.json").read_text(encoding="utf-8"))


OURS = {"Exchange", "DeviceGroup", "registered DeviceGroup", "NIXL with Typewarp"}


def is_ours(way):
    return way.endswith(", preloaded") or way in OURS or way.startswith("send and recv of ")


def case_name(row):
    ranks = f", {row['ranks']} ranks" if row["ranks"] != 2 else ""
    return f"{NAMES[row['case']]}, {size_name(row['size'])}{ranks}"


def by_case(rows):
    """{(calling, case, size, ranks): {way: row}}, with what was recorded elsewhere of cases that were measured."""
    cases = {}
    for row in rows:
        if row["way"] != LINK:
            cases.setdefault((row["calling"], row["case"], row["size"], row["ranks"]), {})[row["way"]] = row
    for row in RECORDED["rows"]:
        ways = cases.get(("blocking", row["case"], row["size"], 2))
        if ways and any(row.get("gpus") for row in ways.values()):
            ways[RECORDED["way"]] = {**row, "way": RECORDED["way"], "calling": "blocking", "ranks": 2}
    return cases


def summary(rows):
    """One entry for each of ours and each peer that is called alike: the times of the peer over ours."""
    ratios = {}
    for (calling, *_), ways in by_case(rows).items():
        for ours in filter(is_ours, ways):
            for peer in ways:
                if not is_ours(peer):
                    ratios.setdefault((ours, peer, calling), []).append((ways[peer]["median_us"] / ways[ours]["median_us"], ways[ours]))
    made = []
    for (ours, peer, calling), found in ratios.items():
        worst, row = min(found, key=lambda entry: entry[0])
        made.append({"ours": ours, "peer": peer, "calling": calling, "rows": len(found), "geometric_mean": round(geometric_mean([ratio for ratio, _ in found]), 3),
                     "worst": round(worst, 3), "worst_case": case_name(row)})
    return sorted(made, key=lambda entry: (entry["calling"], entry["ours"], entry["peer"]))


def behind(rows):
    """Cases in which the best of the peers takes less time than the best of ours that is called alike, the worst first."""
    made = []
    for (calling, *_), ways in by_case(rows).items():
        ours, theirs = ([row for way, row in ways.items() if is_ours(way) == mine] for mine in (True, False))
        if ours and theirs:
            best, peer = (min(of, key=lambda row: row["median_us"]) for of in (ours, theirs))
            if peer["median_us"] < best["median_us"]:
                made.append({"case": case_name(best), "calling": calling, "ours": best["way"], "us": best["median_us"], "peer": peer["way"],
                             "peer_us": peer["median_us"], "ratio": round(peer["median_us"] / best["median_us"], 3)})
    return sorted(made, key=lambda entry: entry["ratio"])


def microseconds(row):
    us = row["median_us"] if row else None
    return "" if us is None else f"{us:,.1f}" if us < 100 else f"{us:,.0f}"


def times(rows, calling):
    cases = {key: ways for key, ways in by_case(rows).items() if key[0] == calling}
    names = list(dict.fromkeys(way for ways in cases.values() for way in ways))
    if names:
        table([f"{calling}, us", *names], [[case_name(next(iter(ways.values()))), *(microseconds(ways.get(name)) for name in names)]
                                           for ways in cases.values()])
        print()


def show(result):
    for calling in CALLINGS:
        times(result["rows"], calling)
    table(["times faster", "than", "called", "rows", "geometric mean", "worst", "where"],
          [[entry["ours"], entry["peer"], entry["calling"], str(entry["rows"]), f"{entry['geometric_mean']:.2f}", f"{entry['worst']:.2f}", entry["worst_case"]]
           for entry in result["summary"]])
    print(f"\nbehind the best peer: {len(result['behind'])} cases")
    for entry in result["behind"]:
        print(f"    {entry['ratio']:.2f} {entry['case']}, {entry['calling']}: {entry['ours']} {entry['us']:.1f} us, {entry['peer']} {entry['peer_us']:.1f} us")
    for failure in result["failed"]:
        what = case_name(failure) if "size" in failure else failure["case"]
        print(f"FAILED {failure['way']}: {what}: {failure['error']}")
    for skip in result["skipped"]:
        print(f"skipped: {skip['way']}: {skip['skipped']}")
    for stop in result["stopped"]:
        print(f"stopped for lack of time: {stop}")
