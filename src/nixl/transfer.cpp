// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/transfer.hpp"

#include "engine/runtime/memory.hpp"
#include "nixl/mailbox.hpp"

#include <typewarp/datatype.hpp>
#include <typewarp/engine.hpp>
#include <typewarp/error.hpp>
#include <typewarp/plan.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <set>
#include <utility>

namespace typewarp::nixl {
namespace {

/// What one GPU moves.
struct DeviceShare {
  std::vector<ByteRun> runs;
  std::vector<std::shared_ptr<MemoryOfPeer>> peers;  ///< of one peer, each once
};
using DeviceShares = std::map<int, DeviceShare>;

/// Bytes from the beginning of memory on. Throws InvalidArgument for what lies outside.
std::int64_t offset_in(std::uintptr_t begin, std::int64_t bytes, const NixlDescriptor& part) {
  const std::uintptr_t offset = part.address - begin;
  const auto all = static_cast<std::size_t>(bytes);
  if (part.address < begin || offset > all || part.bytes > all - offset) {
    throw InvalidArgument(caller, "addr", static_cast<long long>(part.address),
                          "must lie in registered memory, with all bytes");
  }
  return static_cast<std::int64_t>(offset);
}

/// One descriptor after the other of both lists; in most lists many of one memory follow each other.
class Pairing {
 public:
  /// Of so many descriptors.
  Pairing(NixlOperation operation, std::size_t count) noexcept : operation_(operation), count_(count) {}

  void add(const KnownMemory& local, const KnownMemory& remote) {
    if (local.bytes != remote.bytes) {
      throw InvalidArgument(caller, "len", static_cast<long long>(remote.bytes),
                            "must be that of the local descriptor, " + std::to_string(local.bytes));
    }
    if (local.metadata != last_local_ || remote.metadata != last_remote_) follow(local, remote);
    std::byte* const here =
        own_->address() + offset_in(reinterpret_cast<std::uintptr_t>(own_->address()), own_->bytes(), local);
    std::byte* const there = found_->address + offset_in(other_->begin(), other_->bytes(), remote);
    const auto bytes = static_cast<std::int64_t>(local.bytes);
    share_->runs.push_back(operation_ == NixlOperation::write ? ByteRun{here, there, bytes}
                                                              : ByteRun{there, here, bytes});
  }
  DeviceShares& shares() noexcept { return shares_; }

 private:
  void follow(const KnownMemory& local, const KnownMemory& remote) {
    if (local.metadata == nullptr || remote.metadata == nullptr)
      throw InvalidArgument(caller, "metadata", "none", "must be of registered memory");
    own_ = static_cast<const OwnMemory*>(local.metadata);
    other_ = static_cast<OtherMemory*>(remote.metadata);
    const int device = own_->device();
    found_ = &other_->find(device);
    // An IndexedCopy is made by the GPU that has its source.
    const int mover = operation_ == NixlOperation::read ? found_->reader : device;
    if (mover != device) found_ = &other_->find(mover);
    share_ = &shares_[mover];
    share_->runs.reserve(count_);
    if (found_->peer && seen_.insert(found_->peer.get()).second) {
      if (!share_->peers.empty() && share_->peers.front()->words != found_->peer->words)
        throw InvalidArgument(caller, "metadata", "that of several peers", "must be of one");
      share_->peers.push_back(found_->peer);
    }
    last_local_ = local.metadata;
    last_remote_ = remote.metadata;
  }

