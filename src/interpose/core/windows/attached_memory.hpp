// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/share.hpp"
#include "interpose/core/windows/window_file.hpp"

#include <typewarp/mpi.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace typewarp::interpose {

/// Memory that a rank has given to a window, in the form that other processes read.
struct AttachedMemory {
  std::uint64_t number;  ///< 1, 2, ... in the order in which the rank has attached them: never used again
  std::uint64_t base;    ///< in that rank
  std::int64_t bytes;
  std::int64_t is_a_devices;
  gpu::SharedMemory memory;  ///< if it is

  bool holds(std::uint64_t address) const noexcept {
    return address - base < static_cast<std::uint64_t>(bytes);
  }
};

/// What the displacements of a rank mean.
struct Displacements {
  std::uint64_t byte;    ///< the displacement of a byte which the MPI's window has
  std::uint64_t origin;  ///< the address that 0 names
  std::int64_t unit;     ///< in bytes
};

/// What all ranks of a window have given to it, in memory that they share. Attaching is local: each rank
/// writes its own table, and a rank that makes a call looks the target up. Thread safe.
class AttachedMemories {
 public:
  static constexpr std::size_t most = 1024;  ///< of one rank at a time

  /// Collective over `comm`. `own`: of this rank. Throws MpiError, and Error in all ranks if one of them
  /// cannot have the memory.
  AttachedMemories(MPI_Comm comm, const WindowFile& file, const Displacements& own);

  std::size_t ranks() const noexcept;
  MPI_Aint byte_of(int rank) const noexcept;
  /// The address that a displacement names; nothing if there is none.
  std::optional<std::uint64_t> address_of(int rank, MPI_Aint displacement) const noexcept;

  /// Tells the others of memory of this rank. `memory` is null for host memory, of which more than `most`
  /// pieces may be attached. Throws MpiError of class MPI_ERR_RMA_ATTACH if device memory overlaps with what
  /// is attached, or is one piece too many.
  void add(const void* base, std::int64_t bytes, const gpu::SharedMemory* memory);
  /// Whether the memory that begins there is a device's; nothing if it is not in the table.
  std::optional<bool> is_a_devices(const void* base) noexcept;
  /// Forgets what this rank has attached there, which may be one of those beyond `most`.
  void remove(const void* base) noexcept;

  /// Changes with what the rank has attached.
  std::uint64_t version_of(int rank) const noexcept;
  struct Listing {
    std::uint64_t version;
    bool is_complete;    ///< whether all is listed that is attached
    bool had_a_devices;  ///< whether the rank has ever attached a device's
    std::vector<AttachedMemory> all;
  };
  /// Leaves out entries that make no sense. Waits for nobody, even if the rank died while it attached memory.
  Listing read(int rank) const;

 private:
  struct Table;
  struct Unmap {
    std::size_t bytes;
    void operator()(Table* tables) const noexcept;
  };
  Table& table_of(int rank) const noexcept;
  /// With the mutex.
  std::vector<AttachedMemory>::iterator find(const void* base) noexcept;
  /// Changes both copies of this rank's table by `act(copy)`. Others see all of that or nothing.
  template <class Act>
  void change(Act act) noexcept;

  int file_;
  int rank_ = 0;
  std::mutex mutex_;
  std::uint64_t attached_ = 0;            ///< so far
  std::vector<AttachedMemory> own_;       ///< as in the table: free places have the number 0
  std::unique_ptr<Table, Unmap> tables_;  ///< one for each rank
};

/// Throws MpiError of a class, for an error that the MPI has not raised.
[[noreturn]] inline void fail(int error_class, const std::string& description) {
  throw MpiError("typewarp", error_class, error_class, description, false);
}

}  // namespace typewarp::interpose
