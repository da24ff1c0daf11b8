#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what users would pick instead of this library, beside it, in one run, and writes bench/results/<machine>/peers.json.

Parts, in this order: `mpi`, a program that calls MPI, under the preload library, with each MPI of the build; those of --mpi, GPU-aware MPIs
that the user names, and Intel MPI; `torch`, PyTorch with NCCL, with symmetric memory, and the Exchange of Python; `python`, the sends of Python; `pingpong`,
bench/pingpong's send of C++ and cudaMemcpy2D around MPI; `nixl`. Messages are measured with two ranks, calls of all ranks with any
number. What dies, or does not end within --row-limit, is told among `failed`, and larger ones of its kind are not tried. Rows that
an earlier run has found stay (--onto), if not found again.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from cases import MESSAGES, cases  # noqa: E402
from parts import AS_ROOT, Part, built_mpis, choose, gpus, write_result  # noqa: E402  (it stands one folder above)
from report import behind, case_name, show, summary  # noqa: E402
from running import ROOT, everything, gpu_machine, python_path, regular_expression  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
MPI_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "abi": "the standard ABI"}
# Of bench/pingpong, whose kinds are named alike: what its methods are called here.
OF_PINGPONG = {"automatic": "send and recv of C++", "memcpy2d_send": "cudaMemcpy2D and MPI", "memcpy2d_pipelined": "cudaMemcpy2D and MPI, in chunks",
               "memcpy": "cudaMemcpyPeer"}
OF_TORCH = ("PyTorch + NCCL", "symmetric memory", "symmetric memory with two barriers", "Exchange", "DeviceGroup", "registered DeviceGroup")
MOST_STARTS = 40
KEYS = ("way", "calling", "case", "size", "ranks")
KEPT = (*KEYS, "mpi", "gpus", "packed_bytes", "median_us", "low_us", "high_us", "samples")
MISSING = {"nixl": " (pip install nixl)", "python": " (mpi4py, and what starts two ranks of its MPI)"}
SHARES = {"mpi": 1.2, "torch": 3.5, "python": 1.2, "pingpong": 1.2, "nixl": 1.2}  # of the time, for each start


def compiled(mpicc, program, on_host):
    """The program, built for the MPI of this mpicc."""
    options = ["-DPEERS_ON_HOST"] if on_host else ["-I/usr/local/cuda/include", "-L/usr/local/cuda/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread"]
    command = [mpicc, "-x", "c++", "-std=c++20", "-O2", str(HERE / "main.cpp"), "-x", "none", "-o", str(program), "-lstdc++", *options]
    if os.spawnvp(os.P_WAIT, command[0], command):
        sys.exit(f"{mpicc}: cannot compile {HERE / 'main.cpp'}")
    return program


class Peer(Part):
    """What is started once, for its share of the time. `way` is that of rows that name none."""

    def __init__(self, run, share, way, name, command, environment):
        super().__init__(name, command, {**AS_ROOT, **environment}, 0, run.arguments.row_limit, MOST_STARTS)
        self.of, self.share, self.way = run, share, way

    def heard(self, entry):
        way = self.way or OF_PINGPONG.get(entry.get("method"), self.name)
        entry.update({"way": way, "calling": "blocking", "ranks": 2, **entry})
        if "p10_us" in entry:
            entry.update(low_us=entry["p10_us"], high_us=entry["p90_us"])
        self.of.heard(entry)


