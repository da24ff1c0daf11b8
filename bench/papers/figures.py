# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The figures and tables of the papers: what each says, and which benchmark measures it. docs/internals/measuring.md
says which they are."""
import dataclasses
import re
import sys
from collections.abc import Callable

from claims import Claim, between, compared, ratio, times_faster
from recording import Piece
from running import ROOT

PINNED, DEVICE = {"direction": "pack", "memory": "pinned"}, {"direction": "pack", "memory": "device"}
MIB = 1 << 20


@dataclasses.dataclass
class Figure:
    """`panel`, `x` and `line` place a row in the plot, which shows its `value`, in some `unit`. One without a script is
    not built yet, for the reason `missing`. What `counts` only reads the sources."""

    name: str
    title: str
    claims: list
    script: str = ""
    options: tuple = ()
    seconds: float = 60
    gpus: int = 0
    panel: Callable = lambda row: f"{row['direction']}, {row['memory']}"
    x: Callable = lambda row: row["packed_bytes"]
    x_label: str = "packed bytes"
    line: Callable | None = None
    value: str = "median_us"
    unit: str = "us"
    is_shown: Callable = lambda row: True
    resume: tuple = ()
    counts: bool = False
    missing: str = ""

    def piece(self, folder):
        command = [sys.executable, ROOT / "bench" / self.script, "--output", "{output}"]
        measured = [] if self.counts else ["--bin", folder, "--seconds", "{seconds}"]
        return Piece(self.name, [*command, *measured, *self.options], self.seconds, gpus=self.gpus, resume=self.resume)


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


def copies_of_columns(result):
    """Of each run by hand on GPUs: the part of its communication that copies columns to the host and back."""
    runs = {}
    for row in result["rows"]:
        if row["method"] == "hand" and row["gpus"]:
            runs.setdefault((row["mpi"], row["gpus"], row["mps"], row["case"]), {})[row["direction"]] = row["median_us"]
    for (mpi, gpus, mps, case), sides in runs.items():
        columns = sides["west copies"] + sides["east copies"]
        yield columns / sum(sides.values()), f"{case} {mpi}, {gpus} GPUs{' under MPS' if mps else ''}"


def pack(name, title, figure, claims, **more):
    options = ("--figures", figure, "--no-torch", "--filter", more.pop("filter", "^"))
    return Figure(name, title, claims, "pack/run.py", options, more.pop("seconds", 120), 1, resume=("--resume",),
                  **{"panel": family, **more})


def stencil(name, title, options, claims, **more):
    shown = {"panel": lambda row: f"{row['mpi']}, {row['gpus']} GPUs" + (" under MPS" if row.get("mps") else ""),
             "x": lambda row: row["case"], "x_label": "grid/points of a rank/type", "line": lambda row: row["method"]}
    return Figure(name, title, claims, "stencil2d/run.py", options, resume=("--resume",), **{**shown, **more})


def contended(pattern, order, application):
    return {"processes": "one process", "case": "vector", "memory": "pinned", "direction": "pack", "method": pattern,
            "order": order,
            "application": application}


OF_001 = "least improvement of an iteration that the paper has"
FIGURES = [
    pack("000-fig4", "000 figure 4, 003 figure 4: packing to the host by type and size, against CUDA's copies",
         "fig4", [
        times_faster("Single columns (8 B blocks): packing is about 20 times faster than cudaMemcpy2D", "memcpy2d",
                     {**PINNED, "case": "vector-8-s512/.*"}, least=20, from_bytes=MIB),
        times_faster("16 columns (128 B blocks): the memory copy outperforms packing in all cases", "memcpy2d",
                     {**PINNED, "case": "vector-128-.*"}, most=1.02, every=True),
        times_faster("What has no copy in CUDA: block by block is far slower (from 4 KiB on)", "memcpy_blocks",
                     {**PINNED, "case": "indexed-.*"}, least=10, from_bytes=4096),
        times_faster("The 4-D subarray: major improvements over iterated cudaMemcpy3D", "memcpy3d",
                     {**PINNED, "case": "subarray-4d/.*"}, least=2),
        times_faster("Structs: to copy the extent wastes bandwidth (from 1 MiB on)", "memcpy_extent",
                     {**PINNED, "case": "struct-.*"}, least=1, every=True, from_bytes=MIB)],
         seconds=210, is_shown=is_pack),
    pack("000-fig5", "000 figure 5: packing against kernels written for one type", "fig4", [
        times_faster("Types but structs: near parity with type-specific kernels above 1 MiB", "hand",
                     {**PINNED, "case": "(?!struct).*"}, least=0.9, every=True, from_bytes=MIB),
        times_faster("Structs: a specific kernel is faster, by 20 to 80 %", "hand", {**PINNED, "case": "struct.*"},
                     least=0.55, most=0.84)],
         filter="^fig4/(vector|indexed|struct)", seconds=120, is_shown=is_pack),
    pack("000-fig6", "000 figure 6, 003 figure 5: 1,024 blocks to the host, their length swept", "fig6", [
        times_faster("cudaMemcpy2D of blocks that are no multiple of 32 B is far slower", "memcpy2d",
                     {**PINNED, "case": "count/(?!(32|64|96|128|160|192|224|256)-).*"}, least=2),
        times_faster("Multiples of 32 B: cudaMemcpy2D is about as fast as packing", "memcpy2d",
                     {**PINNED, "case": "count/(32|64|96|128|160|192|224|256)-.*"}, least=0.67, most=1.5)],
         filter="^fig6/count", panel=sweep, x=swept, x_label="block length in bytes"),
    pack("000-fig6-strides", "000 figure 6, as said of the stride: blocks of 8 B in the device, their stride swept",
         "fig6", [
        times_faster("Packing is much faster than cudaMemcpy2D at every stride", "memcpy2d", {**DEVICE,
            "case": "stride/.*"}, least=2, every=True)],
         filter="^fig6/stride", panel=sweep, x=swept, x_label="stride in bytes"),
    pack("002-fig5", "002 figure 5: 8, 32 and 128 KB to the host, the block length swept", "fig6", [
        times_faster("Narrow blocks (8 B): packing is much faster than cudaMemcpy2D", "memcpy2d", {**PINNED,
            "case": "fixed/8-.*"}, least=2),
        times_faster("Wide blocks (128 B and more): cudaMemcpy2D is as fast or faster", "memcpy2d",
                     {**PINNED, "case": "fixed/(128|160|192|224|256)-.*"}, most=1.05)],
         filter="^fig6/fixed", panel=sweep, x=swept, x_label="block length in bytes"),
    pack("000-fig7", "000 figure 7: finding addresses, packing in the device, packing to the host", "fig7", [
        compared("Addresses of a vector cost little of what packing in the device takes", "direction", "traverse",
                 "pack",
                 {"memory": "device", "case": "vector.*"}, most=0.5, from_bytes=4 * MIB),
        compared("The link to the host bounds large packs (16 MiB and more)", "memory", "pinned", "device",
                 {"direction": "pack", "case": ".*"}, least=2, every=True, from_bytes=16 * MIB)]),
    pack("000-table2", "000 table II, 002 table 2: faces of a cube of doubles to the host, against cudaMemcpy2D",
         "table2", [
        times_faster("The face of single doubles (Y-Z): packing is 4.6 to 22 times faster", "memcpy2d", {**PINNED,
            "case": "face-x-w1/.*"}, least=4.6),
        times_faster("The face of rows (X-Z): CUDA's copy is 10 to 15 % faster, or slower", "memcpy2d", {**PINNED,
            "case": "face-y-w1/.*"}, least=0.87)],
         x=lambda row: int(row["case"].rsplit("/", 1)[1]), x_label="edge"),
    Figure("000-fig8", "000 figure 8, 002 figure 7, 003 figure 6: vectors from GPU to GPU and back", [
        times_faster("8 B blocks: much faster than cudaMemcpy2D and MPI (1 MiB and more)", "memcpy2d_send",
                     {"case": "vector-8", "memory": "device-device", "method": "automatic"}, least=2, from_bytes=MIB),
        times_faster("128 B blocks: cudaMemcpy2D and MPI are largely as fast", "memcpy2d_send",
                     {"case": "vector-128", "memory": "device-device", "method": "automatic"}, least=0.8, most=1.25)],
           "pingpong/run.py", ("--filter", "^vector-(8|32|128)/device-device/(automatic|memcpy2d)", "--most",
                               str(64 * MIB)), 150, 2,
           panel=lambda row: f"{row['case']}, {row['mpi']}, {row['gpus']} GPUs", x_label="bytes"),
    Figure("000-table3", "000 table III, 003 table 2: packing beside an application's work", [
        ratio("A packing kernel that comes second starves behind kernels: it takes longer by most of them", "move_us",
              "move_alone_us",
              contended("default", "application first", "add"), least=1.3),
        ratio("The same of cudaMemcpy2D: no degradation", "move_us", "move_alone_us", contended("memcpy2d",
            "application first", "add"), most=1.1),
        ratio("Copies to the host and cudaMemcpy2D to the host are serialised", "median_us", "serial_us",
              contended("memcpy2d", ".*", "to_host"), least=0.9),
        ratio("Copies to the device and packing to the host overlap for the most part", "median_us", "serial_us",
              contended("default", ".*", "to_device"), most=0.75)],
           "contention/run.py", ("--filter", "^(add|to_device|to_host)/vector/pinned/pack/(default|memcpy2d)$"), 60, 1,
           panel=lambda row: f"{row['application']}, {row['processes']}",
           x=lambda row: f"{row['method']}, {row['order']}", x_label="",
           line=lambda row: "both, us"),
    pack("001-fig2", "001 figure 2: vectors of floats to the host by three schemes of cudaMemcpy2D", "schemes", [
        between("Above 64 B, rows packed in the device and then copied (nc2c2c) take less than rows to rows (nc2nc)",
                "memcpy2d_nc2c2c", "memcpy2d_nc2nc", PINNED, most=1, every=True, from_bytes=256),
        between("And less than rows that are packed on the way (nc2c)", "memcpy2d_nc2c2c", "memcpy2d", PINNED, most=1,
                every=True, from_bytes=256),
        between("At 4 MiB nc2c2c takes 4.8 % of nc2nc", "memcpy2d_nc2c2c", "memcpy2d_nc2nc", PINNED, most=0.048,
                from_bytes=4 * MIB)], seconds=15),
    Figure("001-fig5", "001 figure 5: vectors of floats between GPUs, by three designs", [
        times_faster("At 4 MiB up to 88 % less time than cudaMemcpy2D and MPI_Send", "memcpy2d_send",
                     {"case": "vector-4", "memory": "device-device", "method": "automatic"}, least=1 / (1 - 0.88),
                     from_bytes=4 * MIB, to_bytes=4 * MIB),
        times_faster("A hand-tuned pipeline is about as fast", "memcpy2d_pipelined",
                     {"case": "vector-4", "memory": "device-device", "method": "automatic"}, least=0.8, most=1.25,
                     from_bytes=65536)],
           "pingpong/run.py", ("--filter", "^vector-4/device-device/(automatic|memcpy2d)", "--most", str(16 * MIB)),
           90, 2,
           panel=lambda row: f"{row['case']}, {row['mpi']}, {row['gpus']} GPUs", x_label="bytes"),
    stencil("001-table1", "001 table I: lines of the halo code of Stencil2D", ("--no-gpu", "--passes", "1",
        "--filter", "^1x2/.*/float$", "--paper", "001",
                                                                           "--iterations", "20"), [
        Claim("36 % fewer lines by derived types in MPI calls than by hand", "lines by MPI / lines by hand",
              fewer_lines("mpi"), most=0.64),
        Claim("36 % fewer lines: by the halo layer", "lines by the halo layer / lines by hand", fewer_lines("typewarp"),
              most=0.64)],
        seconds=20),
    stencil("001-table2", "001 table II: Stencil2D in single precision", ("--paper", "001", "--filter", "/float$",
        "--passes", "1"), [
        compared(f"19 to 42 % less time on every process grid (19 %: {OF_001}), by derived types under the preload "
                 "library", "method", "mpi", "hand", {"type": "float"}, most=0.81, every=True),
        compared("The same, by the halo layer", "method", "typewarp", "hand", {"type": "float"}, most=0.81, every=True),
        compared("Derived types under the preload library take as long as the halo layer", "method", "mpi", "typewarp",
                 {"type": "float"}, most=1.1)],
            seconds=220, gpus=2),
    stencil("001-table3", "001 table III: Stencil2D in double precision", ("--paper", "001", "--filter", "/double$",
        "--passes", "1"), [
        compared(f"21 to 39 % less time on every process grid (21 %: {OF_001}), by derived types under the preload "
                 "library", "method", "mpi", "hand", {"type": "double"}, most=0.79, every=True),
        compared("The same, by the halo layer", "method", "typewarp", "hand", {"type": "double"}, most=0.79,
                 every=True)],
            seconds=220, gpus=2),
    stencil("001-fig6", "001 figure 6: communication of Stencil2D by side", ("--by-side", "--filter", "/float$",
        "--passes", "1"), [
        Claim("Copies of columns between device and host dominate communication by hand",
              "copies of west and east / all copies and messages, of the slowest rank", copies_of_columns, least=0.5)],
            seconds=150, gpus=1, x=lambda row: row["direction"], x_label="side",
            panel=lambda row: f"{row['case']}, {row['mpi']}, {row['gpus']} GPUs"
            + (" under MPS" if row.get("mps") else "")),
    Figure("001-tuning", "001 section IV-B: the length of blocks of a pipeline, swept, and its model", [
        ratio("The model predicts what a pipelined message takes", "measured_over_predicted", None,
              {"method": "pipelined"}, least=0.8, most=1.25, rows="messages"),
        ratio("The length that is built in takes no longer than the best", "built_in_us", "best_us", {}, most=1.1,
              every=True, rows="messages")],
           "fragments/run.py", (), 60, 2, panel=lambda row: f"{row['method']}, {row['mpi']}",
           x=lambda row: row.get("fragment", row["size"]),
           x_label="bytes of a fragment",
           line=lambda row: f"{row['size'] >> 10} KiB" if row["built_in"] == "no" else None),
    stencil("003-table3", "003 table 3: GFLOP/s of Stencil2D over the size", ("--paper", "003", "--passes", "1"), [
        compared("Nearly equivalent to CUDA's copies, from -1 to 2 %", "method", "hand", "typewarp", {}, least=0.98,
                 every=True)], seconds=150, gpus=2),
    Figure("003-table4", "003 figure 7 and table 4: packing HACC's block to the host", [
        times_faster("13 to 43 % less time than a copy for each member", "members", {"direction": "pack"},
                     least=1 / (1 - 0.13), every=True)],
           "programs/run.py", ("--program", "hacc"), 60, 1, x=lambda row: row["case"], x_label=""),
    Figure("004-table", "004: latency and bandwidth between memory of hosts (H) and devices (D) of one node", [
        compared("D-D has less latency than H-D and D-H (14.5 us, 21.5 us)", "memory", "device-device", "host-device",
                 {"method": "automatic"}, most=1,
                 every=True, to_bytes=512),
        compared("H-H has a fraction of the latency of D-D", "memory", "host-host", "device-device",
                 {"method": "automatic"}, most=0.1, to_bytes=512),
        compared("1 MiB: D-D is slower than H-H (5.8 and 8.8 GB/s)", "memory", "device-device", "host-host",
                 {"method": "automatic"}, least=1,
                 from_bytes=MIB, to_bytes=MIB)],
           "pingpong/run.py", ("--filter", "^contiguous/.*/automatic/(8|512|2048|1048576)$"), 40, 0,
           panel=lambda row: f"{row['mpi']}, {row['gpus']} GPUs", x_label="bytes", line=lambda row: row["memory"]),
    Figure("004-lammps", "004: communication of LAMMPS (Lennard-Jones), less than staged by hand", [
        compared("More than half of the time of communication is saved", "method", "exchange", "hand",
                 {"direction": "communication"}, most=0.5)],
           "programs/run.py", ("--program", "lammps"), 60, 2, x=lambda row: row["case"], x_label="",
           line=lambda row: row["method"]),
    Figure("004-gcl-host", "004: the GCL's halo exchange in memory of the host, by ways to pack", [
        compared("MPI datatypes take about four times as long as packing by hand (120 and 30 ms)", "method",
                 "plain_datatype", "manual",
                 {"case": "gcl", "memory": "host"}, least=2),
        compared("MPI_Pack takes longer than MPI datatypes (180 and 120 ms)", "method", "plain_mpi_pack",
                 "plain_datatype",
                 {"case": "gcl", "memory": "host"}, least=1)],
           "halo/run.py", ("--no-gpu", "--filter", "^gcl/host/(manual|plain_mpi_pack|plain_datatype|datatype)/",
                           "--most", "128"), 60, 0,
           panel=lambda row: f"{row['case']}, {row['memory']}, {row['mpi']}", x=lambda row: row["size"],
           x_label="edge", line=lambda row: row["method"]),
    Figure("004-gcl-gpu", "004: the GCL's halo exchange in memory of GPUs, by ways to pack", [
        compared("Datatypes are not ready: about 100 times as slow as packing by hand (3000 and 30 ms)", "method",
                 "datatype", "manual",
                 {"case": "gcl", "memory": "device"}, least=10),
        compared("Slower than on the CPU for small inputs", "memory", "device", "host", {"case": "gcl",
            "method": "manual", "size": "16"}, least=1),
        compared("Faster than on the CPU for large inputs", "memory", "device", "host", {"case": "gcl",
            "method": "manual", "size": "128"}, most=1)],
           "halo/run.py", ("--filter", "^gcl/(device/(manual|datatype|hand)|host/manual/)"), 90, 1,
           panel=lambda row: f"{row['case']}, {row['memory']}, {row['mpi']}", x=lambda row: row["size"],
           x_label="edge", line=lambda row: row["method"]),
    Figure("004-pack-gpu", "004: the GCL's halo exchange in memory of GPUs, by MPI_Pack and datatypes of the MPI", [
        compared("MPI_Pack takes about 80 times as long as packing by hand (2500 and 30 ms)", "method",
                 "preloaded_mpi_pack", "manual", {"case": "gcl", "memory": "device"}, least=10),
        compared("MPI datatypes take about 100 times as long (3000 and 30 ms)", "method", "preloaded_datatype",
                 "manual", {"case": "gcl", "memory": "device"}, least=10),
        compared("MPI_Pack takes less than MPI datatypes (2500 and 3000 ms)", "method", "preloaded_mpi_pack",
                 "preloaded_datatype", {"case": "gcl", "memory": "device"}, most=1)],
           "halo/run.py", ("--preloaded", "--filter", "^gcl/device/(manual|hand_kernels_staged|preloaded_.*)/"), 60, 1,
           panel=lambda row: f"{row['case']}, {row['memory']}, {row['mpi']}", x=lambda row: row["size"],
           x_label="edge", line=lambda row: row["method"]),
    Figure("004-lines", "004: lines that CUDA programs lose", [
        Claim("Without copies and buffers of the host, MPI calls on memory of GPUs take fewer lines",
              "lines by MPI / lines by hand", lines_that_stay, most=0.99, every=True)],
           "programs/lines.py", (), 3, panel=lambda row: "code that moves data", x=lambda row: row["case"], x_label="",
           line=lambda row: row["method"], value="lines", unit="lines", counts=True),
    *(Figure(name, title, [], missing=missing) for name, title, missing in (
        ("000-fig7-types", "000 figure 7: all types, by the library's own lookup",
         "bench/pack finds addresses of vectors and subarrays only, by hand"),
        ("004-all-to-all", "004: the GCL's all_to_all_halo", "the halo layer has none"),
        ("004-openacc", "004: OpenACC with device pointers in MPI calls, I and II", "no client by OpenACC is built")))]
