# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Code of the core that hands on calls for files."""
import calls
import core_code

LAST = ("status", "request")


def end(call):
    kind = call.arguments[1][0]
    buffer = "const_cast<void*>(buf)" if kind == "sendbuf" else "buf"
    return f"""int filed_{core_code.short(call)}({core_code.parameters(call)}) noexcept {{
  return end_split(call::{core_code.short(call)}, fh, {buffer}, status);
}}
"""


def block(call, handed):
    """What makes the blocking twin of a nonblocking call."""
    twin = core_code.short(call).replace("File_i", "File_", 1)
    types = core_code.types(call).replace("MPI_Request*", "MPI_Status*")
    return (f"[=](const void* buffer, MPI_Datatype type, MPI_Status* status) "
            f"{{ return next<int({types})>(call::{twin})({handed}, status); }}")


def goes_in_pieces(call):
    """What blocks and is at a place of its own. A shared pointer has one call for all: other ranks' would come in between, and in order
    each rank's data lies together."""
    return call.arguments[-1][0] == "status" and not any(word in call.name for word in ("_shared", "_ordered", "_end"))


def in_pieces(call, reads, handed):
    """The MPI's call is handed on with other buffers, datatypes, counts and offsets."""
    mpis = f"next<Function>(call::{core_code.short(call)})"
    piece = {"buf": "const_cast<void*>(buffer)" if reads else "buffer", "datatype": "MPI_BYTE", "count": "static_cast<decltype(count)>(bytes)",
             "offset": "offset + shift",
             "status": "told"}
    given = ", ".join(piece.get(name, name) for kind, name in call.arguments)
    at_pointer = "false" if any(kind == "offset" for kind, _ in call.arguments) else "true"
    shift = " shift" if at_pointer == "false" else ""
    collective = "true" if "_all" in call.name else "false"
    return f"""int filed_{core_code.short(call)}({core_code.parameters(call)}) noexcept {{
  using Function = int({core_code.types(call)});
  return filed_in_pieces(call::{core_code.short(call)}, {{fh, buf, count, datatype, {"true" if reads else "false"}, {collective}, {at_pointer}}},
      [=](const void* buffer, std::int64_t bytes, std::int64_t{shift}, MPI_Status* told) {{ return {mpis}({given}); }},
      [=](const void* buffer, MPI_Datatype type, MPI_Status* told) {{ return {mpis}({handed}, told); }}, status);
}}
"""


def function(call):
    if call.name.endswith("_end"):
        return end(call)
    reads = any(kind == "recvbuf" for kind, _ in call.arguments)
    given = {"buf": "buffer" if not reads else "const_cast<void*>(buffer)", "datatype": "type"}
    handed = ", ".join(given.get(name, name) for kind, name in call.arguments if kind not in LAST)
    last = "".join(f", {name}" for kind, name in call.arguments if kind in LAST)
    if last == ", request" and "_all" not in call.name:
        last = f",\n      {block(call, handed)}{last}"
    names = ", ".join(name for _, name in call.arguments)
    if goes_in_pieces(call):
        return in_pieces(call, reads, handed)
    mpis = f"next<Function>(call::{core_code.short(call)})"
    return f"""int filed_{core_code.short(call)}({core_code.parameters(call)}) noexcept {{
  using Function = int({core_code.types(call)});
  if (!any_may_be_ours(mpi_takes_device_memory())) return {mpis}({names});
  return filed(call::{core_code.short(call)}, {{fh, buf, count, datatype, {"true" if reads else "false"}}},
      [=](const void* buffer, MPI_Datatype type, auto... last) {{ return {mpis}({handed}, last...); }}{last});
}}
"""


def source(exported):
    chosen = [call for call in exported if call.fate == calls.FILED]
    takes = [f"take(call::{core_code.short(call)}, filed_{core_code.short(call)});" for call in chosen]
    return core_code.definition("take_filed", ["files/file_call"], map(function, chosen), takes)
