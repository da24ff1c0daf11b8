# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Code of the core that hands on one-sided calls."""
import calls
import core_code


def memories(call):
    """(name, count, datatype, use) of what a call reads or writes at this rank."""
    names = [name for _, name in call.arguments]
    computes = "op" in names or "compare" in names
    for kind, name in call.arguments:
        if kind not in ("sendbuf", "recvbuf"):
            continue
        count = f"{name}_count" if f"{name}_count" in names else "1"
        datatype = f"{name}_datatype" if f"{name}_datatype" in names else "datatype"
        if name == "origin" and "op" in names:
            count = f"op == MPI_NO_OP ? 0 : {count}"
        use = ("operand" if computes else "sent") if kind == "sendbuf" else ("result" if computes else "received")
        yield name, count, datatype, use


def function(call):
    sides = list(memories(call))
    given = {}
    kinds = {name: kind for kind, name in call.arguments}
    for i, (name, _, datatype, _) in enumerate(sides):
        given[name] = f"given[{i}].buffer"
        if datatype != "datatype":
            given[datatype] = f"given[{i}].type"
            given[f"{name}_count"] = f"static_cast<{call.type_of(kinds[f'{name}_count'])}>(given[{i}].count)"
    last = ", request" if call.arguments[-1][0] == "request" else ""
    handed = ", ".join(given.get(name, name) for kind, name in call.arguments if kind != "request")
    names = ", ".join(name for _, name in call.arguments)
    listed = ", ".join(f"{{{name}, {count}, {datatype}, Use::{use}}}" for name, count, datatype, use in sides)
    there = "target_count, target_datatype" if "target_count" in kinds else "1, datatype"
    op = "op" if ("op", "op") in call.arguments else "MPI_OP_NULL"
    mpis = f"next<Function>(call::{core_code.short(call)})"
    return f"""int one_sided_{core_code.short(call)}({core_code.parameters(call)}) noexcept {{
  using Function = int({core_code.types(call)});
  if (!any_may_be_staged() && !device_windows().any()) return {mpis}({names});
  return one_sided(call::{core_code.short(call)}, win, {{{listed}}}, {{target_rank, target_disp, {there}}}, {op},
      [=](const Given& given, auto... last) {{ return {mpis}({handed}, last...); }}{last});
}}
"""


def source(exported):
    chosen = [call for call in exported if call.fate == calls.ONE_SIDED]
    takes = [f"take<call::{core_code.short(call)}, one_sided_{core_code.short(call)}>();" for call in chosen]
    return core_code.definition("take_one_sided", ["windows/one_sided"], map(function, chosen), takes)
