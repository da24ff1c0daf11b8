#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Rules say of numbers whether a statement holds; each figure's rules can be read; and a report is of what was measured,
wherever it is made."""

import json
import pathlib
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[3] / "bench"
sys.path[:0] = [str(BENCH), str(BENCH / "papers")]
from addresses import found_beside  # noqa: E402
from claims import between, compared, ratio, times_faster  # noqa: E402
from figures import FIGURES  # noqa: E402
from packing import overlapped  # noqa: E402
from recording import CANNOT, FINISHED, MISSING, Record, fair_share  # noqa: E402
from report import targets, told, write  # noqa: E402


def row(case, us, size=1024, method="automatic", **baselines):
    return {
        "case": case,
        "packed_bytes": size,
        "direction": "pack",
        "memory": "pinned",
        "method": method,
        "median_us": us,
        "baselines_us": baselines,
    }


class Claims(unittest.TestCase):
    def verdict(self, claim, *rows):
        return claim.verdict({"rows": list(rows)})

    def test_means_of_baselines(self):
        claim = times_faster("", "other", {"case": "vector.*"}, least=4, from_bytes=1024)
        rows = [
            row("vector-8", 1, other=2),
            row("vector-8", 1, size=2048, other=8),
            row("vector-8", 1, size=1, other=1),
            row("struct", 1, other=1),
        ]
        self.assertEqual("holds", self.verdict(claim, *rows)[0])
        verdict, why = self.verdict(claim, *rows, row("vector-9", 1, other=1))
        self.assertEqual("does not", verdict)
        self.assertIn("geometric mean 2.52; 2 of 3 outside, the farthest 1 (vector-9 ", why)

    def test_baselines_among_each_other(self):
        claim = between("", "one", "other", {}, most=1, every=True, from_bytes=1024)
        rows = [row("a", 9, one=1, other=2), row("a", 9, size=1, one=2, other=1), row("b", 9, one=3)]
        self.assertEqual(("holds", "geometric mean 0.5; 1 of 1 within"), self.verdict(claim, *rows))
        self.assertEqual("does not", self.verdict(claim, row("a", 9, one=2, other=1))[0])

    def test_each_of_them(self):
        claim = times_faster("", "other", {}, most=1.5, every=True)
        self.assertEqual("holds", self.verdict(claim, row("a", 1, other=1.5))[0])
        self.assertEqual("does not", self.verdict(claim, row("a", 1, other=0.1), row("b", 1, other=1.6))[0])

    def test_rows_that_differ_in_one_column(self):
        claim = compared("", "method", "ours", "theirs", {}, most=0.5)
        rows = [
            row("a", 1, method="ours"),
            row("a", 3, method="theirs"),
            row("b", 9, method="ours"),
            row("c", 1, method="theirs"),
        ]
        self.assertEqual(("holds", "geometric mean 0.333; 1 of 1 within"), self.verdict(claim, *rows))

    def test_numbers_of_a_row(self):
        claim = ratio("", "median_us", "packed_bytes", {"case": "a"}, most=1)
        self.assertEqual("holds", self.verdict(claim, row("a", 1024))[0])
        self.assertEqual("does not", self.verdict(claim, row("a", 1025))[0])

    def test_nothing_to_judge(self):
        self.assertEqual(
            ("not measured yet", "no such row"), self.verdict(times_faster("", "other", {}, least=1), row("a", 1))
        )

    def test_every_figure_is_judged(self):
        names = [figure.name for figure in FIGURES]
        self.assertEqual(len(names), len(set(names)))
        for figure in FIGURES:
            self.assertIn(": ", figure.title)
            self.assertTrue(figure.claims and figure.script, figure.name)
            for claim in figure.claims:
                self.assertRegex(claim.rule, "at (least|most) ")
                self.assertTrue(claim.because, claim.text)

    def test_the_report_says_why_a_statement_does_not_hold(self):
        self.assertEqual("does not, because it is so (1 of 1)", told("does not", "it is so (1 of 1)"))
        self.assertEqual("holds: 1 of 1", told("holds", "1 of 1"))

    def test_addresses_of_one_type_beside_those_of_another(self):
        rows = [
            {"case": case, "direction": direction, "packed_bytes": size, "median_us": us}
            for case, direction, size, us in (
                ("a/4MiB", "traverse", 4 << 20, 6),
                ("b/4MiB", "traverse", 4 << 20, 3),
                ("b/4MiB", "pack", 4 << 20, 9),
                ("a/1KiB", "traverse", 1024, 1),
                ("b/1KiB", "traverse", 1024, 1),
            )
        ]
        self.assertEqual([(2, "a/4MiB")], list(found_beside("a", "b", 1 << 20)({"rows": rows})))

    def test_overlap_is_the_part_saved_of_what_could_be(self):
        row = {"processes": "one process", "application": "to_device", "method": "default", "order": "move first",
               "serial_us": 30, "bound_us": 20}
        rows = [{**row, "median_us": 22}, {**row, "median_us": 31}, {**row, "median_us": 22, "application": "add"}]
        self.assertEqual([0.8, 0.0], [round(value, 3) for value, _ in overlapped({"rows": rows})])


class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def kept(self, gpus, states):
        """The record of a machine with so many GPUs, and the results that are there."""
        machine, folder = {"gpu": "Some GPU", "gpus": gpus}, self.folder / f"{gpus}gpu"
        folder.mkdir()
        pieces = [{"piece": name, "state": state, "why": "so"} for name, state in states.items()]
        of = {"machine": machine, "source": f"source of {gpus}"}
        (folder / "record.json").write_text(json.dumps({**of, "date": "2026-01-02", "command": "it", "pieces": pieces}))
        for piece in pieces:
            if piece["state"] == FINISHED:
                result = {**of, "date": "2026-01-02", "command": f"by {gpus}", "complete": True, "rows": []}
                (folder / f"{piece['piece']}.json").write_text(json.dumps(result))
        return Record(folder, [figure.piece(self.folder) for figure in FIGURES], "report", as_kept=True)

    def test_take_what_is_missing_from_another_machine(self):
        two = self.kept(2, {"000-fig8": FINISHED, "001-fig6": CANNOT})
        one = self.kept(1, {"000-fig8": CANNOT, "000-fig4": FINISHED, "001-fig6": CANNOT})
        two.write()
        text = write(FIGURES, [two, one])[0].read_text()
        self.assertIn("2 x Some GPU (sources `source o`), and 1 x Some GPU", text)
        self.assertIn("Ran `by 2` on 2 x Some GPU, 2026-01-02, 0 rows: finished.", text)
        self.assertIn("Ran `by 1` on 1 x Some GPU, 2026-01-02, 0 rows: finished.", text)
        self.assertIn("Not run: cannot be run here (so).", text)
        self.assertEqual("source of 2", json.loads((two.folder / "record.json").read_text())["source"])
        states = {piece.name: two.state(piece)[0] for piece in two.pieces}
        self.assertEqual([FINISHED, MISSING], [states["000-fig8"], states["000-fig4"]])


    def test_show_each_row_that_a_target_is_for(self):
        record = self.kept(2, {"003-table4": FINISHED})
        rows = [
            {"direction": direction, "method": "typewarp", "memory": "device", "mpi": "some", "case": "block",
             "packed_bytes": size, "median_us": us, "floor_us": 9, "baselines_us": {"members": 100}}
            for direction, size, us in (("pack", 2 << 20, 12), ("write", 2 << 20, 10))
        ]
        file = record.folder / "003-table4.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "rows": rows}))
        text = write(FIGURES, [record])[0].read_text()
        self.assertIn("of one contiguous copy | block pack device 2 MiB some | 0.75 | 0.85 | missed |", text)
        self.assertIn("from pinned memory | block write device 2 MiB some | 0.9 | 0.9 |  |", text)

    def test_show_targets_of_all_results_that_are_kept(self):
        shown = [
            line
            for figure in FIGURES
            for file in (BENCH / "results").glob(f"*/papers*/{figure.name}.json")
            for line in targets(figure, json.loads(file.read_text()))
        ]
        self.assertIn("block of rank 0 pack device 1 MiB mpich, 2 GPUs", [row for _, row, *_ in shown])


class FairShares(unittest.TestCase):
    def test_of_time_leave_nothing_and_give_short_ones_what_they_take(self):
        self.assertEqual(45, fair_share(100, [10, 200, 200]))
        self.assertEqual(45, fair_share(100, [200, 10, 200]))
        self.assertEqual(50, fair_share(100, [200, 50]))
        self.assertEqual(20, fair_share(100, [10, 20]))


if __name__ == "__main__":
    unittest.main()
