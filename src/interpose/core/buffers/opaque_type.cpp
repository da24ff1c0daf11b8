// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/opaque_type.hpp"

#include "interpose/core/buffers/byte_type.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "mpi/large.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <atomic>
#include <limits>

namespace typewarp::interpose {
namespace {

/// Of one end of a message.
struct OpaqueItems {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;

  mpi::Count number() const {
    if (count > std::numeric_limits<mpi::Count>::max())
      throw InvalidArgument("typewarp", "count", count, "must fit this MPI's interface, which counts in int");
    return static_cast<mpi::Count>(count);
  }
};

/// Packed bytes, however many.
class PackedBytes {
 public:
  PackedBytes(const void* address, std::int64_t bytes) : items_{address, bytes, MPI_PACKED} {
    if (bytes > std::numeric_limits<mpi::Count>::max()) items_ = {address, 1, byte_type(bytes)};
  }
  PackedBytes& operator=(PackedBytes&&) = delete;
  ~PackedBytes() {
    if (items_.type != MPI_PACKED) PMPI_Type_free(&items_.type);
  }

  const OpaqueItems& items() const noexcept { return items_; }

 private:
  OpaqueItems items_;
};

// By a message from this rank to itself. MPI_Unpack counts bytes by an int where there is no MPI 4, and takes
// whole items only, but a message that is received may end within one.
void move(const OpaqueItems& from, const OpaqueItems& to) {
  static std::atomic<unsigned> messages{0};
  constexpr unsigned tags = 1U << 15U;  // that every MPI has: threads do not take each other's messages
  const auto tag = static_cast<int>(messages++ % tags);
  constexpr int self = 0;
  constexpr bool raised = false;  // with an error handler of the program's
  try {
    mpi::check(TYPEWARP_MPI_LARGE(PMPI_Sendrecv)(from.buffer, from.number(), from.type, self, tag,
                                                 const_cast<void*>(to.buffer), to.number(), to.type, self,
                                                 tag, own_comm(), MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
  } catch (const MpiError& error) {
    throw MpiError("MPI_Sendrecv", error.code(), error.error_class(), error.what(), raised);
  }
}

}  // namespace

OpaqueType::OpaqueType(MPI_Datatype datatype) { mpi::check(PMPI_Type_dup(datatype, &type_), "MPI_Type_dup"); }

OpaqueType::~OpaqueType() { PMPI_Type_free(&type_); }

void OpaqueType::pack(const void* buffer, std::int64_t count, void* packed, std::int64_t bytes) const {
  move({buffer, count, type_}, PackedBytes(packed, bytes).items());
}

void OpaqueType::unpack(const void* packed, std::int64_t bytes, void* buffer, std::int64_t count) const {
  move(PackedBytes(packed, bytes).items(), {buffer, count, type_});
}

}  // namespace typewarp::interpose
