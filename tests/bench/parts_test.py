#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts of the benchmarks find out: which GPUs they may use, and what the preload library has taken."""

import os
import pathlib
import sys
import unittest
from unittest import mock

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import mps  # noqa: E402
import parts  # noqa: E402

FOUR = "".join(f"GPU {i}: NVIDIA\n" for i in range(4))
SENT = "typewarp: 2 ranks: MPI_Isend: calls 4 (2 to 2), us 9"
RECEIVED = "typewarp: 2 ranks: MPI_Irecv: calls 4 (2 to 2), us 9, ours 4 (2 to 2)"


class Gpus(unittest.TestCase):
    def visible(self, there, chosen):
        with mock.patch.object(parts, "everything", lambda command: there), mock.patch.dict(os.environ):
            os.environ.pop("CUDA_VISIBLE_DEVICES", None)
            os.environ.update({} if chosen is None else {"CUDA_VISIBLE_DEVICES": chosen})
            return parts.visible_gpus()

    def test_are_all_unless_some_are_chosen(self):
        self.assertEqual(["0", "1", "2", "3"], self.visible(FOUR, None))
        self.assertEqual(["2", "3"], self.visible(FOUR, "2,3"))
        self.assertEqual(["1"], self.visible(FOUR, "1,-1,2"))
        self.assertEqual([], self.visible(FOUR, ""))
        self.assertEqual([], self.visible("", "0"))
        self.assertEqual([], self.visible("", None))

    def test_keep_their_numbers_under_the_service(self):
        with mock.patch.dict(os.environ, CUDA_VISIBLE_DEVICES="2,3"), mock.patch.object(mps.subprocess, "run") as run:
            with mps.Service() as environment:
                self.assertNotIn("CUDA_VISIBLE_DEVICES", environment)
        self.assertEqual(2, run.call_count)
        for call in run.call_args_list:
            self.assertNotIn("CUDA_VISIBLE_DEVICES", call.kwargs["env"])


class Taken(unittest.TestCase):
    def left(self, *lines, **also):
        return parts.not_taken(("MPI_Isend", "MPI_Irecv"), "\n".join(lines), **also)

    def test_all_of_it(self):
        nobody = f"{SENT}, ours 2 (1 to 1), left to the MPI (no rank at the other end) 2 (1 to 1)"
        self.assertEqual([], self.left(f"{SENT}, ours 4 (2 to 2)", RECEIVED))
        self.assertEqual([], self.left(nobody, RECEIVED, "typewarp: 2 ranks: MPI_Bcast: calls 2 (1 to 1)"))

    def test_some_or_nothing(self):
        partly = f"{SENT}, ours 2 (1 to 1), left to the MPI (host memory) 2 (1 to 1)"
        self.assertEqual(1, len(self.left(partly, RECEIVED)))
        self.assertIn("host memory", self.left(partly, RECEIVED)[0])
        self.assertEqual([], self.left(partly, RECEIVED, also=["host memory"]))
        self.assertEqual(1, len(self.left(SENT, RECEIVED)))
        self.assertEqual(1, len(self.left(SENT, RECEIVED, also=["host memory"])))
        self.assertEqual(["MPI_Isend", "MPI_Irecv"], self.left("no statistics"))


if __name__ == "__main__":
    unittest.main()
