# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The programs in examples/, imported, so that tests see what they compute."""
import importlib.util
import pathlib
import sys

FOLDER = pathlib.Path(__file__).parents[3] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(module, monkeypatch, *words):
    """main(), with words of a command line. Its status, and 0 where it tells none."""
    monkeypatch.setattr(sys, "argv", [f"{module.__name__}.py", *map(str, words)])
    try:
        module.main()
    except SystemExit as end:
        return end.code
    return 0