  NixlOperation operation_;
  std::size_t count_;
  DeviceShares shares_;
  std::set<const MemoryOfPeer*> seen_;  ///< each is of one device, and so of one share
  const NixlMetadata* last_local_ = nullptr;
  const NixlMetadata* last_remote_ = nullptr;
  const OwnMemory* own_ = nullptr;
  OtherMemory* other_ = nullptr;
  const MappedMemory* found_ = nullptr;
  DeviceShare* share_ = nullptr;
};

Plan plan_of(std::int64_t bytes) { return commit(contiguous(bytes, Datatype(Named::byte))); }

ItemArray array_of(const ItemSide& side, const Plan& item) {
  return {side.first, side.count, side.stride, item};
}

IndexedCopy copy_of(const ItemList& items) {
  const Plan item = plan_of(items.bytes);
  const ItemArray from = array_of(items.from, item), to = array_of(items.to, item);
  return IndexedCopy({&from, 1}, {&to, 1});
}

}  // namespace

std::vector<gpu::Event> Streams::reached() const {
  std::vector<gpu::Event> events;
  for (const auto& [device, stream] : made_) events.emplace_back(device, stream.get());
  return events;
}

Stream Streams::of(int device) { return made_.try_emplace(device, device).first->second.get(); }

PageTransfer::PageTransfer(NixlOperation operation, const BackEnd::List& local, const BackEnd::List& remote,
                           Streams& streams) {
  const std::vector<KnownMemory>&here = local.all(), &there = remote.all();
  if (here.size() != there.size()) {
    throw InvalidArgument(caller, "descriptors", static_cast<long long>(there.size()),
                          "must be as many as the local ones, " + std::to_string(here.size()));
  }
  Pairing pairing(operation, here.size());
  for (std::size_t i = 0; i < here.size(); ++i) pairing.add(here[i], there[i]);
  for (auto& [device, share] : pairing.shares()) {
    Part& part = parts_.emplace_back(Part{streams.of(device), gpu::Event(device), std::move(share.peers)});
    const bool are_few = share.runs.size() <= few_runs;
    const auto is_item = [&](const ByteRun& run) { return !are_few && run.bytes <= longest_item; };
    const auto single_ones = std::ranges::stable_partition(share.runs, is_item);
    part.single_runs.assign(single_ones.begin(), single_ones.end());
    share.runs.erase(single_ones.begin(), single_ones.end());
    add_moves(part, device, item_lists_of(share.runs));
  }
}

void PageTransfer::add_moves(Part& part, int device, std::span<const ItemList> all) {
  std::vector<const ItemSide*> sides;
  std::int64_t bytes = 0;
  for (const ItemList& items : all) {
    for (const ItemSide* const side : {&items.from, &items.to}) {
      sides.push_back(side);
      bytes += side->list_bytes();
    }
  }
  if (bytes == 0) return;
  part.lists = std::make_unique<gpu::ResidentLists>(device, bytes, part.stream, [&](std::byte* place) {
    for (const ItemSide* const side : sides) {
      side->write_list(place);
      place += side->list_bytes();
    }
  });
  const std::byte* place = part.lists->data();
  const auto next = [&](const ItemSide& side) {
    IndexList list;
    list.values = std::exchange(place, place + side.list_bytes());
    list.bytes = side.index_bytes();
    return list;
  };
  for (const ItemList& items : all) {
    const IndexList from = next(items.from), to = next(items.to);
    part.moves.push_back({copy_of(items), from, to, std::ssize(items.from.indices)});
  }
}

void PageTransfer::post() {
  is_posted_ = false;
  try {
    for (Part& part : parts_) post(part);
  } catch (...) {
    wait();  // NIXL releases what has failed without a further question
    throw;
  }
  is_posted_ = true;
}

void PageTransfer::post(Part& part) {
  if (part.peers.empty()) return enqueue(part);
  try {
    part.peers.front()->words->use(part.stream, [&] {
      for (const auto& peer : part.peers)
        if (!peer->is_registered()) throw Disconnected("typewarp: a peer has deregistered the memory");
      enqueue(part);
    });
  } catch (const GpuError&) {
    throw;
  } catch (const InvalidArgument&) {
    throw;
  } catch (const Error& error) {
    throw Disconnected(error.what());
  }
}

void PageTransfer::enqueue(Part& part) {
  part.is_under_way = true;
  try {
    move(part);
  } catch (...) {
    part.done.record(part.stream);
    throw;
  }
  part.done.record(part.stream);
}

void PageTransfer::wait() noexcept {
  for (Part& part : parts_) {
    if (!std::exchange(part.is_under_way, false)) continue;
    try {
      part.done.wait();
    } catch (const GpuError&) {
      continue;  // nothing of the device goes on then
    }
  }
}

void PageTransfer::move(Part& part) {
  const Plan byte = plan_of(1);
  for (const ByteRun& run : part.single_runs)
    copy(run.from, run.bytes, byte, run.to, run.bytes, byte, part.stream);
  for (Move& move : part.moves) move.copy.copy(move.from, move.to, move.count, part.stream);
}

bool PageTransfer::is_under_way() const noexcept {
  return std::ranges::any_of(parts_, [](const Part& part) { return part.is_under_way; });
}

bool PageTransfer::is_over() {
  try {
    for (Part& part : parts_) {
      if (part.is_under_way && !part.done.done()) return false;
      part.is_under_way = false;
    }
  } catch (...) {
    is_posted_ = false;
    wait();
    throw;
  }
  return true;
}

}  // namespace typewarp::nixl
