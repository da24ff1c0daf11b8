# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Code of the core that observes calls: a wrapper of each that says what it was given, for statistics, trace, NVTX and `typewarp doctor`."""
import calls
import core_code
import staged_code

NOTHING = "Part{}"
GROUP = """Group group_of(Group (*find)(MPI_Comm), MPI_Comm comm) noexcept {
  try {
    return find(comm);
  } catch (const std::exception&) {
    return {};
  }
}

std::int64_t times(std::size_t ranks, std::int64_t count) noexcept { return static_cast<std::int64_t>(ranks) * count; }
"""
LEAF, ROOT = staged_code.LEAF, staged_code.ROOT


def part(buffer, count, datatype, when=None):
    return f"part_of({buffer}, {f'{when} ? {count} : 0' if when else count}, {datatype})"


def side(name, count, when=None):
    return part(f"{name}buf", count, f"{name}type", when)


def blocks(name, n, counts=None, types=None):
    return f"part_of_blocks({name}buf, {counts or f'{name}counts'}, {types or f'{name}type'}, {n})"


FROM_ROOT = part("buffer", "count", "datatype", ROOT), part("buffer", "count", "datatype", f"!{ROOT} && {LEAF}")
EVEN_SENT, EVEN_RECEIVED = "times(group.sends, sendcount)", "times(group.receives, recvcount)"
# By the name of the blocking call.
STAGED = {
    "Bcast": FROM_ROOT,
    "Gather": (side("send", "sendcount", LEAF), side("recv", EVEN_RECEIVED, ROOT)),
    "Gatherv": (side("send", "sendcount", LEAF), blocks("recv", f"{ROOT} ? group.receives : 0")),
    "Scatter": (side("send", EVEN_SENT, ROOT), side("recv", "recvcount", LEAF)),
    "Scatterv": (blocks("send", f"{ROOT} ? group.sends : 0"), side("recv", "recvcount", LEAF)),
    "Allgather": (side("send", "sendcount"), side("recv", EVEN_RECEIVED)),
    "Allgatherv": (side("send", "sendcount"), blocks("recv", "group.receives")),
    "Alltoall": (side("send", EVEN_SENT), side("recv", EVEN_RECEIVED)),
}
# Of what is combined, what this rank says of its result: the count and the datatype are significant at each rank that takes part.
COMBINED = {
    **{name: part("recvbuf", "count", "datatype") for name in ("Allreduce", "Scan", "Exscan")},
    "Reduce": part("recvbuf", "count", "datatype", "root != MPI_PROC_NULL"),
    "Reduce_scatter_block": part("recvbuf", "recvcount", "datatype"),
    "Reduce_scatter": part("recvbuf", "of_rank(recvcounts, group)", "datatype"),
    "Reduce_local": part("inoutbuf", "count", "datatype"),
}
STAGED |= {name: (NOTHING, result) for name, result in COMBINED.items()}
STAGED |= {f"Neighbor_{name.lower()}": STAGED[name] for name in ("Allgather", "Allgatherv", "Alltoall")}


def exchanged(call):
    types = [kind for kind, _ in call.arguments].count("types")
    return tuple(blocks(name, f"group.{ranks}", types=f"{name}types" if types else None) for name, ranks in (("send", "sends"), ("recv", "receives")))


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
    if call.fate == calls.EXCHANGED:
        return exchanged(call)
    if call.fate == calls.STAGED:
        return STAGED[staged_code.blocking_name(call)]
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
    if "group" in sent + received:
        lines.append(f"const Group group = group_of({'neighbours_of' if 'eighbor' in call.name else 'all_of'}, comm);")
    if call.name == "MPI_Request_free":
        lines.append("if (request != nullptr) forget_request(*request);")
    handled = f"handler<int({core_code.types(call)})>(call::{name})({', '.join(argument for _, argument in call.arguments)})"
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


def source(exported):
    """Definition of observe_calls()."""
    chosen = [call for call in exported if call.fate != calls.PASSED]
    # What begins and ends the MPI, and what is planned, is no message: nothing that the doctor would tell of.
    takes = [f"{'if (!observing().sites) ' if call.fate == calls.PLANNED else ''}attachment.chosen[call::{core_code.short(call)}] = "
             f"reinterpret_cast<void*>(observe_{core_code.short(call)});" for call in chosen]
    headers = ["buffers/parts", "collectives/group", "observe/under_way", "observe/observed"]
    text = core_code.definition("observe_calls", headers, [GROUP, *map(wrapper, chosen)], takes)
    return text.replace("#include <mpi.h>\n", "#include <mpi.h>\n\n#include <exception>\n", 1)
