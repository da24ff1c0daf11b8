// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/memory.hpp"
#include "interpose/core/collectives/block_messages.hpp"
#include "interpose/core/collectives/call.hpp"
#include "transport/memory/host_buffer.hpp"

#include <typewarp/reduce.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

/// Calls that combine numbers of all ranks: each combines its share, on the device that has its numbers.
namespace typewarp::interpose {

/// Memory for what other ranks send to be combined. That of a device is kept for later calls, since other
/// ranks map it, and one call has all of it at a time.
class ReductionScratch {
 public:
  /// The most bytes, the same in all ranks of the Session; 0 without one.
  static std::int64_t most_bytes() noexcept;
  static constexpr int host = -1;

  /// At most most_bytes() bytes of a device, or of the host. Throws GpuError, std::bad_alloc, and Error where
  /// another thread has those of the device.
  ReductionScratch(int device, std::int64_t bytes);
  ReductionScratch& operator=(ReductionScratch&&) = delete;
  ~ReductionScratch();

  std::byte* data() const noexcept { return data_; }

 private:
  int device_;
  transport::HostBuffer of_host_;
  std::byte* data_;
};

/// What is kept of each device: a member of the job. Thread safe.
class ReductionScratchPool {
 public:
  /// The most bytes, on which the ranks of the Session have agreed.
  explicit ReductionScratchPool(std::int64_t most_bytes) noexcept : most_bytes_(most_bytes) {}

  std::int64_t most_bytes() const noexcept { return most_bytes_; }
  /// Throws GpuError, std::bad_alloc, and Error where it is taken.
  std::byte* take(int device);
  void give_back(int device) noexcept;

 private:
  struct OfDevice {
    std::unique_ptr<gpu::DeviceAllocation> memory;
    bool is_taken = false;
  };
  std::int64_t most_bytes_;
  std::mutex mutex_;
  std::map<int, OfDevice> of_devices_;
};

/// What the engine can combine.
struct Numbers {
  MPI_Datatype type;
  Named named;
  typewarp::Operation operation;  ///< not that of requests
  std::int64_t extent;            ///< bytes from one to the next
};
/// Nothing of what it cannot. Throws MpiError.
std::optional<Numbers> numbers_of(MPI_Datatype type, MPI_Op op);

/// The device where the engine combines two buffers, or ReductionScratch::host; nothing where it would have
/// to bring them to one place, or to wait for work of streams.
std::optional<int> home_of(const void* in, const void* inout);
/// Waits for what a stream has combined there. Throws GpuError.
void wait_for(int home, Stream stream);

/// A call at this rank: numbers from `from` on, and those of the others, are combined to `to`. Either may be
/// null: what is not this rank's to take or to get, or the MPI's to refuse.
struct ReductionCall {
  enum class Result : std::uint8_t { of_all, of_root, of_own };

  MPI_Comm comm;
  Numbers numbers;
  const void* from;
  void* to;
  std::vector<std::int64_t> shares;  ///< rank r combines numbers shares[r] to shares[r + 1]
  Result result;
  int root = 0;

  std::int64_t count() const noexcept { return shares.back(); }
  std::int64_t first(int rank) const noexcept { return shares[static_cast<std::size_t>(rank)]; }
  std::int64_t share(int rank) const noexcept { return first(rank + 1) - first(rank); }
  /// Whether a rank's share of the result is for another.
  bool goes(int of, int rank) const noexcept {
    return result == Result::of_own ? of == rank : result == Result::of_all || rank == root;
  }
};

/// Numbers of each of so many equal parts, but for the last ones: kernels move aligned words of them.
std::int64_t aligned_part(std::int64_t count, std::int64_t parts) noexcept;
/// Equal shares but for the last, of a count that ranks divide where words begin.
std::vector<std::int64_t> even_shares(std::int64_t count, int ranks);

/// A call in steps, each of a piece of every share: the ranks that have them get what the others have of it,
/// combine it, and send the result on.
class ReduceScatterAllgather {
 public:
  /// `call` must live as long as this.
  ReduceScatterAllgather(const ReductionCall& call, const Participants& ranks) noexcept;

  /// Bytes of the longest piece; 0 where there is no memory for one.
  std::int64_t piece_bytes() const noexcept { return piece_ * call_.numbers.extent; }
  /// Takes memory for partial results: of the device that has the numbers, or else of the host, to which they
  /// are brought then. The same bits come out, as they are combined in one order, but for those of a NaN.
  /// Throws std::bad_alloc, and Error where the engine cannot combine what lies there.
  void prepare();
  /// The same, but brings to the host what the engine cannot combine where it lies.
  void prepare_anyhow();
  /// Where a step fails, the others are made all the same: other ranks wait for this one. Returns the first
  /// failure, or null.
  std::exception_ptr make() noexcept;

  // One step, of the pieces from number `offset` of each share on. Steps begin at multiples of piece(), below
  // longest().
  std::int64_t piece() const noexcept { return piece_; }
  std::int64_t longest() const noexcept { return longest_; }
  BlockMessages gather(std::int64_t offset);
  /// Enqueued behind what `stream` holds, of the device home(). Throws GpuError.
  void combine(std::int64_t offset, Stream stream);
  BlockMessages spread(std::int64_t offset);
  int home() const noexcept { return home_; }

 private:
  std::int64_t length(int rank, std::int64_t offset) const noexcept {
    return std::clamp(call_.share(rank) - offset, std::int64_t{0}, piece_);
  }
  std::int64_t place(int rank, std::int64_t offset) const noexcept { return call_.first(rank) + offset; }
  void take_memory(std::optional<int> home);
  void take_memory_at(int home);
  /// Where numbers are combined in the order of ranks: where the result belongs, if this rank is the first
  /// one and gets it, or in a slot.
  std::byte* result(std::int64_t offset) const noexcept;
  bool is_first() const noexcept { return ranks_.own == 0; }
  /// Into a slot of their own.
  bool own_are_copied() const noexcept {
    return is_apart_ ||
           (is_first() && (call_.to == nullptr || call_.result == ReductionCall::Result::of_own));
  }
  const void* own_numbers(std::int64_t offset) const noexcept;
  /// Where the numbers of one of the other ranks come to; behind them, the own ones if they are copied.
  std::byte* slot(int number) const noexcept { return scratch_->data() + number * piece_bytes(); }
  TypedBuffer side(const void* buffer) const noexcept { return {buffer, call_.numbers.type}; }

  const ReductionCall& call_;
  Participants ranks_;
  std::int64_t longest_;  ///< numbers of a share,
  std::int64_t piece_;    ///< and of a step
  int home_ = ReductionScratch::host;
  bool is_apart_ = false;  ///< numbers are combined elsewhere than where they lie
  std::optional<ReductionScratch> scratch_;
};

}  // namespace typewarp::interpose
