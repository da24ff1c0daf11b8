# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes in packaging/ say of the package what its own files say. They are built where conda and Spack are."""
import pathlib
import re
import types

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SPACK = "packaging/spack/spack_repo/typewarp/packages"
RECIPES = ["packaging/conda/recipe.yaml", SPACK + "/typewarp/package.py", SPACK + "/py_typewarp/package.py"]


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("recipe", [recipe for recipe in RECIPES if recipe.endswith(".py")])
def test_it_is_python(recipe):
    compile(text(recipe), recipe, "exec")


@pytest.mark.parametrize("recipe", RECIPES)
def test_options_of_the_build_are_there(recipe):
    known = "".join(path.read_text(encoding="utf-8") for path in [*ROOT.glob("cmake/*.cmake"), ROOT / "python/CMakeLists.txt"])
    for option in re.findall(r"TYPEWARP_[A-Z_]+", text(recipe)):
        assert re.search(rf"(option|set)\({option}\b", known), option


@pytest.mark.parametrize("recipe", ["packaging/conda/recipe.yaml", SPACK + "/py_typewarp/package.py"])
def test_it_asks_for_what_the_package_is_built_with(recipe):
    (wanted,) = re.findall(r"^requires = (.*)$", text("pyproject.toml"), re.MULTILINE)
    for name, least in re.findall(r'"([a-z-]+)>=([\d.]+)"', wanted):
        assert re.search(rf"(py-)?{name}( >=|@){re.escape(least)}", text(recipe)), name


def test_conda_makes_a_package_for_each_mpi():
    """Rendered by the program that builds it. Nothing is fetched."""
    rattler_build = pytest.importorskip("rattler_build", reason="no rattler_build (py-rattler-build)")
    folder = ROOT / "packaging/conda"
    variants = rattler_build.VariantConfig.from_file(folder / "variants.yaml")
    rendered = rattler_build.Stage0Recipe.from_file(folder / "recipe.yaml").render(variants)
    made = {variant.recipe.build.string.split("_")[1]: variant.recipe.requirements.to_dict() for variant in rendered}
    assert sorted(made) == ["mpich", "openmpi"]
    for mpi, needs in made.items():
        assert mpi in needs["host"] and mpi in needs["run"]
        assert any(need.startswith("cuda-nvcc_linux") and need.endswith(" 13.0.*") for need in needs["build"])


class StandIn:
    """What a recipe of Spack sees of Spack: directives do nothing, arguments of CMake are written as there."""
    define_from_variant = staticmethod(lambda option, variant: f"from {option} {variant}")

    @staticmethod
    def define(option, value):
        kind = "BOOL" if isinstance(value, bool) else "STRING"
        text = ";".join(value) if isinstance(value, (list, tuple)) else "ON" if value is True else "OFF" if value is False else value
        return f"-D{option}:{kind}={text}"


def of_spack(package, variants):
    """The class of a recipe, for an installation with these variants and an MPI."""
    names = {name: StandIn for name in ("CMakePackage", "CudaPackage", "PythonPackage")}
    names.update({name: lambda *_, **__: None for name in ("license", "version", "variant", "depends_on", "conflicts", "generator")})
    body = re.sub(r"^from .*$", "", text(f"{SPACK}/{package}/package.py"), flags=re.MULTILINE).replace("CMakePackage, CudaPackage", "CMakePackage")
    exec(body.replace("PythonPackage, CudaPackage", "PythonPackage"), names)  # noqa: S102

    class Spec(dict):
        def __contains__(self, word):
            return word[1:] in variants

    spec = Spec(mpi=types.SimpleNamespace(name="intel-oneapi-mpi", mpicc="/opt/mpicc"))
    spec.variants = {"cuda_arch": types.SimpleNamespace(value=("80", "90"))}
    recipe = next(value for value in names.values() if isinstance(value, type) and issubclass(value, StandIn) and value is not StandIn)()
    recipe.spec = spec
    return recipe


def test_spack_names_the_mpi_and_the_architectures():
    library, package = of_spack("typewarp", ["mpi", "cuda"]), of_spack("py_typewarp", ["mpi", "cuda"])
    assert {"-DTYPEWARP_MPI:STRING=intel_oneapi_mpi=/opt/mpicc", "-DTYPEWARP_CUDA_ARCHS:STRING=80;90", "-DTYPEWARP_TESTS:BOOL=OFF"} <= set(library.cmake_args())
    settings = package.config_settings(package.spec, "/prefix")
    assert settings["cmake.define.TYPEWARP_MPI"] == "intel_oneapi_mpi=/opt/mpicc" and settings["cmake.define.TYPEWARP_CUDA_ARCHS"] == "80;90"
    assert "-DTYPEWARP_MPI:STRING=OFF" in of_spack("typewarp", []).cmake_args()
    package = of_spack("py_typewarp", [])
    assert package.config_settings(package.spec, "/prefix") == {"cmake.define.TYPEWARP_MPI": "OFF", "cmake.define.TYPEWARP_CUDA": "OFF"}
