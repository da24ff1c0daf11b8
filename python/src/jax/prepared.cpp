// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "prepared.hpp"

#include <typewarp/engine.hpp>

#include <functional>
#include <numeric>
#include <utility>

namespace typewarp::python::jax {
namespace {

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t bytes_of(const Box& box, const Side& side) { return product(box.sizes) * side.element_bytes; }

Datatype type_of(const Box& box, const Side& side) {
  return subarray(side.shape, box.sizes, box.starts, Order::c, contiguous(side.element_bytes, Named::byte));
}

/// Of memory that a peer which was late may still store into.
void keep_for_ever(DeviceBuffer memory) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<DeviceBuffer>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(memory));
}

}  // namespace

std::int64_t Side::bytes() const { return product(shape) * element_bytes; }

Prepared::Prepared(int device, int rank, Side source, Side result, bool in_place,
                   std::chrono::milliseconds time_limit)
    : source_(std::move(source)),
      result_(std::move(result)),
      straight_(!in_place),
      rank_(rank),
      options_{.time_limit = time_limit} {
  std::int64_t bytes = 0;
  std::vector<Datatype> landed;
  for (const Box& box : result_.boxes) {
    if (straight_ && box.peer == rank_) continue;
    landed.push_back(type_of(box, result_));
    bytes += bytes_of(box, result_);
  }
  const std::size_t boxes = landed.size();
  if (bytes > 0) {
    landed_ = commit(structure(std::vector<std::int64_t>(boxes, 1), std::vector<std::int64_t>(boxes, 0),
                               std::move(landed)));
  }
  landing_.emplace(device, bytes);
  constexpr std::int64_t alignment = 256;
  const std::int64_t behind = (source_.bytes() + alignment - 1) / alignment * alignment;
  bound_.emplace(device, behind + result_.bytes());
  bound_result_ = static_cast<std::byte*>(bound_->data()) + behind;
  bound_source_ = static_cast<const std::byte*>(bound_->data());
}

void Prepared::link(const Ranks& ranks) {
  std::vector<OutgoingPart> sends;
  for (const Box& box : source_.boxes)
    sends.push_back({bound_source_, 1, commit(type_of(box, source_)), box.peer});
  std::vector<IncomingPart> receives;
  auto* place = static_cast<std::byte*>(landing_->data());
  for (const Box& box : result_.boxes) {
    if (straight_ && box.peer == rank_) {
      receives.push_back({bound_result_, 1, commit(type_of(box, result_)), box.peer});
      continue;
    }
    const std::int64_t bytes = bytes_of(box, result_);
    receives.push_back({place, bytes, commit(contiguous(1, Named::byte)), box.peer});
    place += bytes;
  }
  exchange_.emplace(ranks, sends, receives, options_);
  bound_.reset();
}

void Prepared::run(const void* source, void* result, Stream stream) {
  const std::lock_guard lock(mutex_);
  if (stream_.value_or(stream) != stream) throw Error("XLA runs calls of one exchange on several streams");
  stream_ = stream;
  linked().start(stream, {.sends = static_cast<const std::byte*>(source) - bound_source_,
                          .own_receives = straight_ ? static_cast<std::byte*>(result) - bound_result_ : 0});
  if (landed_) unpack(landing_->data(), result, 1, *landed_, stream);
}

bool Prepared::done() {
  const std::lock_guard lock(mutex_);
  return linked().done();
}

void Prepared::unlink() {
  const std::lock_guard lock(mutex_);
  if (!exchange_) return;
  try {
    exchange_->done();
  } catch (const Error&) {
    keep_for_ever(std::move(*landing_));
  }
  exchange_.reset();
  unmap_unused();
}

Exchange& Prepared::linked() {
  if (!exchange_) throw Error("the exchange was closed");
  return *exchange_;
}

}  // namespace typewarp::python::jax
