// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace typewarp::interpose {

/// A datatype that the MPI alone reads, as one without a plan: it packs and unpacks what the library sends
/// and receives. Kept until this goes, also if the program frees it before.
class OpaqueType {
 public:
  /// Throws MpiError.
  explicit OpaqueType(MPI_Datatype datatype);
  OpaqueType& operator=(OpaqueType&&) = delete;
  ~OpaqueType();

  MPI_Datatype get() const noexcept { return type_; }

  // Packed bytes are those of a message. Memory must be such as the MPI takes. Throw MpiError, and
  // InvalidArgument for a count beyond what the MPI can count.

  /// Packs `count` items, which have `bytes` bytes.
  void pack(const void* buffer, std::int64_t count, void* packed, std::int64_t bytes) const;
  /// Unpacks so many bytes, which may end within an item and are no more than those of `count` items.
  void unpack(const void* packed, std::int64_t bytes, void* buffer, std::int64_t count) const;

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace typewarp::interpose
