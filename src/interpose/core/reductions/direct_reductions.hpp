// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/peer_reduction.hpp"
#include "interpose/core/collectives/call.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/reductions/direct_peers.hpp"
#include "schedule/streams/peer_memory.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace typewarp::interpose {

/// What this rank gives to a reduction on GPUs, or to a move.
struct DirectNumbers {
  gpu::NumbersOfRanks numbers;
  int device;  ///< that has them
  std::int64_t bytes;

  /// Of a move: where all ranks get its bytes, and the root has them. Collective. As PeerMemory::of_given().
  std::unique_ptr<exchange::PeerMemory> buffers_of(exchange::ExchangeGroup& group) const;
  void use(const exchange::PeerMemory& buffers) noexcept;
};
/// Of a call that GPUs can make so.
gpu::NumbersOfRanks::Result result_of(CallPattern pattern) noexcept;
/// Nothing if the MPI must refuse the call, or GPUs cannot combine the numbers: other types and operations,
/// and numbers that are not on one device; or if the bytes of a broadcast have gaps. Throws MpiError,
/// GpuError.
std::optional<DirectNumbers> direct_numbers_of(const Call& call);
/// Of a long move. A gather or exchange whose packs would be moved in single bytes has a better way.
bool is_worth_tiles(const Call& call, const DirectNumbers& own) noexcept;
/// As direct_numbers_of(), of a call that does not block. Nothing also where this rank cannot find out: then
/// the call goes by messages, which tell why.
std::optional<DirectNumbers> numbers_started_at_once(const Call& call) noexcept;

/// The reductions and moves of a communicator of one host that GPUs make at once. The memory through
/// which they go is made at the first one, so that all are made alike: the same numbers give the same bits
/// each time. One thread at a time calls.
class DirectReductions {
 public:
  enum class Calls : std::uint8_t { blocking, nonblocking };
  explicit DirectReductions(Calls of) noexcept : calls_(of) {}
  DirectReductions& operator=(DirectReductions&&) = delete;
  ~DirectReductions();

  /// Counts a call. Whether the ranks ask each other in it: the same in all. Once one was made so they always
  /// do, as other ways may combine in another order.
  bool asks_next() noexcept { return !is_refused_ && (has_reduced_ || patience_.asks_next()); }
  /// What this rank gives of a call that it can make so. Throws GpuError.
  std::uint64_t bits_of(const DirectNumbers& own);
  /// Decides by the bits that all ranks gave. If only a seat is missing somewhere, none of the communicator's
  /// reductions is ever made so.
  bool choose(std::uint64_t given_by_all) noexcept;

  /// The same of a move, which may be made so or not each time, and needs no seat of reductions. `anyway`:
  /// the ranks ask each other of this call.
  bool asks_next_move(gpu::NumbersOfRanks::Result of, bool anyway) noexcept {
    const bool asks = moves_.patience_of(of).asks_next();
    return !moves_.are_refused && (asks || anyway);
  }
  /// Not in the first one, since most communicators make few, and the memory is large. Throws GpuError.
  bool can_move(const DirectNumbers& own);

  /// Once they do: whether the memory is there, which is made if it is not. Collective. Throws MpiError.
  bool is_ready(const DirectNumbers& own, DirectPeers& peers);
  /// Makes the call, for which the memory is ready. Collective; waits for the end at this rank. Throws as
  /// DirectCalls::make().
  void make(const DirectNumbers& own, DirectPeers& peers, Stream stream, CommAgreement& agreement);

  // Once they do, a call that must not wait, in steps.
  /// Whether the memory is there: the same in all ranks.
  bool is_prepared() const noexcept { return reduction_ != nullptr; }
  /// For as many ranks. Throws GpuError.
  exchange::PeerMemory::Offer offer(const DirectNumbers& own, int ranks);
  /// Whether this rank has mapped what all offer. Throws GpuError, Error.
  bool map(const DirectNumbers& own, int rank, std::span<const exchange::PeerMemory::Offer> all);
  /// Not all have: none of the communicator's reductions is ever made so.
  void refuse() noexcept;
  /// Throws GpuError.
  void start(const DirectNumbers& own, Stream stream) { reduction_->enqueue(own.numbers, stream); }
  /// Throws GpuError for a device that has failed.
  bool done();
  /// What was started ends without its result, and no other call is made so.
  void abandon() noexcept;

 private:
  static constexpr std::uint64_t fits = 1, has_seat = 2;

  bool is_able(const DirectNumbers& own);
  bool may_wait_on(int device);
  bool prepare(const DirectNumbers& own, DirectPeers& peers);
  void load(const gpu::NumbersOfRanks& numbers);

  Calls calls_;
  Patience patience_;
  bool is_refused_ = false, has_reduced_ = false;
  struct Moves {
    bool are_refused = false, has_seen_one = false;
    std::array<Patience, 3> patience;  ///< of broadcasts, allgathers, alltoalls

    Patience& patience_of(gpu::NumbersOfRanks::Result result) noexcept {
      return patience[static_cast<std::size_t>(result) -
                      static_cast<std::size_t>(gpu::NumbersOfRanks::Result::from_root)];
    }
  } moves_;
  std::optional<HeldSeat> seat_;
  std::unique_ptr<exchange::PeerMemory> memory_;
  std::unique_ptr<gpu::PeerReduction> reduction_;
  struct Loaded {
    Named type;
    gpu::NumbersOfRanks::Result result;  ///< of_all stands for all that are combined
    friend bool operator==(const Loaded&, const Loaded&) = default;
  };
  std::vector<Loaded> loaded_;
  std::chrono::steady_clock::time_point looked_at_device_;
};

}  // namespace typewarp::interpose
