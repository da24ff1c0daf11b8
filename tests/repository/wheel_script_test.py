#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What tools/wheel.sh builds for and says meanwhile, where pip and the MPIs are stand-ins."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
PIP = """#!/bin/sh
echo "$@"
case "$*" in
  *auditwheel*) echo wheel >build/dist/typewarp-0.whl ;;
  *zipfile*) echo "$listed" ;;
  *) mkdir -p build/dist/raw; echo "  [7/9] Building"; sleep 1; echo wheel >build/dist/raw/typewarp-0.whl ;;
esac
"""


class WheelScript(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.root = pathlib.Path(held.name)
        shutil.copytree(TOOLS, self.root / "tools")
        self.program(".tools/python-tests/bin/python", PIP)
        for folder in (".tools/mpich/bin", "own"):
            self.program(f"{folder}/mpicc", "#!/bin/sh\necho '#define MPICH_NUMVERSION 50000002'\n")
        # All that the script uses; an MPI of this machine may lie beside it.
        (self.root / "programs").mkdir()
        for name in ("bash", "cat", "dirname", "env", "grep", "head", "mkdir", "nproc", "rm", "sed", "sh", "sleep", "sort", "stat", "tail", "tr"):
            (self.root / "programs" / name).symlink_to(shutil.which(name))

    def program(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def built(self, *words, folder="", **environment):
        """(status, what was said, for which MPI, whether for the standard ABI)"""
        path = [str(self.root / folder)] * bool(folder) + [str(self.root / "programs")]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TYPEWARP_")}
        done = subprocess.run([self.root / "tools/wheel.sh", *words], capture_output=True, text=True, timeout=60, check=False,
                              env={**kept, "PATH": ":".join(path), "progress_seconds": "0.3", **environment})
        log = self.root / "build/logs/wheel.log"
        said = log.read_text(encoding="utf-8") if log.exists() else ""
        return done.returncode, done.stdout + done.stderr, re.findall("define.TYPEWARP_MPI=(\\S*)", said), re.findall("STANDARD_ABI=(\\S*)", said)

    def test_the_mpi_is_one_where_one_is_named_or_there(self):
        tools = f"mpich={self.root}/.tools/mpich/bin/mpicc"
        for words, folder, mpi in [(["--mpi", "mpich"], "own", [tools]), (["--mpi", "lab=/opt/mpicc"], "own", ["lab=/opt/mpicc"]),
                                   (["--mpi", "none"], "own", ["OFF"]), ([], "own", [f"mpich={self.root}/own/mpicc"])]:
            status, text, told, standard = self.built(*words, folder=folder)
            self.assertEqual((0, mpi, ["OFF"]), (status, told, standard), text)
        for folder, words in (("own", ["--mpi", "all"]), ("", []), (".tools/mpich/bin", [])):
            status, text, told, standard = self.built(*words, folder=folder)
            self.assertEqual((0, [], []), (status, told, standard), text)
        self.assertEqual((["a=/x;b=/y"], []), self.built(folder="own", TYPEWARP_MPI="a=/x;b=/y")[2:])

    def test_says_how_far_it_is_and_where_the_log_lies(self):
        status, text, *_ = self.built("--mpi", "mpich")
        self.assertEqual(0, status, text)
        self.assertIn("all output goes to build/logs/wheel.log", text)
        self.assertIn("7/9 compiled after", text)

    def test_says_whether_it_has_the_part_for_jax(self):
        for listed, said in (("typewarp/_core.abi3.so typewarp/jax.py", True), ("typewarp/_jax.abi3.so", False)):
            status, text, *_ = self.built("--mpi", "mpich", listed=listed)
            self.assertEqual((0, said), (status, "without typewarp.jax" in text), text)

    def test_another_mpi_is_refused(self):
        status, text, *_ = self.built("--mpi", "lam")
        self.assertEqual(1, status)
        self.assertIn("--mpi lam: must be openmpi, mpich, <name>=<path of mpicc>, none or all", text)


if __name__ == "__main__":
    unittest.main()
