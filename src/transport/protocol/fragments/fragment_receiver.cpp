// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/fragments/fragment_receiver.hpp"

#include "transport/protocol/fragments/fragment_sender.hpp"
#include "transport/session.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::transport {

FragmentReceiver::FragmentReceiver(const ReceiveContext& message, std::unique_ptr<ReceiveChannel> channel)
    : ReceiveProtocol(message),
      channel_(std::move(channel)),
      side_(message.side),
      reply_(message.session, rts()),
      refused_(channel_ == nullptr) {
  message.candidate.leave();
  for (std::int64_t slot = 0; Fragment & fragment : fragments_) fragment.slot = slot++;
}

std::unique_ptr<ReceiveProtocol> receive_fragments(const ReceiveContext& message,
                                                   std::unique_ptr<ReceiveChannel> channel) {
  if (channel == nullptr) return nullptr;
  return std::make_unique<FragmentReceiver>(message, std::move(channel));
}

std::unique_ptr<ReceiveProtocol> refuse(const ReceiveContext& message) {
  return std::make_unique<FragmentReceiver>(message, nullptr);
}

bool FragmentReceiver::advance() {
  if (!reply_.given() && !grant()) return false;
  if (!reply_.left()) return false;
  if (refused_) return nothing_posted();
  if (sender_failed_) return withdrawn();
  bool moved = true;
  for (int pass = 0; moved && pass < passes_at_a_time; ++pass) {
    moved = false;
    for (Fragment& fragment : fragments_) {
      moved = advance(fragment) || moved;
      if (sender_failed_) return false;  // nothing may be posted that no message would match
    }
  }
  post_more();
  return finished_ == posted_ && offset_ == rts().bytes;
}

bool FragmentReceiver::grant() {
  waits_for_memory_ = false;
  if (refused_) {
    reply_.give(Cts::Code::refused, nullptr);
    return true;
  }
  if (channel_->needs_memory() && !fragments_[0].chunk) {
    fragments_[0].chunk = channel_->acquire();
    waits_for_memory_ = !fragments_[0].chunk;
    if (waits_for_memory_) return false;
  }
  reply_.open_data();
  post_more();
  reply_.give(Cts::Code::fragments, row(), channel_->detail(), channel_->fragment_bytes());
  return true;
}

// A fragment that has memory keeps it for the next one; others get some if there is any.
void FragmentReceiver::post_more() {
  for (Fragment& fragment : fragments_) {
    if (offset_ == rts().bytes) return;
    if (fragment.state != Fragment::State::idle) continue;
    if (channel_->needs_memory() && !fragment.chunk) fragment.chunk = channel_->acquire();
    if (!channel_->needs_memory() || fragment.chunk) post(fragment);
  }
}

void FragmentReceiver::post(Fragment& fragment) {
  fragment.number = posted_;
  fragment.range = {offset_, std::min(offset_ + channel_->fragment_bytes(), rts().bytes)};
  std::byte* const data = channel_->in_place() ? side_.route.first + offset_ : fragment.chunk.data();
  channel_->receive(fragment.slot, data, fragment.range.end - fragment.range.begin, reply_.data().tag);
  fragment.state = Fragment::State::receiving;
  offset_ = fragment.range.end;
  ++posted_;
  ++steps_;
}

bool FragmentReceiver::advance(Fragment& fragment) {
  if (fragment.state == Fragment::State::receiving && !arrive(fragment)) return false;
  if (!finish(fragment)) return false;
  ++finished_;
  ++steps_;
  if (offset_ < rts().bytes) {
    post(fragment);
  } else {
    fragment.chunk = Block();
  }
  return true;
}

// A sender that fails sends its notice last, and fragments match in order: nothing matches the receives after
// it.
bool FragmentReceiver::arrive(Fragment& fragment) {
  using Arrival = ReceiveChannel::Arrival;
  Arrival arrival{};
  try {
    arrival = channel_->arrived(fragment.slot);
  } catch (...) {
    fragment.state = Fragment::State::unpacking;  // and not a notice of failure
    throw;
  }
  if (arrival == Arrival::under_way) return false;
  if (arrival == Arrival::nothing) {
    fragment.state = Fragment::State::idle;
    sender_failed_ = true;
    cancel_posted();
    return false;
  }
  fragment.state = Fragment::State::unpacking;
  if (!channel_->in_place() && !discarding_) {
    channel_->unpack(fragment.slot, side_, fragment.range, fragment.chunk.data(), fragment.unpacked,
                     fragment.number);
  }
  return true;
}

// If the message is dropped anyway, a failure is an end as well.
bool FragmentReceiver::unpacked(Fragment& fragment) const {
  try {
    return reached(fragment.unpacked, false);
  } catch (const GpuError&) {
    if (!discarding_) throw;
    return true;
  }
}

bool FragmentReceiver::finish(Fragment& fragment) {
  if (fragment.state == Fragment::State::unpacking) {
    if (!unpacked(fragment)) return false;
    fragment.unpacked.reset();
    fragment.state = Fragment::State::releasing;
  }
  if (fragment.state != Fragment::State::releasing || !channel_->release(fragment.slot)) return false;
  fragment.state = Fragment::State::idle;
  return true;
}

void FragmentReceiver::cancel_posted() {
  for (Fragment& fragment : fragments_) {
    if (fragment.state == Fragment::State::receiving) channel_->cancel(fragment.slot);
  }
}

// A fragment that came before the notice must be released, too.
bool FragmentReceiver::nothing_posted() {
  using Arrival = ReceiveChannel::Arrival;
  for (Fragment& fragment : fragments_) {
    if (fragment.state != Fragment::State::receiving) continue;
    const Arrival arrival = channel_->arrived(fragment.slot);
    if (arrival == Arrival::under_way) return false;
    fragment.state = arrival == Arrival::whole ? Fragment::State::unpacking : Fragment::State::idle;
  }
  return true;
}

bool FragmentReceiver::withdrawn() {
  if (!nothing_posted()) return false;
  for (Fragment& fragment : fragments_) {
    if (fragment.state != Fragment::State::idle && !finish(fragment)) return false;
  }
  offset_ = rts().bytes;
  finished_ = posted_;
  sender_failed_ = false;
  for (Fragment& fragment : fragments_) fragment.chunk = Block();
  if (!discarding_) reply_.sender_failed();
  return true;
}

void FragmentReceiver::discard() {
  discarding_ = true;
  if (reply_.given()) return;
  refused_ = true;
  cancel_posted();  // where posting failed half way
}

}  // namespace typewarp::transport
