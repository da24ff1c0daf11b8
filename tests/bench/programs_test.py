# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What bench/programs/run.py reads of what programs print."""

import argparse
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/programs"))
import run  # noqa: E402  (it stands there)


HACC = """HACC: blocks of Voronoi cells on 2 x 1 x 1 ranks, 512 particles each on average, seed 1

Packing into memory of the host, us (median), one rank after the other
  rank  particles      packed    members   typewarp      floor  typewarp / floor
     0       2206       1 MiB     105.00      40.00      36.00              0.90
     1        919      32 KiB      80.00      13.00       9.00              0.69

Unpacking from it, us (median), one rank after the other
  rank  particles      packed    members   typewarp      floor  typewarp / floor
     0       2206       1 MiB     106.00      41.00      36.00              0.88
     1        919      32 KiB      81.00      11.00       9.00              0.82

All ranks together, 1056 KiB, us (median of the slowest)
                            members   typewarp      floor
  send and receive            200.0      100.0      150.0
  write to one file           250.0      200.0      150.0
  read from it                150.0      100.0       95.0

all bytes are right: PASSED
"""


class Rows(unittest.TestCase):
    def test_of_openacc(self):
        lines = [
            "message of 8192 bytes, us: pointers of the accelerator 5.5, packed in host memory 1234.0",
            "accelerators: 2",
            "own array: 0 wrong, memory of the accelerator: 0 wrong, Jacobi: largest difference 0, messages: 0 wrong",
        ]
        rows = list(run.rows_of_openacc(lines, 2))
        self.assertEqual(
            [("pointers of the accelerator", 5.5), ("packed in host memory", 1234.0)],
            [(row["method"], row["median_us"]) for row in rows],
        )
        self.assertEqual({8192}, {row["packed_bytes"] for row in rows})
        self.assertTrue(run.openacc_on_gpus(lines))
        self.assertFalse(run.openacc_on_gpus(["accelerators: 0"]))

    def test_of_hacc(self):
        lines = HACC.splitlines()
        rows = list(run.hacc.rows(lines, 2))
        self.assertEqual(
            [
                ("block of rank 0", 1 << 20, "pack", "typewarp", 40.0, 36.0, {"members": 105.0}),
                ("block of rank 1", 32 << 10, "pack", "typewarp", 13.0, 9.0, {"members": 80.0}),
                ("block of rank 0", 1 << 20, "unpack", "typewarp", 41.0, 36.0, {"members": 106.0}),
                ("block of rank 1", 32 << 10, "unpack", "typewarp", 11.0, 9.0, {"members": 81.0}),
                ("blocks of 2 ranks", 1056 << 10, "write", "typewarp", 200.0, 150.0, {"members": 250.0}),
                ("blocks of 2 ranks", 1056 << 10, "read", "typewarp", 100.0, 95.0, {"members": 150.0}),
            ],
            [
                tuple(
                    row[key]
                    for key in ("case", "packed_bytes", "direction", "method", "median_us", "floor_us", "baselines_us")
                )
                for row in rows
            ],
        )

    def test_of_hacc_by_the_preloaded_mpi_alone(self):
        rows = list(run.hacc.rows([line.replace("members   typewarp", "mpi") for line in HACC.splitlines()], 2))
        self.assertEqual({"mpi"}, {row["method"] for row in rows})
        self.assertEqual({0}, {len(row["baselines_us"]) for row in rows})

    def test_of_hacc_under_the_preload_library_have_the_floor_without_it(self):
        row = {"mpi": "some", "case": "blocks", "direction": "write", "packed_bytes": 9, "median_us": 8.0}
        rows = [
            {**row, "method": "mpi", "floor_us": 7.0},
            {**row, "method": "typewarp", "floor_us": 4.0},
            {**row, "method": "mpi", "floor_us": 6.0, "case": "others"},
        ]
        found = list(run.hacc.without_preload(rows))
        self.assertEqual([4.0, 4.0, None], [each.get("floor_us") for each in found])
        (target,) = [values for name, values in run.hacc.TARGETS if name.startswith("writing")]
        self.assertEqual([0.5, 0.5], [value for _, value, *_ in target(found)])

    def test_of_hacc_are_judged(self):
        rows = [{"mpi": "some", **row} for row in run.hacc.rows(HACC.splitlines(), 2)]
        found = {entry["target"].split(",")[0]: entry for entry in run.summary(rows, run.hacc.TARGETS)}
        self.assertEqual([], found["packing a block of 1 MiB or more"]["misses"])
        self.assertEqual([13.0], [miss["value"] for miss in found["packing a block of less than 64 KiB"]["misses"]])
        written = found["writing blocks to a file"]
        self.assertEqual((1, [0.75]), (written["rows"], [miss["value"] for miss in written["misses"]]))
        self.assertEqual(
            [1 << 20, 32 << 10], [miss["packed_bytes"] for miss in found["packing a block"]["misses"]]
        )

    def test_of_exchanges(self):
        headline = "Dycore: 5 fields of 16 levels of 64 x 32 cells on 2 x 1 ranks of 32 x 32 each, 100 steps"
        lines = ["a warning", headline, "  ms, slowest rank      hand  typewarp", "  communication      150.0      75.0"]
        rows = list(run.rows_of_exchanges(3)(lines, 2))
        self.assertEqual(
            [(headline, "exchange", "hand", 500.0), (headline, "exchange", "typewarp", 250.0)],
            [tuple(row[key] for key in ("case", "direction", "method", "median_us")) for row in rows],
        )
        self.assertEqual([], list(run.rows_of_exchanges(3)(lines[2:], 2)))

    def test_of_lammps(self):
        lines = ["  ms, slowest rank      hand  exchange", "  communication        1.5   0.25"]
        rows = list(run.rows_of_ways(lines, 2))
        self.assertEqual([("hand", 1500.0), ("exchange", 250.0)], [(row["method"], row["median_us"]) for row in rows])


