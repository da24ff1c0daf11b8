// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "request.hpp"

#include "../bindings.hpp"
#include "bindings.hpp"
#include "../living.hpp"

#include <typewarp/completion.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

/// Messages whose Request is gone, with what keeps their memory. Never destroyed: see living.cpp.
struct Dropped {
  Request request;
  nb::object view;
};
std::vector<Dropped>& dropped() {
  static auto& messages = *new std::vector<Dropped>;
  return messages;
}

bool over(Dropped& message) noexcept {
  try {
    return message.request.test().has_value();
  } catch (const TimeLimitExceeded&) {
    keep_for_ever(message.view);
  } catch (const Error&) {}  // nobody is left to be told
  return true;
}

/// Forgets those that are complete. Their memory goes last: what Python does then may drop messages, too.
void sweep() {
  std::vector<Dropped> complete;
  std::vector<Dropped>& all = dropped();
  for (std::size_t i = 0; i < all.size();) {
    if (!over(all[i])) {
      ++i;
      continue;
    }
    complete.push_back(std::move(all[i]));
    if (i + 1 < all.size()) all[i] = std::move(all.back());
    all.pop_back();
  }
}

/// Whether end_dropped() was called: what is dropped afterwards may outlive Python.
bool ended = false;

bool finalized() noexcept {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag != 0;
}

nb::object rank_of(const Status& status) {
  return status.source == MPI_ANY_SOURCE ? nb::none() : nb::object(nb::int_(status.source));
}
nb::object tag_of(const Status& status) {
  return status.tag == MPI_ANY_TAG ? nb::none() : nb::object(nb::int_(status.tag));
}

std::string repr_of(const Status& status) {
  return std::string("<typewarp.Status of ") + std::to_string(status.bytes) + " bytes, source " +
         nb::repr(rank_of(status)).c_str() + ", tag " + nb::repr(tag_of(status)).c_str() +
         (status.cancelled ? ", cancelled>" : ">");
}

}  // namespace

Pending::~Pending() {
  if (!request_.active()) return;
  if (finalized()) {
    new Request(std::move(request_));  // what it owns is the MPI's to judge, which is gone
    keep_for_ever(std::move(view_));
    return;
  }
  try {
    if (receives_) request_.cancel();
  } catch (const Error&) {}
  dropped().push_back({std::move(request_), std::move(view_)});
  sweep();
  if (ended) nb::set_leak_warnings(false);
}

Status Pending::wait() {
  try {
    const Status status = [&] {
      const nb::gil_scoped_release release;
      return request_.wait();
    }();
    view_.reset();
    return status;
  } catch (const TimeLimitExceeded&) {
    keep_for_ever(std::move(view_));
    throw;
  } catch (const Error&) {
    view_.reset();
    throw;
  }
}

std::optional<Status> Pending::test() {
  if (!request_.ready()) return std::nullopt;
  return wait();
}

bool Pending::done() { return request_.ready(); }
void Pending::cancel() { request_.cancel(); }

std::vector<Status> Pending::wait_all(const std::vector<Pending*>& all) {
  std::vector<Request> requests;
  std::vector<nb::object> views;
  for (Pending* one : all) {
    requests.push_back(std::move(one->request_));
    views.push_back(std::move(one->view_));
  }
  try {
    const nb::gil_scoped_release release;
    return typewarp::wait_all(requests);
  } catch (const TimeLimitExceeded&) {
    for (const nb::object& view : views) keep_for_ever(view);
    throw;
  } catch (const Error&) {
    // It may hide that another one gave up.
    if (may_give_up) {
      for (const nb::object& view : views) keep_for_ever(view);
    }
    throw;
  }
}

/// Memory that a message uses is reached from outside, whatever Python sees.
int Pending::traverse(visitproc visit, void* arg) const {
  if (!request_.active()) Py_VISIT(view_.ptr());
  return 0;
}

void end_dropped() {
  ended = true;
  for (Dropped& message : std::exchange(dropped(), {})) {
    try {
      const nb::gil_scoped_release release;
      message.request.wait();
    } catch (const TimeLimitExceeded&) {
      keep_for_ever(message.view);
    } catch (const Error&) {}
  }
}

void bind_request(nb::module_& module) {
  nb::class_<Status>(module, "Status", "What a complete message moved.")
      .def_prop_ro(
          "source", [](const Status& s) { return rank_of(s); }, nb::sig("def source(self) -> int | None"),
          "The rank that sent it; None of a send.")
      .def_prop_ro(
          "tag", [](const Status& s) { return tag_of(s); }, nb::sig("def tag(self) -> int | None"),
          "Its tag; None of a send.")
      .def_ro("nbytes", &Status::bytes, "Bytes that it had.")
      .def_ro("cancelled", &Status::cancelled, "Whether cancel() came before a message.")
      .def("__repr__", &repr_of);
  nb::class_<Pending>(
      module, "Request", nb::type_slots(collected<Pending>), nb::is_final(), nb::is_weak_referenceable(),
      "A message in flight: what isend() and irecv() return. It keeps the memory of its array alive until\n"
      "it is complete. If you drop it, a send goes on and arrives; a receive is cancelled unless a message\n"
      "has matched it. One thread at a time may use it. Can be awaited.")
      .def("wait", &Pending::wait,
           "Returns its Status when the bytes are in place, or, of a send, when the array may be written.\n"
           "Other threads of Python run meanwhile. Raises MpiError, GpuError and TimeLimitExceeded; the\n"
           "request is over then, too.")
      .def("test", &Pending::test, "Its Status if it is complete, else None. Raises what wait() does.")
      .def("done", &Pending::done,
           "Moves the message on, and says whether wait() would return, or raise, at once.")
      .def("cancel", &Pending::cancel,
           "Ends a receive that no message has matched yet; its Status says so. Wait for it all the same.")
      .def_prop_ro("active", &Pending::active, "Whether it is still to be waited for.")
      .def(
          "__await__",
          [](nb::handle self) {
            return nb::module_::import_("typewarp._waiting").attr("completed")(self).attr("__await__")();
          },
          nb::sig("def __await__(self) -> typing.Generator[typing.Any, None, Status]"))
      .def("__repr__", [](const Pending& p) {
        return std::string("<typewarp.Request, ") + (p.active() ? "active>" : "complete>");
      });
  module.def("wait_all", &Pending::wait_all, "requests"_a);
}

}  // namespace typewarp::python
