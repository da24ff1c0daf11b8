// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/exchange.hpp>

#include <typewarp/engine.hpp>

#include "bindings.hpp"
#include "living.hpp"
#include "operand.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace typewarp::python {
// Every module has its own, since each is linked with its own exchanges: classes of different names.
namespace TYPEWARP_PYTHON_MODULE {
namespace {

using Parts = std::vector<std::pair<View*, int>>;
using Unpacks = std::vector<std::pair<View*, View*>>;  // from, to

std::string name_of(const char* argument, std::size_t i) {
  return std::string(argument) + "[" + std::to_string(i) + "]";
}

/// What is unpacked behind an exchange.
struct Arrived {
  const std::byte* packed;
  Items to;

  void unpack(std::int64_t displaced, Stream stream) const {
    typewarp::unpack(packed, to.buffer + displaced, to.count, to.plan, stream);
  }
};

/// What an Exchange is made of: made before the ranks meet, since it may refuse what one of them gave.
class ExchangeParts {
 public:
  /// Without `keep`, memory is the caller's, and sends only where each start says that they are. `unpacks`
  /// follow each exchange on its stream, into memory that lies as what the rank receives from itself does.
  ExchangeParts(const Parts& sends, const Parts& receives, double time_limit, bool keep,
                const Unpacks& unpacks)
      : keep_(keep) {
    options.time_limit = time_limit_of(time_limit);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const auto [view, peer] = sends[i];
      const Items& items = kept("sends", i, *view);
      outgoing.push_back({items.buffer, items.count, items.plan, peer});
    }
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const auto [view, peer] = receives[i];
      check_writable(name_of("receives", i).c_str(), *view);
      const Items& items = kept("receives", i, *view);
      incoming.push_back({items.buffer, items.count, items.plan, peer});
    }
    for (std::size_t i = 0; i < unpacks.size(); ++i) {
      const auto [from, to] = unpacks[i];
      check_packed(name_of("unpacks", i).c_str(), *from, to->bytes());
      check_writable(name_of("unpacks", i).c_str(), *to);
      kept("unpacks", i, *from);
      arrived.push_back({from->array().data, kept("unpacks", i, *to)});
    }
  }

  std::vector<OutgoingPart> outgoing;
  std::vector<IncomingPart> incoming;
  std::vector<Arrived> arrived;
  ExchangeOptions options;
  std::vector<nb::object> views;

 private:
  const Items& kept(const char* argument, std::size_t i, View& view) {
    check_reachable(name_of(argument, i).c_str(), view);
    if (keep_) views.push_back(nb::find(view));
    return view.items();
  }

  bool keep_;
};

/// A list of (peer, bytes, whether a device stores it, why not).
nb::list listed(const std::vector<PartWay>& ways) {
  nb::list list;
  for (const PartWay& way : ways) {
    list.append(
        nb::make_tuple(way.peer, way.bytes, way.direct, nb::str(way.reason.data(), way.reason.size())));
  }
  return list;
}

/// Layouts are added by the thread that starts it.
class ExchangeHandle {
 public:
  ExchangeHandle(const Ranks& ranks, const ExchangeParts& parts) : arrived_{parts.arrived} {
    state_ = Lives<Exchange>::made("the Exchange", parts.views, [&] {
      return Exchange(ranks, parts.outgoing, parts.incoming, parts.options);
    });
  }
  void start(std::uintptr_t stream, std::int64_t sends_displaced, std::int64_t own_receives_displaced,
             std::size_t layout) {
    state_->with([&](Exchange& exchange) {
      exchange.start(stream_of(stream), {sends_displaced, own_receives_displaced, layout});
      for (const Arrived& each : arrived_[layout]) each.unpack(own_receives_displaced, stream_of(stream));
    });
  }
  std::size_t add_layout(const ExchangeParts& parts) {
    return state_->with([&](Exchange& exchange) {
      arrived_.push_back(parts.arrived);
      try {
        return exchange.add_layout(parts.outgoing, parts.incoming);
      } catch (...) {
        arrived_.pop_back();
        throw;
      }
    });
  }
  bool done() {
    return state_->with([](Exchange& exchange) { return exchange.done(); });
  }
  void wait() {
    state_->with([](Exchange& exchange) { exchange.wait(); });
  }
  nb::dict ways() {
    const ExchangeWays ways = state_->object().ways();
    nb::dict made;
    made["direct_sends"] = ways.direct_sends;
    made["direct_receives"] = ways.direct_receives;
    made["carried_sends"] = ways.carried_sends;
    made["carried_receives"] = ways.carried_receives;
    return made;
  }
  nb::list ways_of_sends() { return listed(state_->object().ways_of_sends()); }
  nb::list ways_of_receives() { return listed(state_->object().ways_of_receives()); }
  bool closed() const { return state_->closed(); }
  void close() { state_->close(); }

 private:
  std::vector<std::vector<Arrived>> arrived_;  // of each layout
  std::shared_ptr<Lives<Exchange>> state_;
};

}  // namespace
}  // namespace TYPEWARP_PYTHON_MODULE

void bind_exchange(nb::module_& module, Ranks (*ranks_of)(nb::handle)) {
  using TYPEWARP_PYTHON_MODULE::ExchangeHandle, TYPEWARP_PYTHON_MODULE::ExchangeParts;
  nb::class_<ExchangeParts>(module, "ExchangeParts")
      .def(nb::init<const TYPEWARP_PYTHON_MODULE::Parts&, const TYPEWARP_PYTHON_MODULE::Parts&, double, bool,
                    const TYPEWARP_PYTHON_MODULE::Unpacks&>(),
           "sends"_a, "receives"_a, "time_limit"_a, "keep"_a = true,
           "unpacks"_a = TYPEWARP_PYTHON_MODULE::Unpacks());
  nb::class_<ExchangeHandle>(module, "Exchange")
      .def(
          "__init__",
          [ranks_of](ExchangeHandle* self, nb::handle ranks, const ExchangeParts& parts) {
            new (self) ExchangeHandle(ranks_of(ranks), parts);
          },
          "ranks"_a.none(), "parts"_a)
      .def("start", &ExchangeHandle::start, "stream"_a, "sends_displaced"_a = 0,
           "own_receives_displaced"_a = 0, "layout"_a = 0)
      .def("add_layout", &ExchangeHandle::add_layout, "parts"_a)
      .def("done", &ExchangeHandle::done)
      .def("wait", &ExchangeHandle::wait)
      .def_prop_ro("ways", &ExchangeHandle::ways)
      .def_prop_ro("ways_of_sends", &ExchangeHandle::ways_of_sends)
      .def_prop_ro("ways_of_receives", &ExchangeHandle::ways_of_receives)
      .def_prop_ro("closed", &ExchangeHandle::closed)
      .def("close", &ExchangeHandle::close);
}

}  // namespace typewarp::python
