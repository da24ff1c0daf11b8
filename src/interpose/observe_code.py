# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Code of the core that observes calls: a wrapper of each that says what it was given, for statistics, trace, NVTX and `typewarp doctor`."""
import calls
import collective_code
import core_code

NOTHING = "ObservedData{}"


def part(buffer, count, datatype, when=None):
    return f"part_of({buffer}, {f'{when} ? {count} : 0' if when else count}, {datatype})"


def plain(call):
    """Of a call with one message, or with two."""
    names = [name for _, name in call.arguments]
    sent = received = NOTHING
    for kind, buffer in call.arguments:
        stem = buffer.removesuffix("buf")
        count = next((name for name in (f"{buffer}_count", f"{stem}count", "count") if name in names), None)
        datatype = next((name for name in (f"{buffer}_datatype", f"{stem}type", "datatype") if name in names), None)
        if kind not in ("sendbuf", "recvbuf") or not count or not datatype:
            continue
        if "partitions" in names:
            count = f"partitions * {count}"
        other = {"sendbuf": ("dest", "target_rank"), "recvbuf": ("source", "target_rank")}[kind]
        peer = next((name for name in other if name in names), None)
        told = part(buffer, count, datatype, f"{peer} != MPI_PROC_NULL" if peer else None)
        if kind == "sendbuf":
            sent = told
        else:
            received = told
    if "sendtag" in names and sent == NOTHING:  # one buffer for both
        sent = part("buf", "count", "datatype", "dest != MPI_PROC_NULL")
    return sent, received


def parts(call):
    """What the call sends and what it receives at this rank."""
    if collective_code.is_collective(call):
        return "parts.sent", "parts.received"
    return plain(call) if call.fate not in (calls.COUNTED, calls.PROBED, calls.COMPLETED) else (NOTHING, NOTHING)


def where(call):
    kinds = {kind: name for kind, name in call.arguments}
    return f"{{.comm = {kinds['comm']}}}" if "comm" in kinds else f"{{.file = {kinds['file']}}}" if "file" in kinds else "{}"


def awaited(call):
    """How many requests it waits for, and which: nothing where it is no such call."""
    kinds = {kind: name for kind, name in call.arguments}
    if call.fate != calls.COMPLETED or call.name in ("MPI_Start", "MPI_Startall", "MPI_Request_free", "MPI_Cancel"):
        return None
    if "requests" in kinds:
        return f"{call.arguments[0][1]}, requests"
    return "1, request" if "request" in kinds else None


def event(call, sent, received):
    names = [name for _, name in call.arguments]
    peer, tag = (next((name for name in names if name in wanted), None) for wanted in (("dest", "source"), ("tag", "sendtag")))
    fields = {"number": f"call::{core_code.short(call)}", "caller": "__builtin_return_address(0)", "where": where(call),
              "sent": sent, "received": received, "combines": "true" if "op" in names and call.fate == calls.STAGED else None, "peer": peer, "tag": tag}
    return "{" + ", ".join(f".{name} = {value}" for name, value in fields.items() if value not in (None, "{}", NOTHING)) + "}"


def wrapper(call):
    name = core_code.short(call)
    sent, received = parts(call)
    lines = []
    if collective_code.is_collective(call):
        lines += [f"Call call = call_of_{name}({', '.join(argument for _, argument in call.arguments)});", "const CallParts parts = parts_of(call);"]
    if call.name == "MPI_Request_free":
        lines.append("forget_request(*request);")
    handled = f"handler<int({core_code.types(call)})>(call::{name})({', '.join(argument for _, argument in call.arguments)})"
    if collective_code.is_collective(call):
        handled = "make_observed(call)"
    after = None
    if call.name in ("MPI_Start", "MPI_Startall"):
        after = f"started({'1, request' if name == 'Start' else 'count, requests'})"
    elif call.fate != calls.COMPLETED and ("request", "request") in call.arguments:
        after = f"made{'_persistent' if '_init' in name else ''}(*request)"
    told = event(call, sent, received)
    if waits := awaited(call):
        lines += [f"const Awaited awaited({told}, {waits});", f"return {handled};"]
    elif after:
        lines += [f"Observed observed({told});", f"const int code = {handled};", f"if (code == MPI_SUCCESS) observed.{after};", "return code;"]
    else:
        lines += [f"const Observed observed({told});", f"return {handled};"]
    body = "".join(f"  {line}\n" for line in lines)
    return f"int observe_{name}({core_code.parameters(call)}) noexcept {{\n{body}}}\n"


def observer(call):
    """What a call of the program goes to. One that lacks the place of its request is not observed."""
    name = core_code.short(call)
    has_request = ("request", "request") in call.arguments
    return f"with_places<call::{name}, observe_{name}>(observe_{name})" if has_request else f"observe_{name}"


def source(exported):
    """Definition of observe_calls()."""
    chosen = [call for call in exported if call.fate != calls.PASSED]
    # What begins and ends the MPI, and what is planned, is no message: nothing that the doctor would tell of.
    takes = [f"{'if (!observing().sites) ' if call.fate == calls.PLANNED else ''}attachment.chosen[call::{core_code.short(call)}] = "
             f"reinterpret_cast<void*>({observer(call)});" for call in chosen]
    headers = ["calls/collective", "collectives/call_parts", "observe/under_way", "observe/observed"]
    text = core_code.definition("observe_calls", headers, map(wrapper, chosen), takes)
    return text.replace("#include <mpi.h>\n", '#include "interpose/collective_calls.hpp"\n\n#include <mpi.h>\n', 1)
