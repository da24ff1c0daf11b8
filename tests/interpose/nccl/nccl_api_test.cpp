// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What is declared of NCCL against its header, where there is one.

#include "interpose/core/nccl/nccl_api.hpp"

#if __has_include(<nccl.h>)
#include <nccl.h>

#include <type_traits>

namespace typewarp::interpose::nccl {
namespace {

static_assert(NCCL_VERSION(2, 28, 0) == version(2, 28));
static_assert(sizeof(Id) == sizeof(ncclUniqueId));
static_assert(sizeof(Result) == sizeof(ncclResult_t));
static_assert(sizeof(Type) == sizeof(ncclDataType_t));
static_assert(sizeof(RedOp) == sizeof(ncclRedOp_t));
static_assert(int(Result::success) == ncclSuccess && int(Result::in_progress) == ncclInProgress);
static_assert(int(Type::int8) == ncclInt8 && int(Type::uint8) == ncclUint8);
static_assert(int(Type::int32) == ncclInt32 && int(Type::uint32) == ncclUint32);
static_assert(int(Type::int64) == ncclInt64 && int(Type::uint64) == ncclUint64);
static_assert(int(Type::float32) == ncclFloat32 && int(Type::float64) == ncclFloat64);
static_assert(int(RedOp::sum) == ncclSum && int(RedOp::product) == ncclProd);
static_assert(int(RedOp::max) == ncclMax && int(RedOp::min) == ncclMin);

template <class T>
struct Theirs {
  using type = T;
};
template <>
struct Theirs<Result> {
  using type = ncclResult_t;
};
template <>
struct Theirs<Result*> {
  using type = ncclResult_t*;
};
template <>
struct Theirs<Type> {
  using type = ncclDataType_t;
};
template <>
struct Theirs<RedOp> {
  using type = ncclRedOp_t;
};
template <>
struct Theirs<Handle> {
  using type = ncclComm_t;
};
template <>
struct Theirs<Handle*> {
  using type = ncclComm_t*;
};
template <>
struct Theirs<Id> {
  using type = ncclUniqueId;
};
template <>
struct Theirs<Id*> {
  using type = ncclUniqueId*;
};
/// Whether a function of theirs has the type of ours, in its words. Of a stream they have their own.
template <class Return, class... Theirs_, class OurReturn, class... Ours>
constexpr bool same(Return (*)(Theirs_...), OurReturn (*)(Ours...)) {
  return std::is_same_v<Return, typename Theirs<OurReturn>::type> &&
         ((std::is_same_v<Theirs_, typename Theirs<Ours>::type> ||
           (std::is_same_v<Theirs_, cudaStream_t> && std::is_same_v<Ours, void*>)) &&
          ...);
}

constexpr Api none{};
static_assert(same(&ncclGetVersion, none.ncclGetVersion));
static_assert(same(&ncclGetUniqueId, none.ncclGetUniqueId));
static_assert(same(&ncclCommInitRank, none.ncclCommInitRank));
static_assert(same(&ncclCommDestroy, none.ncclCommDestroy));
static_assert(same(&ncclCommAbort, none.ncclCommAbort));
static_assert(same(&ncclCommGetAsyncError, none.ncclCommGetAsyncError));
static_assert(same(&ncclGetErrorString, none.ncclGetErrorString));
static_assert(same(&ncclGetLastError, none.ncclGetLastError));
static_assert(same(&ncclGroupStart, none.ncclGroupStart));
static_assert(same(&ncclGroupEnd, none.ncclGroupEnd));
static_assert(same(&ncclAllReduce, none.ncclAllReduce));
static_assert(same(&ncclReduce, none.ncclReduce));
static_assert(same(&ncclReduceScatter, none.ncclReduceScatter));
static_assert(same(&ncclBroadcast, none.ncclBroadcast));
static_assert(same(&ncclAllGather, none.ncclAllGather));

}  // namespace
}  // namespace typewarp::interpose::nccl

#endif
