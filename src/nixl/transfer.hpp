// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/indexed_copies.hpp"
#include "engine/runtime/event.hpp"
#include "engine/runtime/stream.hpp"
#include "nixl/back_end.hpp"
#include "nixl/item_lists.hpp"
#include "nixl/memory.hpp"

#include <typewarp/indexed_copy.hpp>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace typewarp::nixl {

/// A stream of the back end for each GPU, made when it is needed first.
class Streams {
 public:
  /// Throws GpuError.
  Stream of(int device);
  /// What all that have been made have reached now. Throws GpuError.
  std::vector<gpu::Event> reached() const;

 private:
  std::map<int, gpu::OwnStream> made_;
};

/// Copies local descriptors to remote ones, or the other way round. May be posted again and again. Not thread
/// safe, as the memory and the streams are not.
class PageTransfer final : public NixlRequest {
 public:
  /// Acquires all that posting needs, and enqueues a copy of the lists. Of the lists the metadata are an
  /// OwnMemory and an OtherMemory each. Throws InvalidArgument for lists that do not fit each other or their
  /// memory, as RemoteMemory and IndexedCopy.
  PageTransfer(NixlOperation operation, const BackEnd::List& local, const BackEnd::List& remote,
               Streams& streams);

  /// Enqueues all. Waits for nothing, unless 32 of one GPU with memory of the same peer are under way.
  /// Precondition: it is not under way. Throws Disconnected where a peer has ended its memory or itself,
  /// GpuError; nothing is under way then.
  void post();
  /// Whether nothing of it is under way any more. Throws GpuError; likewise.
  bool is_over();
  /// Whether the last post() has enqueued all.
  bool is_posted() const noexcept { return is_posted_; }
  bool is_under_way() const noexcept;
  /// Until nothing is under way. Nobody else need be kept from the memory and the streams.
  void wait() noexcept;

  /// To be sent once it is over.
  struct Notification {
    std::string agent, message;
  };
  std::optional<Notification> notification;

 private:
  /// Runs of one length.
  struct Move {
    IndexedCopy copy;
    IndexList from, to;
    std::int64_t count;
  };
  /// What one GPU moves.
  struct Part {
    Stream stream;
    gpu::Event done;
    std::vector<std::shared_ptr<MemoryOfPeer>> peers;  ///< none: within this agent
    std::vector<ByteRun> single_runs{};                ///< longer than an item, or few
    std::vector<Move> moves{};                         ///< of all others
    std::unique_ptr<gpu::ResidentLists> lists{};       ///< of the moves
    bool is_under_way = false;
  };

  static void add_moves(Part& part, int device, std::span<const ItemList> all);
  static void post(Part& part);
  static void enqueue(Part& part);
  static void move(Part& part);

  std::vector<Part> parts_;
  bool is_posted_ = false;
};

}  // namespace typewarp::nixl
