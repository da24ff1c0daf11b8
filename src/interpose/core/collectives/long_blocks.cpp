// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/long_blocks.hpp"

#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"
#include "transport/memory/reserve.hpp"

#include <utility>

namespace typewarp::interpose {

LongBlocks::LongBlocks(MPI_Comm comm, std::shared_ptr<transport::CollectiveContext> channel, Stream stream,
                       MessageBlocks&& blocks)
    : comm_(comm),
      stream_(stream),
      copies_(std::make_shared<Copies>()),
      messages_(comm, std::move(blocks.edges), std::move(channel)),
      blocks_(std::move(blocks)) {
  if (!blocks_.failure) get_room();
}

void LongBlocks::get_room() {
  try {
    transport::insist([this] {
      copies_->received.clear();
      receives_.clear();
      for (const Data& data : blocks_.incoming) receives_.push_back(to_receive(data));
    });
  } catch (...) {
    blocks_.failure = std::current_exception();
  }
}

void LongBlocks::copy_outgoing() {
  copies_->sent.clear();
  sends_.clear();
  for (const Data& data : blocks_.replaces ? blocks_.incoming : blocks_.outgoing)
    sends_.push_back(to_send(data));
  // Nothing comes from neighbours that are MPI_PROC_NULL: there the copy must be what was there.
  Moves before;
  for (const Copied& copied : copies_->received) before.pack(copied.data, copied.memory.data());
  before.reached(true);
}

Request LongBlocks::begin(std::exception_ptr failure) {
  if (!failure) failure = blocks_.failure;
  try {
    if (!failure) return start();
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    return messages_.start_failed(failure);  // other ranks may wait for what begins here
  } catch (...) {
    std::rethrow_exception(failure);  // which is why that fails, too
  }
}

Request LongBlocks::start() {
  transport::insist([this] { copy_outgoing(); });
  if (copies_->sent.empty() && copies_->received.empty()) return messages_.start(sends_, receives_, stream_);
  const auto unpack = [copies = copies_](const Status&, Moves& moves) {
    for (const Copied& copied : copies->received)
      moves.unpack(copied.memory.data(), copied.data.bytes(), copied.data);
  };
  const auto start = [this] { return messages_.start(sends_, receives_, stream_); };
  return transport::insist([&] { return continued(start, comm_, unpack); });
}

SendPart LongBlocks::to_send(const Data& data) {
  if (!blocks_.replaces && !data.is_moved_packed()) return {data.address, data.count, data.plan};
  const PackedCopy& copy = copies_->sent.emplace_back(data);
  return {copy.data(), copy.bytes(), bytes_plan()};
}

RecvPart LongBlocks::to_receive(const Data& data) {
  if (!data.is_moved_packed()) return {data.address, data.count, data.plan};
  copies_->received.push_back({data, staging_for_moves(data.bytes())});
  return {copies_->received.back().memory.data(), data.bytes(), bytes_plan()};
}

}  // namespace typewarp::interpose
