# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What tools/wheel.sh has built, as a user has it: see conftest.py."""
import io
import os
import pathlib
import re
import zipfile

from elftools.elf.elffile import ELFFile

ROOT = pathlib.Path(__file__).parents[3]
GUIDE = "".join((ROOT / "docs/guide" / name).read_text(encoding="utf-8") for name in ("python.md", "python-messages.md"))
EXAMPLES = re.findall(r"^```python\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
VERSION = ".".join(re.findall(r"^#define TYPEWARP_VERSION_[A-Z]+ (\d+)$", (ROOT / "include/typewarp/version.h").read_text(), re.MULTILINE))

# A row of one array becomes a column of another, by MPI's own words: what `typewarp run` takes part in.
PROGRAM = """
import numpy
from mpi4py import MPI
comm, x = MPI.COMM_WORLD, numpy.zeros((512, 512))
column = MPI.DOUBLE.Create_vector(512, 1, 512).Commit()
if comm.rank == 0:
    comm.Send(numpy.arange(512.0), 1)
else:
    comm.Recv([x, 1, column], 0)
    assert (x[:, 0] == numpy.arange(512)).all()
print("well")
"""


def test_holds_every_part(contents, mpis):
    abis = [name for name in mpis if name in ("openmpi", "mpich", "abi")]  # other names do not tell it
    parts = ["__init__.py", "py.typed", "_core.pyi", "bin/typewarp", "include/typewarp.h", "include/typewarp/engine.hpp",
             "lib/cmake/typewarp/typewarpConfig.cmake", "lib/libtypewarp.so.0", "lib/nixl/libplugin_TYPEWARP.so", *(f"lib/libtypewarp-{mpi}.so.0" for mpi in mpis)]
    if mpis:
        parts += ["include/typewarp_mpi.h", "include/typewarp/mpi.hpp"]
    if abis:
        parts += ["_with_mpi.pyi", "lib/libtypewarp_mpi.so", *(f"lib/libtypewarp_mpi_{abi}.so" for abi in abis)]
    assert [part for part in parts if part not in contents] == []
    for module in ("_core", *(f"_with_{abi}" for abi in abis)):
        assert any(name.startswith(module + ".") and name.endswith(".so") for name in contents), module


def test_holds_every_licence(wheel):
    """Of ours, and of all that is compiled or linked into it."""
    with zipfile.ZipFile(wheel) as file:
        licences = {name.partition(".dist-info/licenses/")[2]: file.read(name) for name in file.namelist()}
    wanted = ["LICENSE", *(f"packaging/licenses/{name}.txt" for name in
                           ("cli11", "cuda-runtime", "gcc-runtime", "nanobind", "nlohmann-json", "robin-map"))]
    for name in wanted:
        assert licences.get(name) == (ROOT / name).read_bytes(), name


def test_holds_no_library_of_others(contents):
    """No MPI, no driver, no runtime of C++ or CUDA: auditwheel would have put them into typewarp.libs."""
    assert [name for name in contents if re.search(r"typewarp\.libs|libmpi|libcuda|libstdc|libgcc", name)] == []


def test_the_code_for_gpus_is_there_once(contents):
    """Ten libraries use it."""
    large = [name for name, info in contents.items() if info.file_size > 6_000_000]
    assert len(large) <= 1, large


def test_no_file_names_a_folder_of_the_machine_that_built_it(wheel):
    with zipfile.ZipFile(wheel) as file:
        for name in file.namelist():
            content = file.read(name)
            assert str(ROOT).encode() not in content, name
            if content[:4] != b"\x7fELF":
                continue
            dynamic = ELFFile(io.BytesIO(content)).get_section_by_name(".dynamic")
            for tag in dynamic.iter_tags():
                for folder in (getattr(tag, "runpath", None) or getattr(tag, "rpath", "")).split(":"):
                    assert folder == "" or folder.startswith("$ORIGIN"), (name, folder)


def test_the_tag_tells_the_oldest_c_library(wheel):
    """2.28 where it was built with those of 2.34 to Debian 12's, whose symbols the build knows how to avoid; else at most its own."""
    own = int(os.confstr("CS_GNU_LIBC_VERSION").split(".")[1])
    (least,) = {int(minor) for minor in re.findall(r"manylinux_2_(\d+)_", wheel.name)}
    assert least <= (28 if 34 <= own <= 36 else own)


def test_import_is_quick(environment):
    """60 ms are wanted where http.client takes as long: the least of five each, of the processor."""

    def seconds(module):
        code = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
        return min(float(environment.python(code)) for _ in range(5))

    assert seconds("typewarp") <= seconds("http.client")


def test_import_loads_no_driver(environment):
    """It is what makes a context."""
    assert environment.python("import typewarp; print('libcuda.so' in open('/proc/self/maps').read())").strip() == "False"


def test_the_first_example_of_the_guide(environment):
    environment.run("python", environment.file("first.py", EXAMPLES[0]))


def test_the_examples_with_messages(environment, mpi):
    """All in one program of two ranks."""
    of_host = [code for code in EXAMPLES if "mpi4py" in code and "cuda" not in code]
    assert len(of_host) >= 4
    environment.run("mpiexec", "-n", 2, "python", "-m", "mpi4py", environment.file("messages.py", "\n".join(of_host)))


def test_the_program_typewarp(environment):
    for command in (["typewarp"], ["python", "-m", "typewarp"]):
        assert VERSION in environment.run(*command, "--version")
    assert VERSION in environment.run("typewarp", "info")


def test_an_unchanged_program(environment, mpi):
    told = environment.run("typewarp", "run", "--stats", "--", "mpiexec", "-n", 2, "python", environment.file("program.py", PROGRAM))
    assert told.count("well") == 2
    assert "MPI_Recv" in told, told


def test_cmake_finds_it(environment, mpis_of_pypi):
    """The consumer of an installation, with the wheel's package and the environment's own MPI."""
    folder = environment.python("import typewarp; print(typewarp.get_cmake_dir())")
    assert (ROOT / environment.python("import typewarp; print(typewarp.get_include())") / "typewarp.h").exists()
    mpis = mpis_of_pypi[:1]
    environment.run("cmake", "-G", "Ninja", "-S", ROOT / "tests/repository/consumer", "-B", "consumer", f"-Dtypewarp_DIR={folder}",
                    f"-DMPIS={','.join(mpis)}")
    environment.run("cmake", "--build", "consumer")
    for program in ("consumer", "consumer_in_c"):
        environment.run(environment.folder / "consumer" / program)
    for program in (f"{kind}_{mpi}" for mpi in mpis for kind in ("consumer", "consumer_in_c")):
        environment.run("mpiexec", "-n", 2, environment.folder / "consumer" / program)
