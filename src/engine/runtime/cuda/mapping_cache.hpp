// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/share.hpp"

#include <compare>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <mutex>

namespace typewarp::gpu {

/// An allocation of another process, mapped for one device.
struct Mapping {
  struct Key {
    std::array<std::uint64_t, 2> process;
    std::uint64_t allocation;
    int device;
    auto operator<=>(const Key&) const = default;
  };

  Key key;
  std::uint64_t base;  ///< in that process
  std::int64_t size;
  void* address;  ///< of the base, here
  std::int64_t holders;
};

/// Mappings that are in use, and those kept for the next use: each is opened once. All functions may be
/// called by several threads.
class MappingCache {
 public:
  /// Maps all of the allocation for a device; null, with the reason, where that cannot be done.
  using Open = std::function<void*(const SharedMemory&, int device, std::string& reason)>;
  /// Unmaps. Must not throw.
  using Close = std::function<void(const Mapping&)>;

  /// At most `limit` mappings are open, unless more are held.
  MappingCache(Open open, Close close, std::size_t limit)
      : open_(std::move(open)), close_(std::move(close)), limit_(limit) {}

  /// To be given back by release(); null for what is told of otherwise than before, and where `open` gave
  /// null, twice if there was anything that could have
  /// stood in its way. Memory that overlaps this, but is of another allocation, was freed by its process: it
  /// is closed before, since two mappings of one address of a process do not go together.
  const Mapping* acquire(const SharedMemory& memory, int device, std::string& reason);
  void release(const Mapping* mapping) noexcept;

  void close_idle() noexcept;
  ImportCount count() noexcept;

 private:
  using List = std::list<Mapping>;

  template <typename Condition>
  bool close_idle_if(const Condition& condition) noexcept;
  void close_oldest() noexcept;
  List::iterator close(List::iterator mapping) noexcept;
  void* open(const SharedMemory& memory, int device, std::string& reason);

  Open open_;
  Close close_;
  std::size_t limit_;
  std::mutex mutex_;  ///< guards what follows, and is held while a mapping is opened: nobody else opens it
  List held_;
  List idle_;  ///< the longest idle one first
  std::map<Mapping::Key, List::iterator> mappings_;
};

}  // namespace typewarp::gpu
