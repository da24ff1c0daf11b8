// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

/// What is called of NCCL, as its library has it: so that none is needed to build. Names, values and layouts
/// are those of nccl.h, version 2. A test compares them with that header where there is one.
namespace typewarp::interpose::nccl {

using Handle = struct CommOfNccl*;  ///< ncclComm_t

/// ncclResult_t
enum class Result : int { success = 0, in_progress = 7 };

/// ncclDataType_t: of the numbers that MPI names, those that it has
enum class Type : int {
  int8 = 0,
  uint8 = 1,
  int32 = 2,
  uint32 = 3,
  int64 = 4,
  uint64 = 5,
  float32 = 7,
  float64 = 8
};

/// ncclRedOp_t
enum class RedOp : int { sum = 0, product = 1, max = 2, min = 3 };

/// ncclUniqueId
struct Id {
  char internal[128];
};

/// NCCL_VERSION: of 2.9 and later
constexpr int version(int major, int minor) noexcept { return 10000 * major + 100 * minor; }
inline constexpr int least_version = version(2, 18);
inline constexpr int first_unknown_version = version(3, 0);

/// The functions, by their names in the library. A stream is a pointer there, too.
struct Api {
  Result (*ncclGetVersion)(int* version);
  Result (*ncclGetUniqueId)(Id*);
  Result (*ncclCommInitRank)(Handle*, int ranks, Id, int rank);
  Result (*ncclCommDestroy)(Handle);
  Result (*ncclCommAbort)(Handle);
  Result (*ncclCommGetAsyncError)(Handle, Result*);
  const char* (*ncclGetErrorString)(Result);
  const char* (*ncclGetLastError)(Handle);
  Result (*ncclGroupStart)();
  Result (*ncclGroupEnd)();
  Result (*ncclAllReduce)(const void* from, void* to, std::size_t count, Type, RedOp, Handle, void* stream);
  Result (*ncclReduce)(const void* from, void* to, std::size_t count, Type, RedOp, int root, Handle,
                       void* stream);
  Result (*ncclReduceScatter)(const void* from, void* to, std::size_t count_of_each, Type, RedOp, Handle,
                              void* stream);
  Result (*ncclBroadcast)(const void* from, void* to, std::size_t count, Type, int root, Handle,
                          void* stream);
  Result (*ncclAllGather)(const void* from, void* to, std::size_t count_of_each, Type, Handle, void* stream);
};

}  // namespace typewarp::interpose::nccl
