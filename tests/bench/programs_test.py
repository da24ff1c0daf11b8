# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What bench/programs/run.py reads of what programs print."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/programs"))
import run  # noqa: E402  (it stands there)


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

    def test_of_hydro_and_lammps(self):
        lines = ["  ms, slowest rank      hand  exchange", "  communication        1.5   0.25"]
        rows = list(run.rows_of_ways(lines, 2))
        self.assertEqual([("hand", 1500.0), ("exchange", 250.0)], [(row["method"], row["median_us"]) for row in rows])

    def test_under_the_preload_library_are_told_apart(self):
        lines = ["  ms, slowest rank       mpi", "  communication        0.5"]
        self.assertEqual(["mpi under preload"], [row["method"] for row in run.rows_of_mpi(lines, 2)])


if __name__ == "__main__":
    unittest.main()
