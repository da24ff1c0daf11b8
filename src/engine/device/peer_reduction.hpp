// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/flags.hpp"
#include "engine/runtime/memory.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/operation.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>

namespace typewarp::gpu {

/// Numbers that each rank of a group has, combined element by element in the order of ranks, whatever their
/// count: so the same bits come out everywhere and each time. All ranks give the same but for the addresses.
struct NumbersOfRanks {
  /// Who gets the result: everybody all of it, the root all of it, each its share; or each what the ranks up
  /// to it have, or those before it. Nothing is combined where everybody gets the bytes of the root, or share
  /// r of the bytes is what rank r has (gathered) or what goes from rank r to it and from it to rank r
  /// (exchanged; then all shares are equal).
  enum class Result : std::uint8_t {
    of_all,
    of_root,
    of_own,
    up_to_own,
    before_own,
    from_root,
    gathered,
    exchanged
  };
  bool combines() const noexcept { return result < Result::from_root; }

  static constexpr int most_ranks = 8;

  const std::byte* in;  ///< of this rank's device; what is gathered of this rank alone
  std::byte* out;       ///< of this rank's result, perhaps `in`; null where it gets nothing
  Named type;           ///< std::byte or the like where nothing is combined, and no operation then
  Operation operation;
  Result result;
  int root = 0;
  /// Share r is from number shares[r] to shares[r + 1]; the last one ends where the numbers do. Of
  /// `from_root` only that counts, and the others are 0.
  std::int64_t shares[most_ranks + 1] = {};

  /// Whether the buffers that receive bytes are mapped, and the root's in a broadcast. Where kernels tell
  /// each other, a rank knows only how the others address its own buffer.
  enum class Mapping : std::uint8_t {
    none,
    known,  ///< on all ranks: buffers[r] is that of rank r, as this rank's device addresses it
    told    ///< kernels find out: buffers[r] is this rank's, as rank r's device addresses it; null: it is not
  };
  Mapping mapping = Mapping::none;
  std::byte* buffers[most_ranks] = {};

  /// Equal shares but for the last ones, which begin where packs of numbers of any type do.
  void share_evenly(std::int64_t count, int ranks) noexcept;
  /// Whether packs of so many numbers can be moved at once, but for the last one of a share: this rank's
  /// memory, and all shares with numbers, begin where packs do.
  bool are_in_packs(int ranks, std::int64_t in_pack) const noexcept;
};

/// How the memory of a rank is divided.
struct PeerReductionMemory {
  static constexpr int blocks = 96;  ///< of a launch: all run at once, on a part of the multiprocessors
  static constexpr int pack = 16;    ///< bytes that a thread moves at a time
  static constexpr int threads = 512;
  /// Packs that a block has room for in each of two steps, from each rank: two tiles.
  static constexpr std::int64_t room = 8 * threads;
  static constexpr std::int64_t longest_tile = room / 2;  ///< packs

