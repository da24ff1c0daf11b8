#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's own tests of process groups, those of the installed package, with the back end "typewarp" in the place of gloo or nccl. Tests that
fail run once more with the back end itself. Says DIFFERS of those that pass there, and exits with 1 if there is any:

    python3 tests/python/pytorch/torch_own_tests.py gloo --ranks 3
    python3 tests/python/pytorch/torch_own_tests.py nccl --ranks 2 --like all_to_all

Needs the package expecttest, as PyTorch's tests do.
"""
import argparse
import collections
import contextlib
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import unittest

# In a process that runs tests, and in those that it starts: whether the groups are ours.
IN_PLACE = "TYPEWARP_TEST_IN_PLACE"
# They ask for a group of the very name. PyTorch has monitored barriers in no other one.
OF_NAMES = re.compile("test_get_backend|test_ddp_logging_data_.pu|test_monitored_barrier_gloo(_subgroup)?")


def _in_place_of(backend):
    """Groups that ask for this back end by name get ours."""
    import torch.distributed as dist

    import typewarp.torch  # noqa: F401
    original = dist.init_process_group

    def init_process_group(*arguments, **keywords):
        if keywords.get("backend") == backend:
            keywords["backend"] = "typewarp"
        return original(*arguments, **keywords)
    dist.init_process_group = init_process_group


if IN_PLACE in os.environ:
    if os.environ[IN_PLACE] == "1":
        _in_place_of(os.environ["BACKEND"])
    import torch
    from torch.testing._internal.distributed.distributed_test import DistributedTest, TestDistBackend

    class OwnTests(TestDistBackend, DistributedTest._DistTestBase):
        def setUp(self):
            super().setUp()
            # A second for each process less. With GPUs there may be a context by now, which processes do not share.
            kind = "spawn" if torch.cuda.is_available() else "fork"
            self._start_processes(multiprocessing.get_context(kind).Process)

        def _check_return_codes(self, *arguments):
            """PyTorch looks at the first process alone."""
            super()._check_return_codes(*arguments)
            codes = {process.exitcode for process in self.processes}
            self.assertEqual(len(codes), 1, f"the processes ended with {codes}")

    class Told(unittest.TextTestResult):
        def stopTest(self, test):
            failed = [found for found, _ in self.failures + self.errors]
            skipped = [found for found, _ in self.skipped]
            print("\nENDED", test._testMethodName, "failed" if test in failed else "skipped" if test in skipped else "ok", flush=True)
            super().stopTest(test)


def _run(names):
    unittest.TextTestRunner(resultclass=Told, stream=sys.stdout).run(unittest.TestSuite(map(OwnTests, names)))


@contextlib.contextmanager
def _lines(arguments, in_place, *words):
    """What another process of this program writes, whose groups are of one kind."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("barrier", "init_dir"):
            os.mkdir(os.path.join(folder, name))
        environment = {**os.environ, "BACKEND": arguments.backend, "WORLD_SIZE": str(arguments.ranks), "TEMP_DIR": folder,
                       IN_PLACE: str(int(in_place)), "OMP_NUM_THREADS": "1", "DISTRIBUTED_TESTS_DEFAULT_TIMEOUT": str(arguments.seconds)}
        command = [sys.executable, os.path.abspath(__file__), *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment) as process:
            yield process.stdout


def _ended(arguments, in_place, names):
    """How tests ended, in a word each, and all that they wrote."""
    ended, told = {}, []
    with _lines(arguments, in_place, "--run", *names) as lines:
        for line in lines:
            told.append(line)
            if line.startswith("ENDED "):
                _, name, how = line.split()
                ended[name] = how
                print(f"{how:8}{name}" + ("" if in_place else f" with {arguments.backend}"), flush=True)
    return ended, "".join(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("backend", choices=["gloo", "nccl"])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--like", default="", help="a part of the tests' names, as an expression")
    parser.add_argument("--seconds", type=int, default=100, help="time for one test")
    arguments = parser.parse_args()
    with _lines(arguments, False, "--list") as lines:
        all_names = [line.strip() for line in lines if line.startswith("test_")]
    names = [name for name in all_names if re.search(arguments.like, name) and not OF_NAMES.fullmatch(name)]
    if not names:
        sys.exit(f"no test is like {arguments.like}")
    ended, told = _ended(arguments, True, names)
    others = [name for name in names if ended.get(name) != "ok"]  # failed, skipped, or behind one that ended the process
    theirs, _ = _ended(arguments, False, others) if others else ({}, "")
    differing = [name for name in others if theirs.get(name, "no end") != ended.get(name, "no end") or name not in ended]
    if differing:
        print(told)
    for name in others:
        if name in differing or ended[name] == "failed":
            print("DIFFERS" if name in differing else f"as with {arguments.backend}", name, ended.get(name, "no end"), theirs.get(name, "no end"))
    print("left out, as they ask for a name:", *filter(OF_NAMES.fullmatch, all_names))
    print(dict(collections.Counter(ended.values())), f"{len(differing)} differ")
    sys.exit(bool(differing))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--list"]:
        print(*(name for name in dir(OwnTests) if name.startswith("test_")), sep="\n")
    elif sys.argv[1:2] == ["--run"]:
        _run(sys.argv[2:])
    else:
        main()
