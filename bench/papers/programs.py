# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The figures of whole programs: Stencil2D, HACC, LAMMPS, and the lines that programs lose."""

import sys

from claims import Claim, compared, ratio, times_faster
from figure import Figure
from plots import LIBRARY
from running import ROOT

sys.path.append(str(ROOT / "bench/programs"))
import hacc  # noqa: E402  (it stands there)

A_GPU_A_RANK = {"shared": "False"}  # rows whose ranks share GPUs stand in the tables, and judge nothing
SWEEP = (
    "the sweep over the field is most of an iteration, and the same in all ways; what the copies of columns take is a "
    "smaller part of it than on GPUs of the paper, and that of rows, which are contiguous, is small by hand too"
)


def stencil(name, title, options, claims, **more):
    shown = {
        "panel": lambda row: f"{row['mpi']}, {row['gpus']} GPUs" + (" under MPS" if row.get("mps") else ""),
        "x": lambda row: row["case"],
        "x_label": "grid/points of a rank/type",
        "line": lambda row: row["method"],
    }
    return Figure(name, title, claims, "stencil2d/run.py", options, resume=("--resume",), **{**shown, **more})


def table_of_001(number, element, improvement, most, more=()):
    """That of the times of an iteration: tables II and III."""
    of = {"type": element, **A_GPU_A_RANK}
    return stencil(
        f"001-table{number}",
        f"001 table {'I' * number}: Stencil2D in {'single' if element == 'float' else 'double'} precision",
        ("--paper", "001", "--filter", f"/{element}$", "--passes", "1"),
        [
            compared(
                f"{improvement} less time on every process grid (the least improvement of an iteration that the paper "
                "has), by derived types under the preload library",
                "method",
                "mpi",
                "hand",
                of,
                most=most,
                every=True,
                because=SWEEP,
            ),
            compared(
                "The same, by the halo layer", "method", "typewarp", "hand", of, most=most, every=True, because=SWEEP
            ),
            *more,
        ],
        seconds=200,
        gpus=2,
    )


def fewer_lines(way):
    def values(result):
        lines = result["lines"]
        yield lines[way]["lines"] / lines["hand"]["lines"], "the halo code of stencil2d"

    return values


def lines_that_stay(result):
    by_hand = {row["case"]: row["lines"] for row in result["rows"] if row["method"] == "hand"}
    for row in result["rows"]:
        if row["method"] == "mpi":
            yield row["lines"] / by_hand[row["case"]], row["case"]


def ways_of_hacc(row):
    name = LIBRARY if row["method"] == "typewarp" else "MPI calls, preloaded"
    return {name: row["median_us"], **row["baselines_us"], **({"floor": row["floor_us"]} if name == LIBRARY else {})}


