#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""`typewarp run` with launchers that print their words and what is preloaded into them.

usage: fake_launchers.py <typewarp> <libtypewarp_mpi.so>
"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

typewarp, library = sys.argv[1:3]
FAKE = """#!/bin/sh
if [ "$1" = --version ]; then echo "%s"; exit; fi
echo "preloaded: $LD_PRELOAD"
for word; do echo "word: $word"; done
exit 7
"""


class FakeLaunchers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, name, version=""):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(FAKE % version, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def run_it(self, *words, program=typewarp, cwd=None, **environment):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TYPEWARP_") and name != "LD_PRELOAD"}
        return subprocess.run([program, "run", *words], capture_output=True, text=True, env=kept | environment, cwd=cwd, check=False)

    def words(self, *words, **environment):
        """What the launcher was given; it must not have the library itself."""
        done = self.run_it(*words, **environment)
        self.assertEqual(7, done.returncode, done)
        first, *rest = done.stdout.splitlines()
        self.assertEqual("preloaded: " + environment.get("LD_PRELOAD", ""), first)
        return [line.removeprefix("word: ") for line in rest]

    def test_each_family_by_what_it_says_of_itself(self):
        self.assertEqual(["-x", f"LD_PRELOAD={library}", "-n", "2", "./a", "b c"],
                         self.words("--", self.program("mpirun", "mpirun (Open MPI) 5.0.11"), "-n", "2", "./a", "b c"))
        self.assertEqual(["-genv", "LD_PRELOAD", library, "-n", "2", "./a"],
                         self.words("--", self.program("mpiexec", "HYDRA build details:"), "-n", "2", "./a"))
        self.assertEqual([f"--export=ALL,LD_PRELOAD={library}", "./a"], self.words("--", self.program("srun"), "./a"))

    def test_options_and_own_variables_reach_the_ranks(self):
        launcher = self.program("prun")
        self.assertEqual(["-x", f"LD_PRELOAD={library}", "-x", "TYPEWARP_TAKE=all", "-x", "TYPEWARP_STATS=1", "./a"],
                         self.words("--stats", launcher, "./a", TYPEWARP_TAKE="all", TYPEWARP_STATS="0"))

    def test_own_preload_is_kept(self):
        own = shutil.copy(library, self.folder.name)
        self.assertEqual(["-x", f"LD_PRELOAD={library}:{own}", "./a"], self.words("--", self.program("prun"), "./a", LD_PRELOAD=own))

    def test_programs_of_python_hand_over_memory_of_gpus(self):
        """By the switch of a package that reads the environment, unless the user says something else."""
        launcher, script = self.program("prun"), self.program("script.py")
        pathlib.Path(script).write_text("#!/usr/bin/env python3\n", encoding="utf-8")
        switch = ["-x", "PYLOPS_MPI_CUDA_AWARE=1"]
        for program in (["python3", "a.py"], [script], ["env", sys.executable, "-m", "a"]):
            self.assertEqual(["-x", f"LD_PRELOAD={library}", *switch, "-n", "2", *program], self.words("--", launcher, "-n", "2", *program))
        self.assertEqual(["-x", f"LD_PRELOAD={library}", script], self.words("--", launcher, script, PYLOPS_MPI_CUDA_AWARE="0"))
        self.assertEqual(["-x", f"LD_PRELOAD={library}", "-x", "PYLOPS_MPI_CUDA_AWARE=0", script],
                         self.words("--", launcher, "-x", "PYLOPS_MPI_CUDA_AWARE=0", script))
        self.assertEqual(["-x", f"LD_PRELOAD={library}", "-x", "TYPEWARP_DISABLE=1", script], self.words("--", launcher, script, TYPEWARP_DISABLE="1"))

    def test_programs_with_a_sanitizer_start(self):
        """Its runtime must come first: that of the program itself, and what the user preloads."""
        compiler = shutil.which("cc")
        source = pathlib.Path(self.folder.name, "program.c")
        source.write_text('#include <stdio.h>\n#include <stdlib.h>\nint main() { puts(getenv("LD_PRELOAD")); return 7; }\n', encoding="utf-8")
        for options, runtime in [(["-fsanitize=address,undefined"], "libasan.so"), (["-fsanitize=thread"], "libtsan.so"),
                                 (["-fsanitize=address", "-static-libasan"], None), (["-fsanitize=undefined"], "libubsan.so")]:
            program = str(pathlib.Path(self.folder.name, "program"))
            if compiler is None or subprocess.run([compiler, *options, str(source), "-o", program], capture_output=True, check=False).returncode:
                self.skipTest("no compiler with sanitizers")
            done = self.run_it("--", program, ASAN_OPTIONS="detect_leaks=0")
            self.assertEqual(7, done.returncode, (options, done))
            entries = done.stdout.strip().split(":")
            self.assertEqual(library, entries[-1])
            self.assertTrue(len(entries) == 1 if runtime is None else entries[0].startswith(runtime), entries)
            wrapped = self.run_it("--", "env", program, ASAN_OPTIONS="detect_leaks=0")
            self.assertEqual((7, done.stdout), (wrapped.returncode, wrapped.stdout), wrapped.stderr)

    def test_broken_programs_are_read_to_their_end(self):
        """What is no program of this machine needs nothing, whatever its bytes say."""
        whole = pathlib.Path(typewarp).read_bytes()
        for size in (0, 3, 20, 64, 100, 700, 4096):
            path = pathlib.Path(self.program("broken"))
            path.write_bytes(whole[:size])
            self.assertEqual(f"env LD_PRELOAD={library} {path}\n", self.run_it("--print", "--", str(path)).stdout)
        path.write_bytes(whole[:0x20] + b"\xff" * 8 + whole[0x28:0x36] + b"\x38\x00\xff\xff" + whole[0x3a:4096])  # segments anywhere
        self.assertEqual(f"env LD_PRELOAD={library} {path}\n", self.run_it("--print", "--", str(path)).stdout)

    def test_print_runs_nothing(self):
        launcher = self.program("srun")
        done = self.run_it("--print", "--", launcher, "./a", "b c")
        self.assertEqual((0, f"{launcher} --export=ALL,LD_PRELOAD={library} ./a 'b c'\n"), (done.returncode, done.stdout))

    def test_without_launcher_the_program_has_it(self):
        done = self.run_it("--", self.program("application"), "x")
        self.assertEqual((7, f"preloaded: {library}\nword: x\n"), (done.returncode, done.stdout))

    def test_exit_status_and_errors(self):
        done = self.run_it("--", self.program("ibrun"), "-n", "2", "no-such-program")
        self.assertEqual(2, done.returncode)
        self.assertIn(f"env LD_PRELOAD={library}", done.stderr)
        self.assertEqual(2, self.run_it().returncode)

    def test_says_what_cannot_be_run(self):
        plain = pathlib.Path(self.program("plain"))
        plain.chmod(0o644)
        for words, status, text in [
            (["no-such-program"], 127, "'no-such-program': there is no such program on the PATH"),
            (["mpirun", "-n", "2", "./a"], 127, "'mpirun': there is no such program on the PATH"),
            (["./mpirun", "-n", "2", "./a"], 127, "'./mpirun': No such file or directory"),
            ([str(plain)], 126, f"'{plain}': Permission denied"),
            ([self.folder.name], 126, f"'{self.folder.name}': Is a directory"),
            ([""], 127, "'': there is no such program on the PATH"),
        ]:
            for option in [["--print"], []]:
                done = self.run_it(*option, "--", *words, PATH=self.folder.name)
                self.assertEqual((status, "", f"typewarp run: {text}\n"), (done.returncode, done.stdout, done.stderr))

    def test_runs_what_a_shell_runs(self):
        script = pathlib.Path(self.program("script"))
        script.write_text('echo "preloaded: $LD_PRELOAD"\n', encoding="utf-8")  # for which nobody is named
        for word, folder, path in [("./script", self.folder.name, "/bin:/usr/bin"), ("script", "/", f"{self.folder.name}:/bin:/usr/bin"),
                                   ("script", self.folder.name, ":/bin:/usr/bin")]:
            done = self.run_it("--", word, cwd=folder, PATH=path)
            self.assertEqual((0, f"preloaded: {library}\n", ""), (done.returncode, done.stdout, done.stderr))

    def test_library_is_found_from_the_program(self):
        moved = pathlib.Path(self.folder.name, "bin")
        moved.mkdir()
        copy = shutil.copy(typewarp, moved)
        self.assertIn("no libtypewarp_mpi.so", self.run_it("--", "true", program=copy).stderr)
        (moved.parent / "lib").mkdir()
        shutil.copy(library, moved.parent / "lib")
        done = self.run_it("--print", "--", "true", program=copy)
        self.assertEqual(f"env LD_PRELOAD={moved.parent}/lib/libtypewarp_mpi.so true\n", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