class Run:
    """The parts that the arguments ask for, and what they have found."""

    def __init__(self, arguments):
        self.arguments, self.parts, self.begin = arguments, [], time.monotonic()
        self.kept = json.loads(arguments.onto.read_text(encoding="utf-8"))["rows"] if arguments.onto else []
        wanted = [(kind, size) for kind, size in cases(arguments.number)
                  if size <= arguments.most and re.search(arguments.filter, f"{kind}/{size}")]
        self.messages = [case for case in wanted if case[0] in MESSAGES]
        self.words = [f"{kind}/{size}" for kind, size in wanted]
        self.seed = str(time.time_ns() % 1000000007)  # other bytes in each run

    def add(self, part, way, name, command, environment=None):
        self.parts.append(Peer(self, SHARES[part], way, name, [str(word) for word in command], environment or {}))

    def of_mpi(self, launcher, program, preloaded, words=()):
        words = [*words, *([f"LD_PRELOAD={self.arguments.preloaded.resolve()}"] if preloaded else [])]
        words += ["TYPEWARP_TRANSPORT=1", "TYPEWARP_TAKE=all"] if preloaded and self.arguments.on_host else []
        return [launcher, "-n", self.arguments.number, "env", *words, program, self.seed, self.arguments.row_seconds, *self.words]

    def add_mpis(self, folder):
        bin, name = self.arguments.bin, "bench_hosted_peers" if self.arguments.on_host else "bench_peers"
        for mpi in self.arguments.mpis:
            self.add("mpi", f"{MPI_NAMES.get(mpi, 'MPI ' + mpi)}, preloaded", mpi, self.of_mpi(bin / f"mpiexec_{mpi}", bin / f"{name}_{mpi}", True))
        for mpi, mpicc in self.arguments.mpi:
            beside = pathlib.Path(mpicc).with_name("mpiexec")
            program = compiled(mpicc, pathlib.Path(folder) / f"peers_{mpi}", self.arguments.on_host)
            self.add("mpi", mpi, mpi, self.of_mpi(beside if beside.exists() else "mpiexec", program, False))
        self.add_intel_mpi(bin / f"{name}_mpich")

    def add_intel_mpi(self, program):
        """As the GPU-aware MPI that it is, and under the preload library. It runs programs of MPICH, whose ABI it has."""
        folder = intel_mpi()
        if not folder or not program.exists():
            print("Intel MPI: not here (pip install --no-deps impi-rt, or set I_MPI_ROOT; and build bench/peers with MPICH)", file=sys.stderr)
            return
        # All ranks are on this host: shared memory needs no libfabric, which PyPI does not have.
        words = [f"LD_LIBRARY_PATH={folder / 'lib'}", "I_MPI_FABRICS=shm"]
        # It looks for libcuda.so, which drivers alone do not bring, and crashes without it.
        of_gpus = [] if self.arguments.on_host else ["I_MPI_OFFLOAD=1", "I_MPI_OFFLOAD_CUDA_LIBRARY=libcuda.so.1"]
        self.add("mpi", "Intel MPI", "intel", self.of_mpi(folder / "bin/mpiexec", program, False, words + of_gpus))
        self.add("mpi", "Intel MPI, preloaded", "intel", self.of_mpi(folder / "bin/mpiexec", program, True, words))

    def add_arrays(self, part, launcher, ways, words, of_mpi=(), settings=()):
        environment = {"PYTHONPATH": python_path(self.arguments.package),
                       "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo",  # all ranks are on this host, whatever its name is
                       **dict(settings)}
        self.add(part, None, "torch", [*launcher, HERE / "arrays.py", *of_mpi, "--seed", self.seed, "--row-seconds", self.arguments.row_seconds,
                                       "--trace-after", self.arguments.row_limit * 2 / 3, "--ways", ways, *words], environment)

    def add_nixl(self, launcher, messages):
        self.add_arrays("nixl", launcher, "NIXL", messages)
        folder = self.arguments.preloaded.parent / "nixl"
        if not self.arguments.on_host and (folder / "libplugin_TYPEWARP.so").exists():
            self.add_arrays("nixl", launcher, "NIXL with Typewarp", messages, settings={"NIXL_PLUGIN_DIR": str(folder.resolve())})

    def add_pingpong(self):
        arguments = self.arguments
        mpi = [mpi for mpi in built_mpis(arguments.bin, "bench_pingpong") if mpi in arguments.mpis][-1]
        memory = "host-host" if arguments.on_host else "device-device"
        rows = "|".join(f"{kind}/{memory}/({'|'.join(OF_PINGPONG)})/{size}" for kind, size in self.messages)
        self.add("pingpong", None, mpi, [arguments.bin / f"mpiexec_{mpi}", "-n", 2, arguments.bin / f"bench_pingpong_{mpi}",
                                         *(["--no-gpu"] if arguments.on_host else []), "--row-seconds", arguments.row_seconds / 2,
                                         "--filter", f"^({rows})$"])

    def prepare(self, folder):
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", self.arguments.number]
        messages = [f"{kind}/{size}" for kind, size in self.messages]
        adders = {"mpi": lambda: self.add_mpis(folder),
                  "torch": lambda: self.add_arrays("torch", torchrun, ",".join(OF_TORCH), self.words)}
        if messages:
            adders["pingpong"] = self.add_pingpong
        if messages and self.arguments.mpiexec:
            ranks = [*self.arguments.mpiexec.split(), "-n", 2, sys.executable]
            adders["python"] = lambda: self.add_arrays("python", ranks, "send and recv of Python", messages, ["--mpi"])
        if messages and importlib.util.find_spec("nixl"):
            adders["nixl"] = lambda: self.add_nixl(torchrun, messages)
        for part in self.arguments.only:
            adders.get(part, lambda part=part: print(f"{part}: not here{MISSING.get(part, '')}", file=sys.stderr))()

    def run(self):
        end = self.begin + self.arguments.seconds
        for i, part in enumerate(self.parts):
            now = time.monotonic()
            part.end = now + (end - now) * part.share / sum(later.share for later in self.parts[i:])
            print(f"[{now - self.begin:4.0f} s] {part.way or part.name}, for {part.end - now:.0f} s at most", file=sys.stderr)
            part.run()
        return self.write()

    def rows(self):
        found = [row for part in self.parts for row in part.rows]
        return list({tuple(row[name] for name in KEYS): {name: row[name] for name in KEPT if name in row} for row in [*self.kept, *found]}.values())

    def heard(self, entry):
        """Of a row: it is told, and all are written."""
        what = entry.get("error") or entry.get("skipped") or f"{entry['median_us']:,.1f} us ({entry['low_us']:,.1f} to {entry['high_us']:,.1f})"
        print(f"[{time.monotonic() - self.begin:4.0f} s] {entry['way']}, {entry['calling']}: "
              f"{case_name(entry) if 'size' in entry else entry['case']}: {what}", file=sys.stderr)
        self.write()

    def write(self):
        rows = self.rows()
        more = {"summary": summary(rows), "behind": behind(rows)}
        return write_result(self.arguments.output, self.parts, "bench/peers/run.py", [], rows, more)


