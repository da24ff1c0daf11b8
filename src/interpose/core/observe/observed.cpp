// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/observed.hpp"

#include "interpose/core/observe/trace.hpp"
#include "base/environment.hpp"

namespace typewarp::interpose {
namespace {

thread_local constinit Observed* innermost = nullptr;

}  // namespace

const Observing& observing() noexcept {
  static const Observing asked = [] {
    if (!environment::text("TYPEWARP_DOCTOR").empty()) return Observing{.sites = true};
    const std::string_view statistics = environment::text("TYPEWARP_STATS");
    const bool merged = statistics == "merged";
    return Observing{merged || statistics == "1", merged, !environment::text("TYPEWARP_TRACE").empty(),
                     environment::is_set("TYPEWARP_NVTX"), false};
  }();
  return asked;
}

Observed::Observed(int number, const Arguments& arguments) noexcept
    : number_(number), arguments_(arguments), outer_(innermost) {
  innermost = this;
  if (observing().statistics) {
    if (Counters* const mine = counters())
      interpose::count((*mine)[static_cast<std::size_t>(number)].calls, 1);
  }
  if (observing().ranges) range_.emplace(names[static_cast<std::size_t>(number)]);
  begin_ = Trace::now();
}

Observed::~Observed() {
  const std::int64_t nanoseconds = Trace::now() - begin_;
  innermost = outer_;
  if (observing().statistics) count(nanoseconds);
  if (observing().trace) {
    trace().add({names[static_cast<std::size_t>(number_)], begin_, nanoseconds, arguments_.bytes,
                 arguments_.peer, arguments_.tag, arguments_.type, reported()});
  }
}

void Observed::is_taken(std::int64_t bytes) noexcept {
  if (innermost == nullptr) return;
  innermost->fate_ = Fate::taken;
  innermost->bytes_of_ours_ += bytes;
}

void Observed::is_left(Reason reason) noexcept {
  if (innermost == nullptr || innermost->fate_ != Fate::unreported) return;
  innermost->fate_ = Fate::left;
  innermost->reason_ = reason;
}

void Observed::count(std::int64_t nanoseconds) const noexcept {
  Counters* const mine = counters();
  if (mine == nullptr) return;
  auto& sums = (*mine)[static_cast<std::size_t>(number_)];
  interpose::count(sums.nanoseconds, nanoseconds);
  interpose::count(sums.bytes, arguments_.bytes);
  if (fate_ == Fate::taken) {
    interpose::count(sums.ours, 1);
    interpose::count(sums.bytes_of_ours, bytes_of_ours_);
  } else if (fate_ == Fate::left) {
    interpose::count(sums.left[static_cast<std::size_t>(reason_)], 1);
  }
  if (arguments_.type == nullptr) return;
  arguments_.type->calls.fetch_add(1, std::memory_order_relaxed);
  arguments_.type->bytes.fetch_add(arguments_.bytes, std::memory_order_relaxed);
}

const char* Observed::reported() const noexcept {
  if (fate_ == Fate::unreported) return nullptr;
  return fate_ == Fate::taken ? "ours" : reason_names[static_cast<std::size_t>(reason_)];
}

}  // namespace typewarp::interpose
