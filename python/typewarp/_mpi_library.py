# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The module of this package that works with the MPI of mpi4py: `core`.

It is linked with no MPI. Its symbols are found because the MPI that mpi4py has loaded is made visible to all before.
"""
import atexit
import ctypes
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any

try:
    from mpi4py import MPI
except ImportError as error:
    raise ImportError("typewarp: messages need mpi4py, which is not there (pip install mpi4py)") from error
except RuntimeError as error:
    raise ImportError(f"typewarp: messages need an MPI, which mpi4py does not find: {str(error).splitlines()[0]}") from error

# In the standard ABI. A program is compiled for its handles, whatever MPI is behind it: Open MPI has addresses, MPICH greater numbers.
_STANDARD_COMM_WORLD = 0x101


class _Place(ctypes.Structure):
    """Dl_info."""

    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("symbol", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def _show(module_file: str) -> None:
    """Makes the MPI that an extension module was linked with visible to libraries that are loaded later."""
    symbol = ctypes.cast(ctypes.CDLL(module_file).MPI_Init_thread, ctypes.c_void_p)
    place = _Place()
    if ctypes.CDLL(None).dladdr(symbol, ctypes.byref(place)) == 0 or not place.file:
        raise ImportError("typewarp: cannot tell which MPI mpi4py has loaded")
    ctypes.CDLL(os.fsdecode(place.file), ctypes.RTLD_GLOBAL)


def _abi() -> str:
    """Of the MPI in this process, as modules are named."""
    if MPI._handleof(MPI.COMM_WORLD) == _STANDARD_COMM_WORLD:
        return "abi"
    told = MPI.Get_library_version()
    if "Open MPI" in told:
        return "openmpi"
    if any(name in told for name in ("MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPICH")):
        return "mpich"
    raise ImportError(f"typewarp: messages work with Open MPI, MPICH and the standard ABI of MPI, not with {told.splitlines()[0].strip()}")


def _load() -> Any:
    if not MPI.Is_initialized() or MPI.Is_finalized():
        raise RuntimeError("typewarp: messages need an MPI that is initialized, and not finalized")
    name = "_with_" + _abi()
    if importlib.util.find_spec("." + name, __package__) is None:
        raise ImportError(f"typewarp: was built without messages for this MPI (there is no {name} in the package)")
    _show(MPI.__file__)
    loaded = importlib.import_module("." + name, __package__)
    # What ranks made together ends when the program does, or when it calls MPI.Finalize().
    key = MPI.Comm.Create_keyval(delete_fn=lambda *_: loaded.end_all())
    MPI.COMM_SELF.Set_attr(key, True)
    atexit.register(lambda: MPI.Is_finalized() or _aborts() or MPI.COMM_SELF.Delete_attr(key))
    return loaded


def _aborts() -> bool:
    """Whether this process ends by an error that `python -m mpi4py` tells the other ranks by MPI_Abort. They may never come to an end
    that all share, and it is after this."""
    return "mpi4py.run" in sys.modules and hasattr(sys, "last_value")


if TYPE_CHECKING:
    from . import _with_mpi as core
else:
    core = _load()