def named(text):
    name, _, mpicc = text.partition("=")
    if not name or not mpicc:
        raise argparse.ArgumentTypeError(f"{text}: not NAME=MPICC")
    return name, mpicc


def intel_mpi():
    """The folder of Intel MPI: $I_MPI_ROOT, or that of this Python."""
    folder = pathlib.Path(os.environ.get("I_MPI_ROOT", sys.prefix)).resolve()
    return folder if (folder / "bin/hydra_bstrap_proxy").exists() and (folder / "lib/libmpi.so.12").exists() else None


def of_mpi4py(folder):
    """What starts ranks of the MPI that mpi4py has."""
    prints_size = [sys.executable, "-c", "from mpi4py import MPI; print(MPI.COMM_WORLD.Get_size())"]
    for launcher in [*sorted(map(str, folder.glob("mpiexec_*"))), "mpiexec"]:
        if everything(["env", *(f"{name}={value}" for name, value in AS_ROOT.items()), "timeout", "20", launcher, "-n", "2", *prints_size]).split() == ["2", "2"]:
            return launcher
    return None


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of the programs (default: %(default)s)")
    parser.add_argument("--library", dest="preloaded", type=pathlib.Path, help="libtypewarp_mpi.so (default: that of the same build)")
    parser.add_argument("--package", type=pathlib.Path, help="folder of the package typewarp (default: that of the same build)")
    parser.add_argument("--machine", default=gpu_machine(gpus()) or "host", help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/peers.json")
    parser.add_argument("--onto", type=pathlib.Path, help="a result whose rows stay, but for those found again")
    parser.add_argument("--seconds", type=float, default=280, help="for all of it (default: %(default)s)")
    parser.add_argument("--row-seconds", type=float, default=0.06, help="what a row is measured for at most (default: %(default)s)")
    parser.add_argument("--row-limit", type=float, default=12, help="seconds after which a row has failed (default: %(default)s)")
    parser.add_argument("--only", default=",".join(SHARES), help="parts, with commas between (default: %(default)s)")
    parser.add_argument("--mpis", help="for instance openmpi,mpich (default: those of the build)")
    parser.add_argument("--mpi", type=named, action="append", default=[], metavar="NAME=MPICC", help="a GPU-aware MPI, by its mpicc")
    parser.add_argument("--mpiexec", help="of mpi4py's MPI (default: what starts two ranks of it)")
    parser.add_argument("--number", type=int, default=min(gpus(), 4) or 2, help="of ranks, and of GPUs (default: %(default)s)")
    parser.add_argument("--filter", type=regular_expression, default="", help="only cases whose kind/bytes matches")
    parser.add_argument("--most", type=int, default=256 << 20, help="bytes of data")
    parser.add_argument("--on-host", action="store_true", help="memory of the host, for tests")
    arguments = parser.parse_args()
    choose(parser, arguments, "hosted_peers" if arguments.on_host else "peers", ["filter", "most", "mpis", "number", "only", "on_host"], "peers")
    arguments.only = arguments.only.split(",")
    for part in arguments.only:
        if part not in SHARES:
            parser.error(f"--only {part}: no such part")
    arguments.preloaded = arguments.preloaded or arguments.bin.parent / "lib/libtypewarp_mpi.so"
    arguments.package = arguments.package or arguments.bin.parent / "python"
    if "python" in arguments.only and not arguments.mpiexec:
        arguments.mpiexec = of_mpi4py(arguments.bin)
    return arguments


def main():
    arguments = parse_arguments()
    run = Run(arguments)
    with tempfile.TemporaryDirectory() as folder:
        run.prepare(folder)
        result = run.run()
    show(result)
    print(f"wrote {arguments.output}")


if __name__ == "__main__":
    main()
