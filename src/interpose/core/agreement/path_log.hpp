// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace typewarp::interpose {

/// Which path each call takes that some ranks make in one order, ours or the MPI's: the rank that comes to a
/// call first decides for all. It lies in memory that these ranks share, all zero at first. Nobody waits for
/// anybody: a rank may be any number of calls ahead of the others.
///
/// The log does not keep the path of each call, but the calls where it changes. Calls between two changes are
/// a run. Runs are the MPI's and ours alternately, and the first is the MPI's. One word, the head, says how
/// many calls are decided and which run is the last. It changes by compare-and-swap only, so of ranks that
/// come to a call at once one decides. A later one finds the call below the head's count, and looks for the
/// last run that begins at the call or before.
///
/// There is room for the last `kept` runs. A new run takes the place of the oldest one if no rank still has
/// to look for a call in that: each rank tells to which call it comes next, and those numbers only grow. If
/// some rank is too far behind, the path stays as it was last. So ahead of the slowest rank it changes in
/// fewer than `kept` calls, and the first rank may get another path than it wants. Both paths move any
/// memory, so that is right, but slow.
///
/// A rank writes the beginning of a new run before the head tells of it. It may be late: others have moved
/// the head meanwhile, and the word holds the beginning that the run got. That is a later call, since the
/// late rank's was decided before. So of two beginnings in one word the greater counts. A rank that dies
/// between two steps leaves a beginning that the head does not tell of, or nothing.
class PathLog {
 public:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free);
  static constexpr std::size_t kept = 16;  ///< runs: each change of programs that alternate takes one
  /// For so many ranks.
  static constexpr std::size_t words(std::size_t ranks) noexcept { return 1 + kept + ranks; }

  /// `memory` of at least words(ranks), which outlives this.
  explicit PathLog(std::span<Word> memory) noexcept
      : head_(&memory.front()), begins_(memory.subspan<1, kept>()), next_(memory.subspan(1 + kept)) {}

  /// Before others know of it: all calls are the MPI's until so many ranks have joined. The memory may be
  /// that of more ranks.
  void begin(std::size_t ranks) noexcept;
  /// Once each. This rank has made so many calls, without knowing of the log, by the MPI's way.
  void join(std::size_t rank, std::uint64_t calls) noexcept;

  /// Whether call number `call` goes by our way. Each rank asks in its order, from the first after join() on.
  /// `wanted`: what this rank chooses if it is the first; nothing if it does not care.
  bool is_ours(std::size_t rank, std::uint64_t call, std::optional<bool> wanted) noexcept;

 private:
  struct Head {
    std::uint64_t decided : 40;  ///< calls
    std::uint64_t missing : 16;  ///< ranks that have not joined
    std::uint64_t last : 8;      ///< run, modulo 256: ours if odd
  };
  Word& begin_of(std::size_t run) const noexcept { return begins_[run % kept]; }
  bool has_room_behind(std::size_t last) const noexcept;
  bool found(std::uint64_t call, std::size_t last) const noexcept;
  template <class Change>
  Head change_head(Change change) noexcept;

  Word* head_;
  std::span<Word, kept> begins_;  ///< call with which each run begins
  std::span<Word> next_;          ///< call to which each rank comes next
};

}  // namespace typewarp::interpose
