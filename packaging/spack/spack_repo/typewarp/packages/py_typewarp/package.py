# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PyTypewarp(PythonPackage, CudaPackage):
    """Packs, unpacks, copies and sends noncontiguous GPU and host data, in Python. Includes everything that `typewarp` installs."""

    license("BSD-3-Clause")

    # There is no archive to download yet: `spack develop --path <clone> py-typewarp@=0.3.0` in an environment builds a clone.
    version("0.3.0")

    variant("mpi", default=True, description="Messages, exchanges and halos, and the preload library, for this MPI")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.30:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.10:", type=("build", "link", "run"))
    depends_on("py-scikit-build-core@1.1:", type="build")
    depends_on("py-nanobind@3.1:", type="build")
    depends_on("py-typing-extensions", type="build", when="^python@:3.10")
    depends_on("nlohmann-json", type="build")
    depends_on("cuda@12.8:", when="+cuda")
    depends_on("mpi", when="+mpi")
    depends_on("py-mpi4py@4:", when="+mpi", type="run")

    conflicts("%gcc@:11", msg="needs C++20 as supported by GCC 12 and later")
    conflicts("cuda_arch=none", when="+cuda", msg="name the architectures: cuda_arch=80,90")

    def config_settings(self, spec, prefix):
        mpi = spec["mpi"] if "+mpi" in spec else None
        settings = {
            "cmake.define.TYPEWARP_MPI": f"{mpi.name.replace('-', '_')}={mpi.mpicc}" if mpi else "OFF",
            "cmake.define.TYPEWARP_CUDA": "ON" if "+cuda" in spec else "OFF",
        }
        if "+cuda" in spec:
            settings["cmake.define.TYPEWARP_CUDA_ARCHS"] = ";".join(spec.variants["cuda_arch"].value)
        return settings
