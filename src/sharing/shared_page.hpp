// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/memory_file.hpp"
#include "engine/runtime/host_registration.hpp"
#include "engine/runtime/stream_operations.hpp"

#include <typewarp/registered_memory.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace typewarp::sharing {

/// Pieces of work on streams of one process. Each has a word for its number, in turn, and is done when the
/// stream has stored the number there.
struct TurnWords {
  static constexpr std::uint64_t words = 32;

  std::array<std::uint64_t, words> begun, done;

  /// Whether the last piece of work of a turn is not done.
  bool is_under_way(std::size_t turn) const noexcept;
};

/// What processes that share memory tell each other, in memory of the host that streams write, too.
struct PageContent {
  static constexpr int peers = RegisteredMemory::most_peers;
  struct PeerSlot {
    std::uint64_t holder;  ///< process and number of its file, in 32 bits each; 0: nobody
    TurnWords turns;
  };

  std::uint64_t ended;
  TurnWords own;  ///< the waits of streams of the process that registered the memory
  std::array<PeerSlot, peers> slots;

  std::uint64_t* signals() noexcept { return reinterpret_cast<std::uint64_t*>(this + 1); }
};

/// Loads and stores of words that others and devices store, too.
inline std::uint64_t load(const std::uint64_t& word) noexcept {
  return std::atomic_ref(const_cast<std::uint64_t&>(word)).load();
}
inline void store(std::uint64_t& word, std::uint64_t value) noexcept { std::atomic_ref(word).store(value); }

/// Throws InvalidArgument that names "stream" for one that is captured into a graph: a replay has no turn.
void refuse_captured(std::string_view call, Stream stream);

/// Whether a process has a slot, and lives. `here` is where this process has the file.
bool is_held(const PageContent::PeerSlot& slot, const FilePlace& here) noexcept;
/// Takes a slot that nobody holds; null if there is none. One whose process died with work under way comes
/// last, and takes 100 ms: until then the device may still store its words.
PageContent::PeerSlot* take_slot(PageContent& content, const FilePlace& here) noexcept;
/// Frees the slots of processes that died with work under way, when that is over: 100 ms later.
void free_slots_of_the_dead(PageContent& content, const FilePlace& here) noexcept;

/// A mapping of the page of a registration, which streams of each device can write.
class SharedPage {
 public:
  /// A new one, all 0. Throws Error, GpuError.
  explicit SharedPage(int signals);
  /// That of another process. Throws Error where there is none; GpuError.
  SharedPage(const FilePlace& place, int signals);
  SharedPage& operator=(SharedPage&&) = delete;
  ~SharedPage();

  PageContent& operator*() const noexcept { return *content_; }
  PageContent* operator->() const noexcept { return content_; }
  int signals() const noexcept { return signals_; }
  /// Where this process has its file.
  FilePlace place() const noexcept { return place_of(file_); }
  /// Where a device has one of its words.
  std::uint64_t* on(int device, const std::uint64_t& word) const;
  /// Throws InvalidArgument for a signal that is none.
  std::uint64_t& signal(std::string_view call, std::string_view argument, int signal) const;
  /// Whether this process has made or opened it, and not one that it was forked from: a child must not act
  /// for its parent.
  bool is_own() const noexcept;
  /// Throws Error unless it is_own().
  void check_own() const;
  /// Leaves all mapped, and the file open: for the case that a stream may still use it that nobody can wait
  /// for.
  void abandon() noexcept;

 private:
  void map(bool made);

  FileDescriptor file_;
  std::int64_t process_;
  int signals_;
  std::int64_t bytes_;
  PageContent* content_ = nullptr;
  std::unique_ptr<gpu::HostRegistration> registration_;
};

/// Counts the pieces of work of a process, which have turns of a page.
class TurnCounter {
 public:
  /// Begins the next one, for a stream of a device. Waits while the piece of 32 turns ago is under way; false
  /// if that is so after `limit`. Throws GpuError for a device that has failed.
  bool begin(TurnWords& turns, int device, std::chrono::milliseconds limit);
  /// The word that says that this piece is done. A stream stores number() there, or the host if nothing was
  /// enqueued.
  std::uint64_t& done_word(TurnWords& turns) const noexcept { return turns.done[number_ % TurnWords::words]; }
  std::uint64_t number() const noexcept { return number_; }
  /// Returns true when no piece is under way, false if one is after `limit`. Throws GpuError if a device has
  /// failed: its work has ended, but says nothing.
  bool settle(const TurnWords& turns, std::chrono::milliseconds limit) const;

 private:
  std::uint64_t number_ = 0;
  std::array<int, TurnWords::words> devices_{};  ///< of the pieces
};

/// Whether some piece of work is not done.
bool under_way(const TurnWords& turns) noexcept;

/// A moment to wait for something that takes microseconds or, later, longer.
class Rest {
 public:
  /// At most `limit` from now on; 0: for ever.
  explicit Rest(std::chrono::milliseconds limit) noexcept : limit_(limit) {}
  /// Returns after a moment; false if the time is over.
  bool take() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::milliseconds limit_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace typewarp::sharing
