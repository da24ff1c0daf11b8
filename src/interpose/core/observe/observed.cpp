// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/observed.hpp"

#include "engine/device/gpu.hpp"
#include "engine/runtime/displaced.hpp"
#include "interpose/core/observe/trace.hpp"
#include "interpose/core/observe/under_way.hpp"
#include "base/environment.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace typewarp::interpose {
namespace {

thread_local constinit CountedCall* innermost = nullptr;
thread_local constinit bool inside = false;                   ///< of a call that is counted at its site
thread_local constinit const record::Site* latest = nullptr;  ///< that this thread made a call at

/// Managed memory is a device's, and page-locked memory the host's.
record::Memory memory_of(const ObservedData& sent, const ObservedData& received) noexcept {
  const auto is_device = [](const ObservedData& part) {
    if (part.bytes == 0 || part.plan == nullptr) return false;
    return gpu::on_device(gpu::displaced(part.buffer, part.plan->layout().offset));
  };
  const bool device = gpu::in_use() && (is_device(sent) || is_device(received));
  return device ? record::Memory::device : record::Memory::host;
}

std::int64_t touched_at(const record::Site& site, std::int64_t bytes) noexcept {
  constexpr std::int64_t cache_line = 64;
  // One more, so that messages without data have a share, too.
  return 1 + bytes + cache_line * (site.sent.pieces + site.received.pieces);
}

void count(record::Site* site, std::int64_t bytes, std::int64_t nanoseconds) noexcept {
  if (site == nullptr) return note_other(nanoseconds);
  site->totals.calls.fetch_add(1, std::memory_order_relaxed);
  site->totals.bytes.fetch_add(bytes, std::memory_order_relaxed);
  site->totals.nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
}

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

CountedCall::CountedCall(const CallEvent& event) noexcept : event_(event), outer_(innermost) {
  innermost = this;
  if (observing().statistics) {
    if (Counters* const mine = counters())
      interpose::count((*mine)[static_cast<std::size_t>(event.number)][CountOf::calls], 1);
  }
  if (observing().ranges) range_.emplace(names[static_cast<std::size_t>(event.number)]);
  begin_ = Trace::now();
}

CountedCall::~CountedCall() {
  const std::int64_t nanoseconds = Trace::now() - begin_;
  innermost = outer_;
  if (observing().statistics) count(nanoseconds);
  if (observing().trace) {
    trace().add(event_, begin_, nanoseconds, reported());
  }
}

void CountedCall::is_taken(std::int64_t bytes) noexcept {
  if (innermost == nullptr) return;
  innermost->fate_ = Fate::taken;
  innermost->bytes_of_ours_ += bytes;
}

void CountedCall::is_left(Reason reason) noexcept {
  if (innermost == nullptr || innermost->fate_ != Fate::unreported) return;
  innermost->fate_ = Fate::left;
  innermost->reason_ = reason;
}

void CountedCall::goes_by(const char* path) noexcept {
  if (innermost != nullptr) innermost->path_ = path;
}

void CountedCall::count(std::int64_t nanoseconds) const noexcept {
  Counters* const mine = counters();
  if (mine == nullptr) return;
  auto& sums = (*mine)[static_cast<std::size_t>(event_.number)];
  interpose::count(sums[CountOf::nanoseconds], nanoseconds);
  const ObservedData& message = event_.message();
  interpose::count(sums[CountOf::bytes], message.bytes);
  if (fate_ == Fate::taken) {
    interpose::count(sums[CountOf::ours], 1);
    interpose::count(sums[CountOf::bytes_of_ours], bytes_of_ours_);
  } else if (fate_ == Fate::left) {
    interpose::count(sums[CountOf::left + static_cast<std::size_t>(reason_)], 1);
  }
  if (message.type == nullptr) return;
  message.type->calls.fetch_add(1, std::memory_order_relaxed);
  message.type->bytes.fetch_add(message.bytes, std::memory_order_relaxed);
}

const char* CountedCall::reported() const noexcept {
  if (fate_ == Fate::unreported) return nullptr;
  return fate_ == Fate::taken ? path_ : reason_names[static_cast<std::size_t>(reason_)];
}

SiteCall::SiteCall(const CallEvent& event) noexcept : inner_(std::exchange(inside, true)) {
  const ObservedData sent = event.combines ? ObservedData{} : event.sent;
  const ObservedData received = event.combines ? ObservedData{} : event.received;
  fresh_ = sent.fresh || received.fresh;
  bytes_ = sent.bytes + received.bytes;
  if (!inner_) {
    const auto size_bin = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes_)));
    site_ = site_of({event.number, event.caller, event.where, sent.type, received.type, size_bin,
                     memory_of(sent, received)},
                    sent, received);
  }
  begin_ = Trace::now();
}

SiteCall::~SiteCall() {
  if (inner_) return;
  const std::int64_t nanoseconds = Trace::now() - begin_;
  inside = false;
  if (site_ != nullptr && fresh_) site_->totals.plans.fetch_add(1, std::memory_order_relaxed);
  if (!is_a_call_) return;
  count(site_, bytes_, nanoseconds);
  if (std::exchange(latest, site_) == site_ && site_ != nullptr)
    site_->totals.repeats.fetch_add(1, std::memory_order_relaxed);
  if (site_ != nullptr && !has_request_)
    site_->totals.times[record::class_of(nanoseconds)].fetch_add(1, std::memory_order_relaxed);
}

void SiteCall::made(MPI_Request request, bool persistent) noexcept {
  if (inner_ || site_ == nullptr || request == MPI_REQUEST_NULL) return;
  has_request_ = true;
  is_a_call_ = !persistent;
  note_request(request, {.site = site_,
                         .touched = touched_at(*site_, bytes_),
                         .bytes = bytes_,
                         .nanoseconds = Trace::now() - begin_,
                         .persistent = persistent,
                         .active = !persistent});
}

void SiteCall::started(int count, const MPI_Request* requests) noexcept {
  const std::int64_t nanoseconds = Trace::now() - begin_;
  for (int i = 0; !inner_ && i < count; ++i) {
    if (note_start(requests[i], nanoseconds / count)) is_a_call_ = false;
  }
}

Observed::Observed(const CallEvent& event) noexcept {
  if (observing().sites) {
    at_site_.emplace(event);
  } else {
    counted_.emplace(event);
  }
}

Awaited::Awaited(const CallEvent& event, int count, const MPI_Request* requests) noexcept
    : number_(event.number), caller_(event.caller), requests_(requests) {
  if (!observing().sites) {
    counted_.emplace(event);
    return;
  }
  inner_ = std::exchange(inside, true);
  if (!inner_ && count > 0 && requests != nullptr) {
    const std::span given(requests, static_cast<std::size_t>(count));
    try {
      if (given.size() > few_.size()) many_.resize(given.size());
      MPI_Request* const copy = given.size() > few_.size() ? many_.data() : few_.data();
      std::ranges::copy(given, copy);
      before_ = {copy, given.size()};
    } catch (const std::bad_alloc&) {  // they are nobody's then
    }
  }
  begin_ = Trace::now();
}

Awaited::~Awaited() {
  if (inner_) return;
  const std::int64_t nanoseconds = Trace::now() - begin_;
  inside = false;
  if (note_wait(before_, requests_, nanoseconds)) return;
  count(site_of({number_, caller_, {}, nullptr, nullptr, 0, record::Memory::host}, {}, {}), 0, nanoseconds);
}

}  // namespace typewarp::interpose
