# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The figures of what finding addresses takes of packing by one GPU."""

from claims import Claim, compared
from figure import MIB
from packing import pack


def found_beside(kind, other, least_bytes):
    """What finding the addresses of one type takes, over that of another, at each size."""

    def values(result):
        rows = {row["case"]: row for row in result["rows"] if row["direction"] == "traverse"}
        for case, row in rows.items():
            beside = rows.get(case.replace(f"{kind}/", f"{other}/"))
            if case.startswith(f"{kind}/") and beside and row["packed_bytes"] >= least_bytes:
                yield row["median_us"] / beside["median_us"], case

    return values


def part_of_figure_7(row):
    name = "addresses alone" if row["direction"] == "traverse" else f"packing, {row['memory']}"
    return {name: row["median_us"]}


FIGURES = [
    pack(
        "000-fig7",
        "000 figure 7: finding addresses, packing in the device, packing to the host",
        "fig7",
        [
            compared(
                "Addresses of a vector cost little of what packing in the device takes",
                "direction",
                "traverse",
                "pack",
                {"memory": "device", "case": "vector.*"},
                most=0.5,
                from_bytes=4 * MIB,
                because="at 4 MiB a launch is most of either",
            ),
            compared(
                "The link to the host bounds large packs (16 MiB and more)",
                "memory",
                "pinned",
                "device",
                {"direction": "pack", "case": ".*"},
                least=2,
                every=True,
                from_bytes=16 * MIB,
                because="the link carries nearly as much as the memory of the device",
            ),
        ],
    ),
    pack(
        "000-fig7-types",
        "000 figure 7: all types, their addresses found by the library's own lookups",
        "lookup",
        [
            Claim(
                "The subarray takes longer to find addresses than the vector (4 MiB and more)",
                "addresses of subarray-4d / of vector-8-s512",
                found_beside("subarray-4d", "vector-8-s512", 4 * MIB),
                least=1,
                because="a level costs a multiplication by a constant, and words of this subarray are longer than "
                "those of this vector, so that there are fewer addresses to find",
            ),
            compared(
                "Indexed types pay for their lists: addresses are the primary cost of packing in the device",
                "direction",
                "traverse",
                "pack",
                {"memory": "device", "case": "indexed-(8|128)/.*"},
                least=0.5,
                from_bytes=4 * MIB,
                because="one entry of a list is read for each block, without a search, and neighbours read the same "
                "lines; the data itself is spread over more memory",
            ),
            Claim(
                "Structs more than indexed types (4 MiB and more)",
                "addresses of struct-holes / of indexed-128",
                found_beside("struct-holes", "indexed-128", 4 * MIB - 4096),
                least=1,
                because="an array of structs is one item repeated: what is looked up is the same for all of them, and "
                "stays in the cache",
            ),
        ],
        panel=lambda row: row["case"].rsplit("/", 1)[0],
        lines=part_of_figure_7,
        seconds=30,
    ),
]