FIGURES = [
    stencil(
        "001-table1",
        "001 table I: lines of the halo code of Stencil2D",
        ("--no-gpu", "--passes", "1", "--filter", "^1x2/.*/float$", "--paper", "001", "--iterations", "20"),
        [
            Claim(
                "36 % fewer lines by derived types in MPI calls than by hand",
                "lines by MPI / lines by hand",
                fewer_lines("mpi"),
                most=0.64,
                because="by hand both sides of a dimension share one function here, so that copies and buffers are few "
                "lines; neighbours, the places of four edges and six MPI calls are most of the code in both ways",
            ),
            Claim(
                "36 % fewer lines: by the halo layer",
                "lines by the halo layer / lines by hand",
                fewer_lines("typewarp"),
                most=0.64,
                because="a descriptor of each dimension takes more lines than it saves",
            ),
        ],
        seconds=8,
    ),
    table_of_001(
        2,
        "float",
        "19 %",
        0.81,
        [
            compared(
                "Derived types under the preload library take as long as the halo layer",
                "method",
                "mpi",
                "typewarp",
                {"type": "float", **A_GPU_A_RANK},
                most=1.1,
                because="plain MPI calls exchange rows, wait, and then exchange columns; the halo layer sends all "
                "sides and corners at once, packed by one kernel. On two H200 the calls take 22 to 33 us, where the "
                "halo layer packs, sends and unpacks in 13 to 15, and the waits take 8 to 26 us more",
            )
        ],
    ),
    table_of_001(3, "double", "21 %", 0.79),
    stencil(
        "001-fig6",
        "001 figure 6: communication of Stencil2D by side",
        ("--by-side", "--filter", "/float$", "--passes", "1"),
        [
            ratio(
                "Copies of columns between device and host dominate communication by hand",
                "copies_of_columns",
                None,
                {"method": "hand", "direction": "west copies", **A_GPU_A_RANK},
                least=0.5,
                because="columns are copied some ten times faster than on GPUs of the paper, while a message still "
                "goes through the host and includes the wait for a neighbour that began later",
            )
        ],
        seconds=80,
        gpus=4,
        x=lambda row: row["direction"],
        x_label="side",
        panel=lambda row: f"{row['case']}, {row['mpi']}, {row['gpus']} GPUs" + (" under MPS" if row["mps"] else ""),
    ),
    stencil(
        "003-table3",
        "003 table 3: GFLOP/s of Stencil2D over the size",
        ("--paper", "003", "--passes", "1"),
        [
            compared(
                "Nearly equivalent to CUDA's copies, from -1 to 2 %",
                "method",
                "hand",
                "typewarp",
                A_GPU_A_RANK,
                least=0.98,
                every=True,
                because="in small fields an iteration is launches and messages: by hand four copies and two rounds of "
                "messages, by the library two kernels and one round to eight neighbours",
            )
        ],
        seconds=220,
        gpus=4,
        panel=lambda row: f"{row['type']}, {row['mpi']}, {row['gpus']} GPUs",
        x=lambda row: row["size"][0],
        x_label="edge of the field of a rank, in points",
        value="gflops_per_rank",
        unit="GFLOP/s of a rank",
    ),
    Figure(
        "003-table4",
        "003 figure 7 and table 4: packing HACC's block to the host, and the file of all blocks",
        [
            times_faster(
                "13 to 43 % less time than a copy for each member",
                "members",
                {"direction": "pack"},
                least=1 / (1 - 0.13),
                every=True,
                because="members so long that the link bounds both",
            )
        ],
        "programs/run.py",
        ("--program", "hacc"),
        60,
        1,
        panel=lambda row: f"{row['direction']}, {row['memory']}, {row['mpi']}",
        lines=ways_of_hacc,
        targets=hacc.TARGETS,
    ),
    Figure(
        "004-lammps",
        "004: communication of LAMMPS (Lennard-Jones), less than staged by hand",
        [
            compared(
                "More than half of the time of communication is saved",
                "method",
                "put",
                "hand",
                {"direction": "communication"},
                most=0.5,
                because="whenever atoms have moved far, ranks tell each other their new lists by messages, which "
                "take as long as those by hand",
            )
        ],
        "programs/run.py",
        ("--program", "lammps"),
        40,
        2,
        panel=lambda row: f"{row['direction']}, {row['memory']}, {row['mpi']}",
        x=lambda row: row["case"],
        x_label="",
        line=lambda row: row["method"],
    ),
    Figure(
        "004-openacc",
        "004: OpenACC with device pointers in MPI calls",
        [
            compared(
                "MPI calls that are given memory of the accelerator need no copy of it in memory of the host",
                "method",
                "pointers of the accelerator",
                "packed in host memory",
                {"direction": "message"},
                most=0.99,
                every=True,
                because="in memory of the host both ways are copies, and an MPI may take longer for its datatype than "
                "a loop does",
            )
        ],
        "programs/run.py",
        ("--program", "openacc"),
        20,
        1,
        panel=lambda row: f"{row['case']}, {row['memory']}, {row['mpi']}",
        line=lambda row: row["method"],
        needs="openacc",
    ),
    Figure(
        "004-lines",
        "004: lines that CUDA programs lose",
        [
            Claim(
                "Without copies and buffers of the host, MPI calls on memory of GPUs take fewer lines",
                "lines by MPI / lines by hand",
                lines_that_stay,
                most=0.99,
                every=True,
                because="to describe a datatype takes as many lines as to copy it",
            )
        ],
        "programs/count_lines.py",
        (),
        2,
        panel=lambda row: "code that moves data",
        x=lambda row: row["case"],
        x_label="",
        line=lambda row: row["method"],
        value="lines",
        unit="lines",
        counts=True,
    ),
]
