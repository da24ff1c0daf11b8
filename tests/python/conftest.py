# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Settings of all Python tests, and a summary that tools/test_report.py counts."""
import sys

import hypothesis

# Examples by a fixed seed: a failure is the change's, not the day's. HYPOTHESIS_PROFILE=random looks further.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=80)
hypothesis.settings.register_profile("random", deadline=None, max_examples=5000)
hypothesis.settings.load_profile("fixed")


def pytest_configure(config):
    if config.getoption("--hypothesis-profile"):
        hypothesis.settings.load_profile(config.getoption("--hypothesis-profile"))


def pytest_terminal_summary(terminalreporter):
    MPI = sys.modules.get("mpi4py.MPI")
    if MPI is not None and MPI.COMM_WORLD.Get_rank() > 0:
        return  # all ranks run the same tests
    reports = {kind: terminalreporter.stats.get(kind, []) for kind in ("passed", "failed", "error", "skipped")}
    counts = {"PASSED": len(reports["passed"]), "FAILED": len(reports["failed"]) + len(reports["error"]), "SKIPPED": len(reports["skipped"])}
    for report in reports["skipped"]:
        terminalreporter.write_line(f"skipped: {report.longrepr[2].removeprefix('Skipped: ')}")
    terminalreporter.write_line(f"[==========] {sum(counts.values())} tests from Python ran.")
    for word, count in counts.items():
        terminalreporter.write_line(f"[ {word:^8} ] {count} tests.")
