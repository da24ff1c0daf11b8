// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/watched.hpp"

#include "engine/device/gpu.hpp"
#include "interpose/core/observe/trace.hpp"
#include "interpose/core/observe/under_way.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace typewarp::interpose {
namespace {

thread_local constinit bool inside = false;
thread_local constinit const record::Site* latest = nullptr;  ///< that this thread made a call at

/// Managed memory is a device's, and page-locked memory the host's.
record::Memory memory_of(const Part& sent, const Part& received) noexcept {
  const auto is_device = [](const Part& part) {
    if (part.bytes == 0 || part.plan == nullptr) return false;
    const auto address = reinterpret_cast<std::uintptr_t>(part.buffer) +
                         static_cast<std::uintptr_t>(part.plan->layout().offset);
    return gpu::on_device(reinterpret_cast<const void*>(address));
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
  site->calls.fetch_add(1, std::memory_order_relaxed);
  site->bytes.fetch_add(bytes, std::memory_order_relaxed);
  site->nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
}

}  // namespace

Watched::Watched(int number, const void* caller, const Where& where, const Part& sent,
                 const Part& received) noexcept
    : inner_(std::exchange(inside, true)),
      fresh_(sent.fresh || received.fresh),
      bytes_(sent.bytes + received.bytes),
      site_(nullptr) {
  if (!inner_) {
    const auto octave = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes_)));
    site_ = site_of({number, caller, where, sent.type, received.type, octave, memory_of(sent, received)},
                    sent, received);
  }
  begin_ = Trace::now();
}

Watched::~Watched() {
  if (inner_) return;
  const std::int64_t nanoseconds = Trace::now() - begin_;
  inside = false;
  if (site_ != nullptr && fresh_) site_->plans.fetch_add(1, std::memory_order_relaxed);
  if (!is_a_call_) return;
  count(site_, bytes_, nanoseconds);
  if (std::exchange(latest, site_) == site_ && site_ != nullptr)
    site_->repeats.fetch_add(1, std::memory_order_relaxed);
  if (site_ != nullptr && !has_request_)
    site_->times[record::class_of(nanoseconds)].fetch_add(1, std::memory_order_relaxed);
}

void Watched::keep(MPI_Request request, bool persistent) noexcept {
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

void Watched::started(int count, const MPI_Request* requests) noexcept {
  const std::int64_t nanoseconds = Trace::now() - begin_;
  for (int i = 0; !inner_ && i < count; ++i) {
    if (note_start(requests[i], nanoseconds / count)) is_a_call_ = false;
  }
}

Awaited::Awaited(int number, const void* caller, int count, const MPI_Request* requests) noexcept
    : inner_(std::exchange(inside, true)), number_(number), caller_(caller), requests_(requests) {
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
