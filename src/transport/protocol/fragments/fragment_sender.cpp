// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/fragments/fragment_sender.hpp"

#include <algorithm>

namespace typewarp::transport {

bool FragmentSender::advance() {
  if (failed_) return close();
  dispatch();  // what has been packed meanwhile leaves before more is packed
  bool moved = true;
  for (int pass = 0; moved && pass < passes_at_a_time; ++pass) {
    moved = retire();
    moved = prepare() || moved;
    moved = dispatch() || moved;
  }
  return offset_ == side_.bytes && left_ == prepared_;
}

bool FragmentSender::prepare() {
  if (offset_ == side_.bytes || prepared_ - left_ == static_cast<std::int64_t>(fragments_under_way)) {
    return false;
  }
  const bool in_place = channel_->in_place();
  Fragment& next = fragments_[prepared_];
  if (!in_place) {
    next.chunk = channel_->acquire();
    if (!next.chunk) return false;
  }
  const ByteRange range{offset_, std::min(offset_ + fragment_bytes_, side_.bytes)};
  next.data = in_place ? side_.route.first + range.begin : next.chunk.data();
  next.bytes = range.end - range.begin;
  offset_ = range.end;
  // Counted before packing, which may fail after it has enqueued work: then close() waits for it.
  const std::int64_t number = prepared_++;
  if (!in_place) channel_->pack(side_, range, next.chunk.data(), next.packed, number);
  return true;
}

bool FragmentSender::dispatch() {
  if (sent_ == prepared_) return false;
  Fragment& next = fragments_[sent_];
  if (!reached(next.packed, false)) return false;
  next.packed.reset();
  channel_->send(sent_, next.data, next.bytes);
  ++sent_;
  return true;
}

bool FragmentSender::retire() {
  if (left_ == sent_) return false;
  try {
    if (!channel_->released(left_)) return false;
  } catch (...) {
    lost_ = true;
    throw;
  }
  fragments_[left_].chunk = Block();
  ++left_;
  return true;
}

void FragmentSender::fail() {
  failed_ = true;
  if (offset_ < side_.bytes || sent_ < prepared_ || lost_) channel_->send_failure();
}

bool FragmentSender::close() {
  while (retire()) continue;
  if (left_ < sent_ || !channel_->failure_left()) return false;
  for (; sent_ < prepared_; ++sent_) {
    Fragment& packing = fragments_[sent_];
    if (!ended(packing.packed, false)) return false;  // a kernel may still write to the chunk
    packing.packed.reset();
    packing.chunk = Block();
  }
  left_ = prepared_;
  return true;
}

}  // namespace typewarp::transport
