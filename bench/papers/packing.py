# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The figures of packing by one GPU."""

import re

from claims import Claim, between, ratio, times_faster
from figure import MIB, Figure

PINNED, DEVICE = {"direction": "pack", "memory": "pinned"}, {"direction": "pack", "memory": "device"}
OF_32 = "(32|64|96|128|160|192|224|256)"  # lengths of blocks
LINK = "the link to the host bounds both, so that neither can be much faster"
ENGINES = (
    "copy engines of today bring rows of 8 B to the host at some 6 GB/s, a ninth of what the link carries, by which "
    "packing is bound"
)
TOGETHER = {
    "both": "median_us",
    "one after the other": "serial_us",
    "as long as the longer, or as what both need": "bound_us",
    "packing, beside": "move_us",
    "packing, alone": "move_alone_us",
}


def is_pack(row):
    return row["direction"] == "pack"


def family(row):
    return f"{row['case'].rsplit('/', 1)[0]}: {row['direction']}, {row['memory']}"


def swept(row):
    """Of "count/8-s512/8KiB": the block, or the stride where blocks are all of 8 bytes."""
    sweep, block, stride, _ = re.fullmatch(r"(\w+)/(\d+)-s(\d+)/(\w+)", row["case"]).groups()
    return int(stride if sweep == "stride" else block)


def sweep(row):
    name, _, size = row["case"].split("/")
    return f"{'1024 blocks' if name == 'count' else f'{name}, {size}'}: {row['direction']}, {row['memory']}"


def pack(name, title, figure, claims, **more):
    options = ("--figures", figure, "--no-torch", "--filter", more.pop("filter", "^"))
    return Figure(
        name,
        title,
        claims,
        "pack/run.py",
        options,
        more.pop("seconds", 10),
        1,
        resume=("--resume",),
        **{"panel": family, **more},
    )


def contended(pattern, order, application):
    return {
        "processes": "one process",
        "case": "vector",
        "memory": "pinned",
        "direction": "pack",
        "method": pattern,
        "order": order,
        "application": application,
    }


def overlapped(result):
    """What both together take less than one after the other, of what they could: as long as the longer alone."""
    for row in result["rows"]:
        if row["processes"] == "one process" and (row["application"], row["method"]) == ("to_device", "default"):
            saved = max(row["serial_us"] - row["median_us"], 0) + 1e-3
            yield saved / (row["serial_us"] - row["bound_us"]), row["order"]


