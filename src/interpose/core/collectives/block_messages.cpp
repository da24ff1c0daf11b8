// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/block_messages.hpp"

#include "engine/dispatch.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"
#include "transport/collective/collective_context.hpp"
#include "transport/collective/exchange.hpp"
#include "transport/memory/reserve.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <exception>
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

namespace {

constexpr int only_tag = 0;

/// Copies behind what `stream` holds, and waits for that.
void copy_block(const Data& from, const Data& to, Stream stream) {
  const engine::Route route({&to.plan, to.count, to.address}, {&from.plan, from.count, from.address});
  const auto pinned = [](const engine::SideLocation& place) {
    return place.memory.kind == MemoryKind::pinned;
  };
  constexpr int current = -1;
  // The host does not wait for streams, whose kernels may write page-locked memory.
  if (route.on_host() && (pinned(route.source) || pinned(route.destination)))
    gpu::Event(current, stream).wait();
  copy(from.address, from.count, from.plan, to.address, to.count, to.plan, stream);
  if (!route.on_host()) gpu::Event(route.device(gpu::stream_device(stream)), stream).wait();
}

}  // namespace

void BlockMessages::exchange() {
  const Stream stream = stream_of(comm_);
  const auto channel = transport::CollectiveContext::of(comm_);
  std::optional<OwnBlock> own;
  const auto blocks = channel->or_spoil([&] {
    own = transport::insist([&] { return take_own(); });
    return transport::insist([&] { return along(channel, stream); });
  });
  Request messages = blocks->begin();
  std::exception_ptr failure;
  try {
    if (own) copy_block(own->from, own->to, stream);
  } catch (...) {
    failure = std::current_exception();
  }
  messages.wait();
  if (failure) std::rethrow_exception(failure);
}

std::optional<int> BlockMessages::device() const noexcept {
  const auto is_there = [](const Data& data) { return !is_nowhere(data) && gpu::on_device(data.address); };
  try {
    for (const std::vector<Data>* all : {&blocks_.outgoing, &blocks_.incoming}) {
      const auto found = std::ranges::find_if(*all, is_there);
      if (found != all->end()) return pointer_info(found->address).device;
    }
  } catch (const std::exception&) {  // the messages find out, and tell
  }
  return std::nullopt;
}

void BlockMessages::start(const Form& form) {
  using transport::CollectiveContext;
  const std::shared_ptr<CollectiveContext> channel =
      form.is_persistent ? CollectiveContext::apart(comm_) : CollectiveContext::of(comm_);
  // To make a persistent request may wait for others.
  channel->made(form.is_persistent);
  *form.request = channel->or_spoil([&] {
    const auto blocks = transport::insist([&] { return along(channel, stream_of(comm_)); });
    const auto start = [blocks] { return one(blocks->begin()); };
    return form.is_persistent ? operations().add_persistent(comm_, start)
                              : operations().add_started(comm_, start, blocks);
  });
}

std::shared_ptr<LongBlocks> BlockMessages::along(std::shared_ptr<transport::CollectiveContext> channel,
                                                 Stream stream) {
  return std::make_shared<LongBlocks>(comm_, std::move(channel), stream, std::move(blocks_));
}

std::optional<BlockMessages::OwnBlock> BlockMessages::take_own() {
  const auto find = [this](const std::vector<transport::Neighbours::Edge>& all) {
    return std::ranges::find(all, own_, &transport::Neighbours::Edge::rank) - all.begin();
  };
  auto& [edges, outgoing, incoming, replaces, failure] = blocks_;
  const auto sent = find(edges.destinations);
  const auto received = find(edges.sources);
  if (failure || replaces || sent == std::ssize(outgoing) || received == std::ssize(incoming))
    return std::nullopt;
  const Data& from = outgoing[static_cast<std::size_t>(sent)];
  const Data& to = incoming[static_cast<std::size_t>(received)];
  // A message tells of what is too long, and moves what no kernel reaches as a whole.
  if (from.bytes() != to.bytes() || from.is_moved_packed() || to.is_moved_packed()) return std::nullopt;
  OwnBlock own{from, to};  // what lacks memory comes before anything is taken
  edges.destinations.erase(edges.destinations.begin() + sent);
  outgoing.erase(outgoing.begin() + sent);
  edges.sources.erase(edges.sources.begin() + received);
  incoming.erase(incoming.begin() + received);
  return own;
}

void BlockMessages::add(const CallBlocks& blocks) {
  for (const CallBlocks::Block& block : blocks.sends) send(block.rank, blocks.from, block.place);
  for (const CallBlocks::Block& block : blocks.receives) receive(block.rank, blocks.to, block.place);
  blocks_.replaces = blocks.replaces;
  if (blocks_.replaces) blocks_.edges.destinations = blocks_.edges.sources;
}

void BlockMessages::fail(const CallBlocks& blocks, std::exception_ptr why) {
  const auto edges_of = [](const std::vector<CallBlocks::Block>& all, const TypedBuffer& side) {
    std::vector<transport::Neighbours::Edge> edges;
    for (const CallBlocks::Block& block : all) {
      if (packed_bytes(block.place.count, side.type) > 0) edges.push_back({block.rank, only_tag});
    }
    return edges;
  };
  transport::Neighbours edges{.sources = edges_of(blocks.receives, blocks.to),
                              .destinations = edges_of(blocks.sends, blocks.from)};
  if (blocks.replaces) edges.destinations = edges.sources;
  blocks_.edges = std::move(edges);
  blocks_.failure = std::move(why);
}

void BlockMessages::add(std::vector<transport::Neighbours::Edge>& edges, std::vector<Data>& all, int rank,
                        const TypedBuffer& side, BlockPlace place) {
  if (place.count == 0) return;
  if (place.count < 0 || side.type == MPI_DATATYPE_NULL)
    throw InvalidArgument("typewarp", "count", place.count, "must be one of items of a datatype");
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  mpi::check(PMPI_Type_get_extent(side.type, &lb, &extent), "MPI_Type_get_extent");
  const std::int64_t displacement = place.displacement * extent;
  const Data first = data_needed(side.buffer, place.count, side.type, comm_);
  if (first.bytes() == 0) return;
  if (is_nowhere(first)) throw InvalidArgument("typewarp", "buffer", "null", "must have items");
  all.push_back(data_needed(side.buffer, place.count, side.type, comm_, displacement));
  any_is_ours_ =
      any_is_ours_ || data_if_ours(side.buffer, place.count, side.type, comm_, displacement).has_value();
  bytes_ += first.bytes();
  edges.push_back({rank, only_tag});
}

}  // namespace typewarp::interpose
