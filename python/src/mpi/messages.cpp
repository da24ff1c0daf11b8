// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "../operand.hpp"
#include "bindings.hpp"
#include "communicator.hpp"
#include "../living.hpp"
#include "request.hpp"

#include <typewarp/p2p.hpp>
#include <typewarp/probe.hpp>
#include <typewarp/session.hpp>

#include <nanobind/stl/optional.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

const Items& sent(const char* argument, View& view) {
  check_reachable(argument, view);
  return view.items();
}
const Items& received(const char* argument, View& view) {
  check_writable(argument, view);
  return sent(argument, view);
}

/// Waits while other threads of Python run. What others may still use after a wait that gave up is never
/// freed.
template <typename Work>
auto waits(std::initializer_list<const View*> views, Work&& work) {
  try {
    const nb::gil_scoped_release release;
    return work();
  } catch (const TimeLimitExceeded&) {
    for (const View* view : views) keep_for_ever(nb::find(*view));
    throw;
  }
}

using Send = void (*)(const void*, std::int64_t, const Plan&, int, int, MPI_Comm, Stream);
using Isend = Request (*)(const void*, std::int64_t, const Plan&, int, int, MPI_Comm, Stream);

template <Send call>
void send(View& x, nb::handle dest, nb::handle tag, nb::handle comm, std::uintptr_t stream) {
  const Items& items = sent("x", x);
  const MPI_Comm handle = comm_of(comm);
  const int to = integer(dest, "dest"), number = integer(tag, "tag");
  waits({&x}, [&] { call(items.buffer, items.count, items.plan, to, number, handle, stream_of(stream)); });
}

Status recv(View& x, nb::handle source, nb::handle tag, nb::handle comm, std::uintptr_t stream) {
  const Items& items = received("x", x);
  const MPI_Comm handle = comm_of(comm);
  const int from = or_any(source, "source", MPI_ANY_SOURCE), number = or_any(tag, "tag", MPI_ANY_TAG);
  return waits({&x}, [&] {
    return typewarp::recv(items.buffer, items.count, items.plan, from, number, handle, stream_of(stream));
  });
}

template <typename Call>
Pending begun(View& view, bool receives, Call&& call) {
  Request request;
  moved({&view}, [&] { request = call(); });
  return {std::move(request), nb::find(view), receives};
}

template <Isend call>
Pending isend(View& x, nb::handle dest, nb::handle tag, nb::handle comm, std::uintptr_t stream) {
  const Items& items = sent("x", x);
  const MPI_Comm handle = comm_of(comm);
  const int to = integer(dest, "dest"), number = integer(tag, "tag");
  return begun(x, false, [&] {
    return call(items.buffer, items.count, items.plan, to, number, handle, stream_of(stream));
  });
}

Pending irecv(View& x, nb::handle source, nb::handle tag, nb::handle comm, std::uintptr_t stream) {
  const Items& items = received("x", x);
  const MPI_Comm handle = comm_of(comm);
  const int from = or_any(source, "source", MPI_ANY_SOURCE), number = or_any(tag, "tag", MPI_ANY_TAG);
  return begun(x, true, [&] {
    return typewarp::irecv(items.buffer, items.count, items.plan, from, number, handle, stream_of(stream));
  });
}

Status sendrecv(View& x, nb::handle dest, View& y, nb::handle source, nb::handle sendtag, nb::handle recvtag,
                nb::handle comm, std::uintptr_t stream) {
  const Items &out = sent("x", x), &in = received("y", y);
  const MPI_Comm handle = comm_of(comm);
  const int to = integer(dest, "dest"), with = integer(sendtag, "sendtag");
  const int from = or_any(source, "source", MPI_ANY_SOURCE), number = or_any(recvtag, "recvtag", MPI_ANY_TAG);
  return waits({&x, &y}, [&] {
    return typewarp::sendrecv(out.buffer, out.count, out.plan, to, with, in.buffer, in.count, in.plan, from,
                              number, handle, stream_of(stream));
  });
}

Status probe(nb::handle source, nb::handle tag, nb::handle comm) {
  const MPI_Comm handle = comm_of(comm);
  const int from = or_any(source, "source", MPI_ANY_SOURCE), number = or_any(tag, "tag", MPI_ANY_TAG);
  const nb::gil_scoped_release release;
  return typewarp::probe(from, number, handle);
}

std::optional<Status> iprobe(nb::handle source, nb::handle tag, nb::handle comm) {
  return typewarp::iprobe(or_any(source, "source", MPI_ANY_SOURCE), or_any(tag, "tag", MPI_ANY_TAG),
                          comm_of(comm));
}

}  // namespace

void bind_messages(nb::module_& module) {
  module.def("send", &send<&typewarp::send>, "x"_a, "dest"_a.none(), "tag"_a.none(), "comm"_a.none(),
             "stream"_a);
  module.def("ssend", &send<&typewarp::ssend>, "x"_a, "dest"_a.none(), "tag"_a.none(), "comm"_a.none(),
             "stream"_a);
  module.def("recv", &recv, "x"_a, "source"_a.none(), "tag"_a.none(), "comm"_a.none(), "stream"_a);
  module.def("isend", &isend<&typewarp::isend>, "x"_a, "dest"_a.none(), "tag"_a.none(), "comm"_a.none(),
             "stream"_a);
  module.def("issend", &isend<&typewarp::issend>, "x"_a, "dest"_a.none(), "tag"_a.none(), "comm"_a.none(),
             "stream"_a);
  module.def("irecv", &irecv, "x"_a, "source"_a.none(), "tag"_a.none(), "comm"_a.none(), "stream"_a);
  module.def("sendrecv", &sendrecv, "x"_a, "dest"_a.none(), "y"_a, "source"_a.none(), "sendtag"_a.none(),
             "recvtag"_a.none(), "comm"_a.none(), "stream"_a);
  module.def("probe", &probe, "source"_a.none(), "tag"_a.none(), "comm"_a.none());
  module.def("iprobe", &iprobe, "source"_a.none(), "tag"_a.none(), "comm"_a.none());
  module.def("progress", &typewarp::progress, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace typewarp::python
