# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts share that run a benchmark of two ranks with every MPI, on the GPUs that there are."""
import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import time

from mps import CONTROL, Service, mps_is_here
from parts import AS_ROOT, STALLED_S, Part, choose, gpus, left_out, not_taken, write_result
from reporting import summary
from running import gpu_machine, regular_expression


class Launch:
    """One start of the program of an MPI: its share of the time, and what it is started with. `words` stand before
    it. The preload library must take all the calls that it `proves`."""

    def __init__(self, mpi, name=None, *, share=1.0, mps=False, launcher=(), words=(), options=(), environment=None,
                 proves=()):
        self.mpi, self.name, self.share, self.mps, self.proves = mpi, name or mpi, share, mps, proves
        self.launcher, self.words, self.options = launcher, words, options
        self.environment = {**AS_ROOT, **(environment or {})}


def parser(description, benchmark, row_text, most, most_help, seconds):
    """The options that all have."""
    made = argparse.ArgumentParser(description=description.split("\n")[0])
    made.add_argument("--bin", type=pathlib.Path, required=True, help=f"folder of the programs bench_{benchmark}_<mpi>")
    made.add_argument("--machine", default=gpu_machine(min(gpus(), 2)) or "host", help="name of the result folder (default: %(default)s)")
    made.add_argument("--output", type=pathlib.Path, help=f"default: bench/results/<machine>/{benchmark}.json")
    made.add_argument("--seconds", type=float, default=seconds, help="for all of it (default: %(default)s)")
    made.add_argument("--row-seconds", type=float, default=0.3, help="what a row is measured for at most (default: %(default)s)")
    made.add_argument("--mpis", help="for instance openmpi,mpich (default: those of the build)")
    made.add_argument("--filter", type=regular_expression, default="", help=f"only rows whose {row_text} matches")
    made.add_argument("--most", type=int, default=most, help=most_help)
    made.add_argument("--no-gpu", action="store_true", help="host memory only")
    return made


def complete(made, arguments, benchmark, leaving_out):
    """Chooses MPIs and output; options that leave rows out need an output of their own."""
    choose(made, arguments, benchmark, ["filter", "most", "mpis", *leaving_out, *(["no_gpu"] if gpus() else [])])


def prove(part, launch):
    """Runs all rows once more, as short as can be, since the statistics of the preload library take time."""
    try:
        ran = subprocess.run([*part.command, "--row-seconds", "0"], capture_output=True, text=True, timeout=STALLED_S,
                             env={**os.environ, **part.environment, "TYPEWARP_STATS": "merged"})
        left = not_taken(launch.proves, ran.stdout + ran.stderr)
    except (OSError, subprocess.SubprocessError) as error:
        left = [str(error)]
    if left:
        part.fail({"case": "all"}, f"the preload library does not take all of it: {'; '.join(left)}")


def run_all(arguments, benchmark, launches, one_gpu):
    """A part for each launch, one after the other: what those before have left over of the time is for all that follow."""
    launches = [launch for launch in launches if not launch.mps or mps_is_here()]
    parts = []
    end = time.monotonic() + arguments.seconds
    for i, launch in enumerate(launches):
        seconds = (end - time.monotonic()) * launch.share / sum(later.share for later in launches[i:])
        command = [str(arguments.bin / f"mpiexec_{launch.mpi}"), *launch.launcher, "-n", "2", *launch.words,
                   str(arguments.bin / f"bench_{benchmark}_{launch.mpi}"), *launch.options, "--most", str(arguments.most),
                   "--row-seconds", str(arguments.row_seconds)]
        print(launch.name, file=sys.stderr)
        parts.append(part := Part(launch.name, command, launch.environment, seconds))
        part.run_within(Service() if launch.mps else contextlib.nullcontext({}))
        if launch.proves and part.rows:
            prove(part, launch)
    if one_gpu and not mps_is_here():
        parts.append(left_out("any MPI under MPS", f"no {CONTROL} here"))
    return parts


def finish(arguments, benchmark, parts, rows, targets, show):
    """Writes the result, prints it, and exits with an error if a row failed."""
    result = write_result(arguments.output, parts, f"bench/{benchmark}/run.py", summary(rows, targets))
    show(result)
    print(f"wrote {arguments.output}")
    if result["failed"]:
        sys.exit(f"bench_{benchmark}: {len(result['failed'])} rows failed, see above")
