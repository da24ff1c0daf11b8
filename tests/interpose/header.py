#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every function of an mpi.h that takes the address of data is in the call table, and so is its `_c` twin.

usage: header.py <C compiler> <flag>... (in tests/interpose of a checkout)
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src" / "interpose"))
import calls  # noqa: E402: found only now

# Addresses that are not of data which the call reads or writes.
NO_DATA = {
    r"MPI_\w+_(get|set)_attr|MPI_Attr_(get|put)|MPI_\w*[Kk]eyval\w*": "attributes are the program's words",
    r"MPI_(DUP|NULL)_\w+|MPI_\w+_DUP_FN|MPI_\w+_NULL_\w+_FN": "callbacks for attributes",
    r"MPI_Grequest_start|MPI_Register_datarep|MPI_T_\w+|MPI_Abi_\w+_fortran_booleans": "words for callbacks, tools and compilers",
    r"MPI_Address|MPI_Get_address|MPI_Free_mem": "an address, which is not followed",
    r"MPI_Alloc_mem|MPI_Win_allocate(_shared)?|MPI_Win_shared_query|MPI_(\w+_detach_buffer|Buffer_detach)": "writes an address of the MPI's",
}


def functions(header):
    """(name, parameters) of each declaration of a preprocessed header."""
    return re.findall(r"\bint\s+(MPI_\w+)\s*\(([^()]*)\)", header)


def takes_data(name, parameters):
    if not re.search(r"\bvoid\s*\*\s*\w+", parameters):
        return False
    return not any(re.fullmatch(f"({names})(_c)?", name) for names in NO_DATA)


compiler, *flags = sys.argv[1:]
command = [compiler, "-E", "-P", "-x", "c", *" ".join(flags).split(), "-"]
text = subprocess.run(command, input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
taking = {name for name, parameters in functions(text) if takes_data(name, parameters)}
if "MPI_Send" not in taking:
    sys.exit("no declaration of MPI_Send is found")
missing = sorted(taking - {call.name for call in calls.with_twins(calls.TABLE)})
print("take data, and are not in the table: " + ", ".join(missing) if missing else f"all of {len(taking)} are in the table")
sys.exit(bool(missing))
