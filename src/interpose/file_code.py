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
  return filed_end(call::{core_code.short(call)}, fh, {buffer}, status);
}}
"""


def is_collective(call):
    return "_all" in call.name or "_ordered" in call.name


def block(call, handed):
    """What makes the same call of one rank, which blocks."""
    twin = core_code.short(call).replace("File_i", "File_", 1).replace("_all", "")
    types = core_code.types(call).replace("MPI_Request*", "MPI_Status*")
    return (f"[=](const void* buffer, MPI_Datatype type, MPI_Status* status) "
            f"{{ return next<int({types})>(call::{twin})({handed}, status); }}")


def in_turn(call, reads, handed):
    """One that is nonblocking and collective, also at a place where it has none."""
    name, types = core_code.short(call), core_code.types(call)
    at_pointer = not any(kind == "offset" for kind, _ in call.arguments)
    if at_pointer:
        name, types = name.replace("_all", "_at_all"), types.replace("MPI_File", "MPI_File, MPI_Offset", 1)
    buffer = "const_cast<void*>(buffer)" if reads else "buffer"
    call_at = ("[](MPI_File file, MPI_Offset place, const void* buffer, std::int64_t items, MPI_Datatype type, MPI_Request* made) "
               f"{{ return next<int({types})>(call::{name})(file, place, {buffer}, static_cast<{types.split(', ')[3]}>(items), type, made); }}")
    names = ", ".join(name for _, name in call.arguments)
    mpis = f"next<Function>(call::{core_code.short(call)})"
    return f"""int filed_{core_code.short(call)}({core_code.parameters(call)}) noexcept {{
  using Function = int({core_code.types(call)});
  if (!any_may_be_staged() && !asks_ranks(fh)) return {mpis}({names});
  return filed_in_turn(call::{core_code.short(call)}, {{fh, buf, count, datatype, {"true" if reads else "false"}, true, {"true" if at_pointer else "false"}}},
      [=](const void* buffer, MPI_Datatype type, auto... last) {{ return {mpis}({handed}, last...); }},
      {block(call, handed)},
      {"0" if at_pointer else "offset"}, {call_at}, request);
}}
"""


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
    collective = "true" if is_collective(call) else "false"
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
    given = {"buf": "buffer" if not reads else "const_cast<void*>(buffer)", "datatype": "type", "count": "items(buffer, count)"}
    handed = ", ".join(given.get(name, name) for kind, name in call.arguments if kind not in LAST)
    names = ", ".join(name for _, name in call.arguments)
    kind = call.arguments[-1][0]
    if kind == "request" and is_collective(call):
        return in_turn(call, reads, handed)
    if goes_in_pieces(call):
        return in_pieces(call, reads, handed)
    mpis = f"next<Function>(call::{core_code.short(call)})"
    form = {"status": "whole", "request": "started"}.get(kind, "begin")
    last = f", {kind}" if kind in LAST else ""
    if kind == "request":
        last = f",\n      {block(call, handed)}{last}"
    number = f"call::{core_code.short(call)}"
    if form == "begin":
        number += f", call::{core_code.short(call).removesuffix('_c').replace('_begin', '_end')}"
    # A collective one waits for those under way, which are in turn in all ranks also where nothing can be ours.
    none_in_turn = " && !asks_ranks(fh)" if is_collective(call) else ""
    return f"""int filed_{core_code.short(call)}({core_code.parameters(call)}) noexcept {{
  using Function = int({core_code.types(call)});
  if (!any_may_be_staged(){none_in_turn}) return {mpis}({names});
  return filed_{form}({number}, {{fh, buf, count, datatype, {"true" if reads else "false"}, {"true" if is_collective(call) else "false"}}},
      [=](const void* buffer, MPI_Datatype type, auto... last) {{ return {mpis}({handed}, last...); }}{last});
}}
"""


def source(exported):
    chosen = [call for call in exported if call.fate == calls.FILED]
    takes = [f"take<call::{core_code.short(call)}, filed_{core_code.short(call)}>();" for call in chosen]
    return core_code.definition("take_filed", ["files/file_call"], map(function, chosen), takes)
