#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""tools/record.py keeps what is finished, goes on with what was cut, tells what failed or cannot be run, and mixes no
sources; tools/gpu_tests.py adds to a result what it did not come to; and tools/readme.py finds documents that show
older results and do not say so."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tools")]
import readme  # noqa: E402
from parts import machine, source  # noqa: E402

# A benchmark of four rows, of which it comes to so many as its first argument says; on with --resume.
BENCHMARK = f"""
import json, pathlib, sys
most, output = int(sys.argv[1]), pathlib.Path(sys.argv[3])
if most == 0:
    sys.exit("it broke")
rows = json.loads(output.read_text())["rows"] if "--resume" in sys.argv else []
rows += [{{"case": str(len(rows) + i)}} for i in range(min(most, 4 - len(rows)))]
output.write_text(json.dumps({{"machine": {machine()!r}, "source": {source()!r}, "failed": [],
                              "complete": len(rows) == 4,
                              "stopped": [] if len(rows) == 4 else ["after row " + str(len(rows))], "rows": rows}}))
pathlib.Path(str(output) + ".runs").open("a").write("x")
"""
# Two tests are labelled gpu. It comes to the first of those that it is told to run, and cuts the second.
CTEST = """
import json, pathlib, sys
label = [{"name": "LABELS", "value": ["gpu"]}]
names = {"host": [], "first": label, "second": label}
if "--show-only=json-v1" in sys.argv:
    print(json.dumps({"tests": [{"name": name, "properties": found} for name, found in names.items()]}))
else:
    told = [list(names)[int(number) - 1] for number in sys.argv[sys.argv.index("-I") + 1].split(",")[3:]]
    cases = [f'<testcase name="{told[0]}" status="run" time="1"/>']
    cases += [f'<testcase name="{name}" status="fail" time="2"><failure message="Timeout"/></testcase>' for name in told[1:]]
    pathlib.Path(sys.argv[sys.argv.index("--output-junit") + 1]).write_text("<testsuite>" + "".join(cases) + "</testsuite>")
"""


class Recording(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.folder = self.scratch / "results"
        (self.scratch / "benchmark.py").write_text(BENCHMARK, encoding="utf-8")

    def piece(self, name, rows, **more):
        lines = {
            "name": name,
            "command": f"{{python}} {self.scratch}/benchmark.py {rows} {{seconds}} {{output}}",
            "seconds": 5,
            **more,
        }
        with (self.scratch / "pieces.toml").open("a", encoding="utf-8") as file:
            file.write("[[piece]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items()))

    def record(self, *options):
        ran = subprocess.run(
            [
                sys.executable,
                "-B",
                ROOT / "tools/record.py",
                "--pieces",
                self.scratch / "pieces.toml",
                "--folder",
                self.folder,
                *map(str, options),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        return ran.returncode, ran.stdout + ran.stderr

    def states(self):
        record = json.loads((self.folder / "record.json").read_text(encoding="utf-8"))
        self.assertEqual(record["source"], source())
        return {entry["piece"]: entry["state"] for entry in record["pieces"]}

    def runs(self, name):
        return (self.folder / f"{name}.json.runs").stat().st_size

    def test_keeps_what_is_finished_and_goes_on_with_what_was_cut(self):
        self.piece("whole", 4)
        self.piece("in_turns", 2, resume=["--resume"])
        status, output = self.record()
        self.assertEqual(({"whole": "finished", "in_turns": "cut"}, 0), (self.states(), status))
        self.assertIn("in_turns: cut: after row 2\n", output)
        self.assertIn("call again for the rest", output)
        self.assertIn("record.json: complete", self.record()[1])
        self.assertEqual([1, 2], [self.runs("whole"), self.runs("in_turns")])
        self.record("--again", "--only", "whole")
        self.assertEqual(2, self.runs("whole"))

    def test_keeps_the_fuller_of_two_that_were_cut(self):
        self.piece("cut", 3)
        self.record()
        text = (self.scratch / "pieces.toml").read_text(encoding="utf-8")
        (self.scratch / "pieces.toml").write_text(text.replace("benchmark.py 3", "benchmark.py 1"), encoding="utf-8")
        self.record()
        self.assertEqual(
            (2, 3), (self.runs("cut"), len(json.loads((self.folder / "cut.json").read_text(encoding="utf-8"))["rows"]))
        )

    def test_begins_only_what_the_time_suffices_for(self):
        self.piece("first", 4)
        self.piece("second", 4)
        self.record("--seconds", 5)
        self.assertEqual({"first": "finished", "second": "missing"}, self.states())
        self.record("--seconds", 5)
        self.assertEqual({"first": "finished", "second": "finished"}, self.states())

    def test_tells_what_fails_and_what_cannot_be_run(self):
        self.piece("broken", 0)
        self.piece("large", 4, gpus=99)
        self.piece("elsewhere", 4, needs=["no-such-program"])
        status, output = self.record()
        self.assertEqual(
            (1, {"broken": "failed", "large": "cannot be run here", "elsewhere": "cannot be run here"}),
            (status, self.states()),
        )
        self.assertIn("broken: failed: exit status 1", output)
        self.assertIn("large: cannot be run here: no GPU" if not machine()["gpus"] else "of 99 GPUs", output)
        self.assertIn("elsewhere: cannot be run here: no no-such-program", output)

    def test_mixes_no_sources(self):
        self.piece("whole", 4)
        self.piece("other", 4)
        self.folder.mkdir()
        (self.folder / "other.json").write_text(
            json.dumps({"machine": machine(), "source": "0" * 40, "rows": []}), encoding="utf-8"
        )
        status, output = self.record()
        self.assertEqual((1, False), (status, (self.folder / "whole.json").exists()))
        self.assertIn("of other sources or machines: other.json: --again takes them away", output)
        self.assertEqual(0, self.record("--again")[0])
        self.assertEqual({"whole": "finished", "other": "finished"}, self.states())

    def test_documents_say_that_results_are_older(self):
        (self.scratch / "results").mkdir()
        document = self.scratch / "document.md"
        for of, text, found in (
            (source(), "", []),
            ("0" * 40, "", ["x.json"]),
            (f"{'0' * 40}-dirty", "", ["x.json"]),
            ("0" * 40, "<!-- results older -->", []),
            ("0" * 40, "[days](../benchmarks.md#when-it-was-measured)", []),
        ):
            (self.scratch / "results/x.json").write_text(json.dumps({"source": of}), encoding="utf-8")
            document.write_text(f"It takes [3 us](results/x.json). {text}", encoding="utf-8")
            self.assertEqual(found, readme.older_results(document), (of, text))

    def test_adds_tests_that_did_not_run(self):
        (self.scratch / "ctest").write_text(f"#!{sys.executable}\n{CTEST}", encoding="utf-8")
        (self.scratch / "ctest").chmod(0o755)
        environment = {
            **os.environ,
            "PATH": f"{self.scratch}:{os.environ['PATH']}",
            "BASH_FUNC_ctest%%": f'() {{ {self.scratch}/ctest "$@"; }}',
        }
        output = self.scratch / "tests.json"
        found = []
        for options in ([], ["--resume"]):
            subprocess.run(
                [sys.executable, "-B", ROOT / "tools/gpu_tests.py", "--seconds", "5", "--output", output, *options],
                env=environment,
                capture_output=True,
                check=False,
            )
            result = json.loads(output.read_text(encoding="utf-8"))
            found.append((result["complete"], result["totals"]["passed"], result["not_run"]))
        self.assertEqual([(False, 1, ["second"]), (True, 2, [])], found)


if __name__ == "__main__":
    unittest.main()