FIGURES = [
    pack(
        "000-fig4",
        "000 figure 4, 003 figure 4: packing to the host by type and size, against CUDA's copies",
        "fig4",
        [
            times_faster(
                "Single columns (8 B blocks): packing is about 20 times faster than cudaMemcpy2D",
                "memcpy2d",
                {**PINNED, "case": "vector-8-s512/.*"},
                least=20,
                from_bytes=MIB,
                because=ENGINES,
            ),
            times_faster(
                "16 columns (128 B blocks): the memory copy outperforms packing in all cases",
                "memcpy2d",
                {**PINNED, "case": "vector-128-.*"},
                most=1.02,
                every=True,
                because=f"{LINK}: which of them comes first is a matter of some per cent, and of the run",
            ),
            times_faster(
                "What has no copy in CUDA: block by block is far slower (from 4 KiB on)",
                "memcpy_blocks",
                {**PINNED, "case": "indexed-.*"},
                least=10,
                from_bytes=4096,
                because="where blocks are few, a copy for each costs no more than a kernel",
            ),
            times_faster(
                "The 4-D subarray: major improvements over iterated cudaMemcpy3D",
                "memcpy3d",
                {**PINNED, "case": "subarray-4d/.*"},
                least=2,
                because="from 64 MiB on its runs are of 256 B and more, which copy engines move as fast as the link "
                "carries them; what is gained is below that size, where each call costs a microsecond and more",
            ),
            times_faster(
                "Structs: to copy the extent wastes bandwidth (from 1 MiB on)",
                "memcpy_extent",
                {**PINNED, "case": "struct-.*"},
                least=1,
                every=True,
                from_bytes=MIB,
                because="gaps take less of the link than packing adds",
            ),
        ],
        seconds=60,
        is_shown=is_pack,
    ),
    pack(
        "000-fig5",
        "000 figure 5: packing against kernels written for one type",
        "fig4",
        [
            times_faster(
                "Types but structs: near parity with type-specific kernels above 1 MiB",
                "hand",
                {**PINNED, "case": "(?!struct).*"},
                least=0.9,
                every=True,
                from_bytes=MIB,
                because="a kernel for one type has its strides as constants, and searches for no addresses",
            ),
            times_faster(
                "Structs: a specific kernel is faster, by 20 to 80 %",
                "hand",
                {**PINNED, "case": "struct.*"},
                least=0.55,
                most=0.84,
                because="the engine packs structs through shared memory as a specific kernel does, and " + LINK,
            ),
        ],
        filter="^fig4/(vector|indexed|struct)",
        seconds=50,
        is_shown=is_pack,
    ),
    pack(
        "000-fig6",
        "000 figure 6, 003 figure 5: 1,024 blocks to the host, their length swept",
        "fig6",
        [
            times_faster(
                "cudaMemcpy2D of blocks that are no multiple of 32 B is far slower",
                "memcpy2d",
                {**PINNED, "case": f"count/(?!{OF_32}-).*"},
                least=2,
                because="copy engines of today move 1,024 rows of any length in some microseconds: both take little "
                "more than a launch and the time on the link",
            ),
            times_faster(
                "Multiples of 32 B: cudaMemcpy2D is about as fast as packing",
                "memcpy2d",
                {**PINNED, "case": f"count/{OF_32}-.*"},
                least=0.67,
                most=1.5,
                because="at these sizes both take little more than a launch, which differ by some microseconds",
            ),
        ],
        filter="^fig6/count",
        panel=sweep,
        x=swept,
        x_label="block length in bytes",
    ),
    pack(
        "000-fig6-strides",
        "000 figure 6, as said of the stride: blocks of 8 B in the device, their stride swept",
        "fig6",
        [
            times_faster(
                "Packing is much faster than cudaMemcpy2D at every stride",
                "memcpy2d",
                {**DEVICE, "case": "stride/.*"},
                least=2,
                every=True,
                because="at the longest stride only 64 KiB fit, which both move in little more than a launch; of 1 MiB "
                "and more packing is 3 to 16 times faster",
            ),
        ],
        filter="^fig6/stride",
        panel=sweep,
        x=swept,
        x_label="stride in bytes",
    ),
    pack(
        "002-fig5",
        "002 figure 5: 8, 32 and 128 KB to the host, the block length swept",
        "fig6",
        [
            times_faster(
                "Narrow blocks (8 B): packing is much faster than cudaMemcpy2D",
                "memcpy2d",
                {**PINNED, "case": "fixed/8-.*"},
                least=2,
                because="8 and 32 KB are little more than a launch for both, now that copy engines move 1,024 rows "
                "in two microseconds; the gain begins at 128 KB and grows with the size",
            ),
            times_faster(
                "Wide blocks (128 B and more): cudaMemcpy2D is as fast or faster",
                "memcpy2d",
                {**PINNED, "case": "fixed/(128|160|192|224|256)-.*"},
                most=1.05,
                because=LINK,
            ),
        ],
        filter="^fig6/fixed",
        panel=sweep,
        x=swept,
        x_label="block length in bytes",
        seconds=15,
    ),
    pack(
        "000-table2",
        "000 table II, 002 table 2: faces of a cube of doubles to the host, against cudaMemcpy2D",
        "table2",
        [
            times_faster(
                "The face of single doubles (Y-Z): packing is 4.6 to 22 times faster",
                "memcpy2d",
                {**PINNED, "case": "face-x-w1/.*"},
                least=4.6,
                because=f"{ENGINES}; faces of edge 64 and 128 are little more than a launch for both",
            ),
            times_faster(
                "The face of rows (X-Z): CUDA's copy is 10 to 15 % faster, or slower",
                "memcpy2d",
                {**PINNED, "case": "face-y-w1/.*"},
                least=0.87,
                because=LINK,
            ),
        ],
        x=lambda row: int(row["case"].rsplit("/", 1)[1]),
        x_label="edge",
    ),
    Figure(
        "000-table3",
        "000 table III, 003 table 2: packing beside an application's work",
        [
            ratio(
                "A packing kernel that comes second starves behind kernels: it takes longer by most of them",
                "move_us",
                "move_alone_us",
                contended("default", "application first", "add"),
                least=1.3,
                because="multiprocessors of today start blocks of a second kernel as those of the first end, and the "
                "few blocks that the link can serve get places at once",
            ),
            ratio(
                "The same of cudaMemcpy2D: no degradation",
                "move_us",
                "move_alone_us",
                contended("memcpy2d", "application first", "add"),
                most=1.1,
                because="the kernel takes bandwidth of the memory that the copy engine reads",
            ),
            ratio(
                "Copies to the host and cudaMemcpy2D to the host are serialised",
                "median_us",
                "serial_us",
                contended("memcpy2d", ".*", "to_host"),
                least=0.9,
                because="copies in one direction have more than one engine here",
            ),
            Claim(
                "Copies to the device and packing to the host overlap for the most part",
                "time saved / time that could be saved (one process, vector, default, both orders)",
                overlapped,
                least=0.5,
                because="packing is short beside what it takes to begin the copy behind it: they overlap almost wholly "
                "if the copy begins first, and hardly if packing does",
            ),
        ],
        "contention/run.py",
        ("--filter", "^(add|to_device|to_host)/vector/pinned/pack/(default|memcpy2d)$"),
        15,
        1,
        panel=lambda row: f"{row['application']}, {row['processes']}",
        x=lambda row: f"{row['method']}, {row['order']}",
        x_label="",
        lines=lambda row: {name: row[column] for name, column in TOGETHER.items()},
    ),
    pack(
        "001-fig2",
        "001 figure 2: vectors of floats to the host by three schemes of cudaMemcpy2D",
        "schemes",
        [
            between(
                "Above 64 B, rows packed in the device and then copied (nc2c2c) take less than rows to rows (nc2nc)",
                "memcpy2d_nc2c2c",
                "memcpy2d_nc2nc",
                PINNED,
                most=1,
                every=True,
                from_bytes=256,
                because="the second call costs some 6 us, which rows packed in the device earn back from 256 KiB on: "
                "copy engines of today bring short rows to the host much faster than those of the paper",
            ),
            between(
                "And less than rows that are packed on the way (nc2c)",
                "memcpy2d_nc2c2c",
                "memcpy2d",
                PINNED,
                most=1,
                every=True,
                from_bytes=256,
                because="as above: it is so from 256 KiB on",
            ),
            between(
                "At 4 MiB nc2c2c takes 4.8 % of nc2nc",
                "memcpy2d_nc2c2c",
                "memcpy2d_nc2nc",
                PINNED,
                most=0.048,
                from_bytes=4 * MIB,
                because="rows of 4 B to rows in the host are faster than they were, at some 2 GB/s, and most of what "
                "nc2c2c takes is the packing in the device by the same engines",
            ),
        ],
        seconds=5,
    ),
]
