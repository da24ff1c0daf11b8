// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/session.hpp>

#include "bindings.hpp"
#include "communicator.hpp"
#include "../living.hpp"
#include "../operand.hpp"
#include "request.hpp"

#include <nanobind/stl/string.h>

#include <array>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
namespace {

constexpr std::array protocols{Protocol::automatic, Protocol::eager,     Protocol::pipelined,
                               Protocol::direct,    Protocol::gpu_aware, Protocol::ucx};

Protocol protocol_of(const std::string& text) {
  for (const Protocol protocol : protocols) {
    if (name(protocol) == text) return protocol;
  }
  throw nb::value_error(
      ("protocol: '" + text + "' must be automatic, eager, pipelined, direct, gpu_aware or ucx").c_str());
}

/// Those of the environment and of the machine's profile, changed by what was given.
SessionOptions options_of(const nb::dict& given) {
  SessionOptions options = SessionOptions::from_environment();
  for (const auto [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    if (name == "protocol") options.protocol = protocol_of(nb::cast<std::string>(value));
    if (name == "eager_bytes") options.eager_bytes = nb::cast<std::int64_t>(value);
    if (name == "direct_bytes") options.direct_bytes = nb::cast<std::int64_t>(value);
    if (name == "chunk_bytes") options.chunk_bytes = nb::cast<std::int64_t>(value);
    if (name == "pool_bytes") options.pool_bytes = nb::cast<std::int64_t>(value);
    if (name == "device_pool_bytes") options.device_pool_bytes = nb::cast<std::int64_t>(value);
    if (name == "time_limit") options.time_limit = time_limit_of(nb::cast<double>(value));
    if (name == "progress_thread") options.progress_thread = nb::cast<bool>(value);
  }
  return options;
}

class SessionHandle {
 public:
  SessionHandle(nb::handle comm, const SessionOptions& options) {
    const MPI_Comm handle = comm_of(comm);
    state_ = Lives<Session>::made("the Session", {}, [&] { return Session(handle, options); });
    if (options.time_limit != SessionOptions::no_time_limit) may_give_up = true;
  }
  nb::dict options() {
    const SessionOptions& all = state_->object().options();
    nb::dict made;
    made["protocol"] = std::string(name(all.protocol));
    made["eager_bytes"] = all.eager_bytes;
    made["direct_bytes"] = all.direct_bytes;
    made["chunk_bytes"] = all.chunk_bytes;
    made["pool_bytes"] = all.pool_bytes;
    made["device_pool_bytes"] = all.device_pool_bytes;
    made["time_limit"] = static_cast<double>(all.time_limit.count()) / 1000;
    made["progress_thread"] = all.progress_thread;
    return made;
  }
  bool possible(const std::string& protocol) { return state_->object().possible(protocol_of(protocol)); }
  bool closed() const { return state_->closed(); }
  void close() { state_->close(); }

 private:
  std::shared_ptr<Lives<Session>> state_;
};

}  // namespace

void bind_session(nb::module_& module) {
  // Made before the ranks meet, since it may refuse what one of them gave.
  nb::class_<SessionOptions>(module, "SessionOptions")
      .def("__init__",
           [](SessionOptions* self, const nb::dict& given) { new (self) SessionOptions(options_of(given)); });
  nb::class_<SessionHandle>(module, "Session")
      .def(nb::init<nb::handle, const SessionOptions&>(), "comm"_a.none(), "options"_a)
      .def_prop_ro("options", &SessionHandle::options)
      .def("possible", &SessionHandle::possible, "protocol"_a)
      .def_prop_ro("closed", &SessionHandle::closed)
      .def("close", &SessionHandle::close);
}

}  // namespace typewarp::python
