# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Typewarp(CMakePackage, CudaPackage):
    """Packs, unpacks, copies and sends noncontiguous GPU and host data: libraries for C++ and C, the preload library for
    unmodified MPI programs, and the program that starts them."""

    license("BSD-3-Clause")

    # There is no archive to download yet: `spack develop --path <clone> typewarp@=0.3.0` in an environment builds a clone.
    version("0.3.0")

    variant("mpi", default=True, description="Messages, exchanges and halos, and the preload library, for this MPI")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.30:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.10:", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.8:", when="+cuda")

    conflicts("%gcc@:11", msg="needs C++20 as supported by GCC 12 and later")
    conflicts("cuda_arch=none", when="+cuda", msg="name the architectures: cuda_arch=80,90")
    conflicts("platform=darwin")
    conflicts("platform=windows")

    generator("ninja")

    def cmake_args(self):
        mpi = self.spec["mpi"] if "+mpi" in self.spec else None
        args = [
            # The name becomes a suffix of CMake targets, so it must not contain hyphens.
            self.define("TYPEWARP_MPI", f"{mpi.name.replace('-', '_')}={mpi.mpicc}" if mpi else "OFF"),
            self.define_from_variant("TYPEWARP_CUDA", "cuda"),
            self.define("TYPEWARP_PYTHON", False),
            self.define("TYPEWARP_TESTS", False),
            self.define("TYPEWARP_APPS", False),
            self.define("TYPEWARP_BENCH", False),
        ]
        if "+cuda" in self.spec:
            args.append(self.define("TYPEWARP_CUDA_ARCHS", self.spec.variants["cuda_arch"].value))
        return args