class Starts(unittest.TestCase):
    def started(self, program="hacc", **how):
        """How many starts there are of hacc, which has two, or of another program, and what is told."""
        part = run.Part("some", [], {}, 60)
        arguments = argparse.Namespace(program=program, bin=pathlib.Path("bin"))
        with (
            mock.patch.object(run.subprocess, "run", **how) as began,
            mock.patch.object(run, "gpus", return_value=0),
            mock.patch.object(pathlib.Path, "exists", return_value=True),
        ):
            run.run_all(part, arguments, "host")
        return began.call_count, part

    def test_end_with_one_that_takes_all_of_the_time(self):
        starts, part = self.started(side_effect=subprocess.TimeoutExpired("hacc", 60))
        self.assertEqual(1, starts)
        self.assertIn("not done in", part.stopped)

    def test_of_programs_with_ghosts_validate_or_are_timed(self):
        printed = ["Hydro: of cells, 200 steps", "  ms, slowest rank  mpi", "  communication  1.0"]
        printed += ["2 ranks: MPI_Isend: calls 9, ours 9 (100 %)"]
        commands = []

        def start(command, **_):
            commands.append(command)
            return argparse.Namespace(stdout="\n".join(printed), stderr="")

        _, part = self.started("hydro", side_effect=start)
        self.assertEqual([False, True] * 2, ["--no-validate" in command for command in commands])
        self.assertEqual(["3", "200"] * 2, [command[command.index("--steps") + 1] for command in commands])
        self.assertEqual(["mpi", "mpi under preload"], [row["method"] for row in part.rows])

    def test_end_with_one_that_fails(self):
        starts, part = self.started(side_effect=subprocess.CalledProcessError(1, "hacc"))
        self.assertEqual((1, 1), (starts, len(part.failed)))


if __name__ == "__main__":
    unittest.main()
