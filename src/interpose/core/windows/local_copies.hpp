// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/host_copies.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace typewarp::interpose {

enum class Use : std::uint8_t {
  sent,      ///< read
  received,  ///< written
  operand,   ///< read, by an operation that has to be told its datatype
  result,    ///< written, of that datatype
};

/// (buffer, count, datatype) of a one-sided call, at this rank.
struct LocalMemory {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  Use use;
};

constexpr std::size_t most_memories = 3;  ///< of one call

/// What the MPI is given in place of a LocalMemory.
struct GivenMemory {
  void* buffer;
  std::int64_t count;
  MPI_Datatype type;
};
using Given = std::array<GivenMemory, most_memories>;

/// The program's own.
Given as_they_are(std::initializer_list<LocalMemory> memories) noexcept;

/// The predefined type of which the elements of an accumulate's datatype all are; nothing where they differ,
/// or where there are none. Throws MpiError.
std::optional<MPI_Datatype> element_of(MPI_Datatype type);

/// Packed copies in host memory of the memory of a one-sided call that is ours. Copies of pairs with padding
/// keep the padding, since operations expect it. Thread safe.
class LocalCopies {
 public:
  /// `bytes`: how much may come, if the call receives; -1 if that is not known. `fills`: the MPI
  /// may leave the copy as it is, which then must have the program's bytes. Throws InvalidArgument, MpiError,
  /// GpuError, std::bad_alloc.
  LocalCopies(std::initializer_list<LocalMemory> memories, std::int64_t bytes, bool fills);
  ~LocalCopies();

  const Given& given() const noexcept { return given_; }
  /// The MPI has made the call: it uses the copies until the call is complete at this rank.
  void begin() noexcept { begun_.store(true, std::memory_order_release); }
  bool has_begun() const noexcept { return begun_.load(std::memory_order_acquire); }
  /// The call is complete. What was received is with the program when `moves` are done, whoever finishes
  /// first. Throws GpuError, and then has not finished.
  void finish(Moves& moves);
  /// Nobody needs them any more.
  void end() noexcept { over_.store(true, std::memory_order_release); }
  bool is_over() const noexcept { return over_.load(std::memory_order_acquire); }

 private:
  struct Copy {
    bool is_written = false;
    std::optional<PackedBlocks> packed;
    std::optional<OperandCopy> spread;
    MPI_Datatype type = MPI_DATATYPE_NULL;  ///< of the packed ones, if it is not that of all their bytes
    std::int64_t arriving = 0;              ///< bytes that may come
  };

  void add(Copy& copy, GivenMemory& given, const LocalMemory& memory, std::int64_t bytes);

  std::array<Copy, most_memories> copies_;
  Given given_{};
  bool fills_;
  std::mutex mutex_;
  bool moved_ = false;
  std::atomic<bool> begun_ = false;
  std::atomic<bool> over_ = false;
};

/// The copies of one-sided calls of this process that are not complete, by window. Thread safe.
class Pending {
 public:
  using Copies = std::shared_ptr<LocalCopies>;

  /// Of a call to rank `target` of the window's group, which is about to be made.
  void keep(MPI_Win window, int target, const Copies& copies);
  /// A request holds them from now on.
  void let_go(MPI_Win window, const Copies& copies) noexcept;
  /// Whether there are any: else nothing is to be done when a window is synchronised.
  bool any() const noexcept { return kept_.load(std::memory_order_acquire) != 0; }
  /// The copies of calls to `target`, or to any rank, that the MPI has made: it completes them when it
  /// synchronises the window next.
  std::vector<Copies> begun(MPI_Win window, std::optional<int> target);
  /// Forgets those that are over.
  void sweep(MPI_Win window) noexcept;
  struct Call {
    int target;
    std::weak_ptr<LocalCopies> copies;
    Copies held;  ///< null where a request holds them
  };
  using Calls = std::vector<Call>;
  using Table = std::map<MPI_Win, Calls>;
  /// Those of a window that is about to be freed; back if it is not.
  Table::node_type take(MPI_Win window) noexcept;
  void put_back(Table::node_type taken) noexcept;

 private:
  void sweep(Calls& kept) noexcept;

  std::mutex mutex_;
  Table calls_;
  std::atomic<std::size_t> kept_{0};
};

Pending& pending();

/// Gives the program what these have received. Throws GpuError for one of them; all others are over.
void finish(const std::vector<Pending::Copies>& complete);

}  // namespace typewarp::interpose
