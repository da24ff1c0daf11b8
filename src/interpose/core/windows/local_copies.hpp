// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/sides.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>

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

/// Packed copies in host memory of what is ours of a one-sided call. Of pairs with padding, copies that lie
/// as they do, since an operation wants them so. Thread safe.
class LocalCopies {
 public:
  /// `bytes` may come, where the call receives; -1: that is not known. `hints` are the window's.
  /// `fills`: what is received may stay as it is. Throws InvalidArgument, MpiError, GpuError, std::bad_alloc.
  LocalCopies(std::initializer_list<LocalMemory> memories, std::int64_t bytes, const Hints& hints,
              bool fills);
  LocalCopies(const LocalCopies&) = delete;
  LocalCopies& operator=(const LocalCopies&) = delete;
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
    std::optional<EvenCopy> packed;
    std::optional<OperandCopy> spread;
    MPI_Datatype type = MPI_DATATYPE_NULL;  ///< of the packed ones, if it is not that of all their bytes
    std::int64_t arriving = 0;              ///< bytes that may come
  };

  void add(Copy& copy, GivenMemory& given, const LocalMemory& memory, std::int64_t bytes);

  std::array<Copy, most_memories> copies_;
  Given given_{};
  Hints hints_;
  bool fills_;
  std::mutex mutex_;
  bool moved_ = false;
  std::atomic<bool> begun_ = false;
  std::atomic<bool> over_ = false;
};

}  // namespace typewarp::interpose