  /// Counts tiles. In 64 bits, as a block that short calls do not use may be that far behind.
  using Turn = std::uint64_t;
  /// One for each block of each rank, in each of two steps.
  static constexpr std::int64_t turns = std::int64_t{2} * NumbersOfRanks::most_ranks * blocks * sizeof(Turn);
  /// The address of a rank's buffer, as another rank has mapped it: one for each block.
  static constexpr std::int64_t addresses =
      std::int64_t{NumbersOfRanks::most_ranks} * blocks * sizeof(std::byte*);
  /// Bytes of a rank's tiles in one of two steps.
  static constexpr std::int64_t tiles = blocks * room * pack;
};

inline void NumbersOfRanks::share_evenly(std::int64_t count, int ranks) noexcept {
  constexpr std::int64_t unit = PeerReductionMemory::pack;
  const std::int64_t share = (count / ranks + (count % ranks > 0 ? 1 : 0) + unit - 1) / unit * unit;
  for (int rank = 0; rank < ranks; ++rank)
    shares[rank + 1] = shares[rank] + std::min(share, count - shares[rank]);
}

inline bool NumbersOfRanks::are_in_packs(int ranks, std::int64_t in_pack) const noexcept {
  for (int rank = 0; rank < ranks; ++rank)
    if (shares[rank] < shares[rank + 1] && shares[rank] % in_pack != 0) return false;
  return std::ranges::all_of(std::array<const std::byte*, 2>{in, out}, [](const std::byte* address) {
    return reinterpret_cast<std::uintptr_t>(address) % PeerReductionMemory::pack == 0;
  });
}

/// Combines numbers of ranks on GPUs of one host, by one launch in each rank, whose kernels wait for each
/// other. Each rank has memory for what others give it, which all have mapped. Up to some length (one step)
/// each rank is given all numbers and combines them for itself; longer ones in two: each rank combines its
/// share, and gives the result to the others. In tiles, so that the memory is small and links are always
/// busy. A long broadcast goes in two steps as well: the root gives each of the others a share, which gives
/// it to the rest. If all ranks have mapped the receiving buffers, a long move stores directly into them, and
/// a broadcast loads from the root's: nothing goes through the memory.
///
/// All ranks make the same calls in one order, each when it has seen the one before end: it then knows that
/// all have begun that.
class PeerReduction {
 public:
  /// Packed bytes up to which one step is made: with n ranks it sends n / 2 times as many bytes as two steps,
  /// and saves some 4 us.
  static constexpr std::int64_t one_step_bytes(int ranks) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 20;
    return ranks <= 3 ? most : most / (ranks - 2) / PeerReductionMemory::pack * PeerReductionMemory::pack;
  }
  /// Of each rank's memory: turns; addresses; numbers of one step, for two calls in turn; tiles of numbers
  /// and of results.
  static constexpr std::int64_t memory_bytes(int ranks) noexcept {
    using Memory = PeerReductionMemory;
    return Memory::turns + Memory::addresses + 2 * ranks * one_step_bytes(ranks) + 2 * ranks * Memory::tiles;
  }

  /// `memories`: of all ranks in their order, memory_bytes() each, which this device addresses, and 0 at
  /// first. They must stay as long as any rank makes calls. `in_a_row`: a stream has one call behind the
  /// other, so that each may begin beside the end of the one before. Throws GpuError.
  PeerReduction(int device, int rank, std::span<std::byte* const> memories, bool in_a_row = false);

  /// Whether the device runs blocks of another kernel beside all blocks of one that reduces, each of which
  /// takes a multiprocessor.
  static bool leaves_room(int device);

  int device() const noexcept { return device_; }
  /// Loads what such calls launch, before others wait for that: of one type, and combined or not. Throws
  /// GpuError.
  void load(const NumbersOfRanks& numbers) const;
  /// Enqueues all of one call, which may be captured into a graph. Preconditions: it is loaded, and its type
  /// can be combined so. Allocates nothing. Throws GpuError: then enqueued() tells whether the stream holds a
  /// part of it.
  void enqueue(const NumbersOfRanks& numbers, Stream stream);
  /// How many launches streams and graphs have been given.
  std::uint64_t enqueued() const noexcept { return enqueued_; }
  /// The last launch that has ended, but for those in graphs.
  std::uint64_t ended() const noexcept;
  /// Whether all that was enqueued has ended, but for what is in graphs.
  bool done() const noexcept { return ended() == launches_.load(); }
  /// Whether a launch waits for a peer, and has done so for some 100 us, also in a graph.
  bool waits() const noexcept;
  /// Whether one has begun such a wait since this was last asked.
  bool waits_anew() noexcept;
  /// What waits goes on, and what was enqueued stops combining. The memory must not be used again. Throws
  /// GpuError.
  void close() const { gate_.close(); }
  /// Throws GpuError for a device that has failed.
  void check_device() const;

 private:
  struct Steps {
    bool whole, in_one_step;
    std::int64_t begin, packs;
  };
  void launch(const NumbersOfRanks& numbers, const Steps& steps, const void* kernel, Stream stream);

  int device_, rank_, ranks_;
  bool in_a_row_;
  std::array<std::byte*, NumbersOfRanks::most_ranks> memories_{};
  DeviceFlags gate_;                         ///< one, closed by close()
  DeviceAllocation counts_;                  ///< of launches, as the device counts them
  PinnedBuffer news_;                        ///< of launches, as the device tells them
  std::atomic<std::uint64_t> launches_ = 0;  ///< that are counted
  std::uint64_t enqueued_ = 0;
};

}  // namespace typewarp::gpu
