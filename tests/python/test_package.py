# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import ast
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

import typewarp as tw

PACKAGE = pathlib.Path(tw.__file__).parent
INSTALLED = (PACKAGE / "bin").exists()


def python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ | environment).stdout


def test_import_is_quick(tmp_path):
    """60 ms are wanted where http.client takes as long: both of one machine, compiled before, the least of five, of the processor."""

    def seconds(module):
        code = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
        return [float(python(code, PYTHONPYCACHEPREFIX=str(tmp_path), PYTHONDONTWRITEBYTECODE="")) for _ in range(6)][1:]

    assert min(seconds("typewarp")) <= min(seconds("http.client"))


def test_import_brings_no_library():
    """Nor modules of Python's own that take as long as all of the package; what `site` imports is no business of this."""
    modules = python("import sys; before = set(sys.modules); import typewarp; print(*set(sys.modules) - before)").split()
    assert not {"numpy", "mpi4py", "torch", "cupy", "typing", "re", "contextlib", "asyncio"} & {name.partition(".")[0] for name in modules}
    assert sum(name.startswith("typewarp.") for name in modules) <= 4, modules


def test_import_does_not_load_the_gpus_driver():
    assert "libcuda.so" not in python("import typewarp; print(open('/proc/self/maps').read())")


def test_without_mpi4py_messages_say_what_they_need():
    """And nothing else does."""
    code = "import sys; sys.modules['mpi4py'] = None\nfrom typewarp import *\nimport typewarp as tw\nassert 'send' in dir(tw)\ntw.view(b'')\n"
    for name in ("send", "Session", "exchange([], [])", "halo"):
        told = subprocess.run([sys.executable, "-c", code + "tw." + name], capture_output=True, text=True)
        assert told.stderr.splitlines()[-1].startswith("ImportError: typewarp: messages need mpi4py"), told.stderr
    with pytest.raises(AttributeError, match="has no attribute 'sent'"):
        tw.sent


def test_every_public_name_has_a_description():
    for name in tw.__all__:
        assert name == "__version__" or getattr(tw, name).__doc__, name


def test_checkers_know_what_pack_returns():
    """By its overloads: nobody's type for a view, that of `x`, or that of `out`."""
    tree = ast.parse((PACKAGE / "_engine.py").read_text(encoding="utf-8"))
    overloads = [f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.name == "pack" and f.decorator_list]
    told = [[ast.unparse(f.args.args[0].annotation), ast.unparse(f.args.args[1].annotation), ast.unparse(f.returns)] for f in overloads]
    assert told == [["View", "None", "Any"], ["Array", "None", "Array"], ["Any", "Array", "Array"]]
    assert all(ast.unparse(f.decorator_list[0]) == "overload" and [a.arg for a in f.args.args] == ["x", "out", "stream"] for f in overloads)


def test_checkers_infer_what_pack_returns(tmp_path):
    """Where there is a checker of types."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("no mypy")
    (tmp_path / "program.py").write_text("import array\nimport typewarp as tw\nx = array.array('d', [1.0])\nreveal_type(tw.pack(x))\n"
                                         "reveal_type(tw.pack(tw.view(x), bytearray(8)))\n", encoding="utf-8")
    told = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "program.py"], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"MYPYPATH": str(PACKAGE.parent)}).stdout
    assert 'is "array.array[float]"' in told.replace("array.array[builtins.float]", "array.array[float]") and 'bytearray"' in told, told


def test_stubs_know_what_there_is():
    stub = (PACKAGE / "_core.pyi").read_text(encoding="utf-8")
    assert (PACKAGE / "py.typed").exists()
    for name in (n for n in vars(tw.View) if not n.startswith("_")):
        assert re.search(rf"def {name}\(", stub), name
    if list(PACKAGE.glob("_with_*.so")):
        assert "def isend(" in (PACKAGE / "_with_mpi.pyi").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["_core.pyi", "_with_mpi.pyi"])
def test_stubs_are_those_of_the_repository(name):
    if not (PACKAGE / name).exists():
        pytest.skip("needs an MPI")
    kept = pathlib.Path(__file__).parents[2] / "python/typewarp" / name  # tools/site.sh reads it, for which nothing is built
    assert kept.read_text(encoding="utf-8") == (PACKAGE / name).read_text(encoding="utf-8"), f"copy {PACKAGE / name} to {kept}"


def test_the_version_is_that_of_the_headers():
    headers = sorted((pathlib.Path(__file__).parents[2] / "include/typewarp").glob("version.h*"))  # of C, of C++
    text = "".join(header.read_text(encoding="utf-8") for header in headers)
    numbers = re.findall(r"^#define TYPEWARP_VERSION_[A-Z]+ (\d+)$", text, re.MULTILINE)
    assert tw.__version__ == ".".join(numbers)


@pytest.mark.skipif(not INSTALLED, reason="the package is used from a build folder, without what a wheel has beside it")
def test_the_program_of_the_wheel():
    told = subprocess.run([sys.executable, "-m", "typewarp", "--help"], capture_output=True, text=True)
    assert told.returncode == 0 and "run" in told.stdout
