// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// MPI_Pack and MPI_Unpack where one of the buffers is a device's. MPI_Pack_size is the MPI's: never less than
// what we write.

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/observe/observed.hpp"

namespace typewarp::interpose {
namespace {

std::optional<Data> data_to_pack(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                                 const void* packed, MPI_Comm comm) {
  if (const std::optional<Data> data = data_if_ours(buffer, count, datatype, comm)) return data;
  if (count <= 0 || datatype == MPI_DATATYPE_NULL || !packed_is_ours(packed)) return std::nullopt;
  if (plan_of(datatype) != nullptr) return data_needed(buffer, count, datatype, comm);
  if (are_refused({{packed, count}}) && is_committed(datatype)) refuse_without_plan(datatype);
  return std::nullopt;
}

/// The end of the packed bytes. Throws MpiError of class MPI_ERR_TRUNCATE if they do not fit.
template <class Count>
std::int64_t end_of(const char* call, Count position, Count size, const Data& data) {
  std::int64_t end = 0;
  const bool fits = !__builtin_mul_overflow(data.count, data.plan.size(), &end) &&
                    !__builtin_add_overflow(end, std::int64_t{position}, &end) && position >= 0 &&
                    end <= size;
  if (!fits)
    throw MpiError(call, MPI_ERR_TRUNCATE, MPI_ERR_TRUNCATE, "the packed bytes end behind the buffer", false);
  return end;
}

template <class Count>
int pack(const void* in, Count count, MPI_Datatype datatype, void* out, Count size, Count* position,
         MPI_Comm comm) noexcept {
  constexpr int number = twin<Count>(call::Pack);
  const auto act = [&](const Data& data) {
    const std::int64_t end = end_of("MPI_Pack", *position, size, data);
    tell_taken(end - *position);
    Moves moves;
    moves.pack(data, static_cast<std::byte*>(out) + *position);
    moves.reached(true);
    *position = static_cast<Count>(end);
  };
  return guarded_if(
      comm, [&] { return data_to_pack(in, count, datatype, out, comm); }, act,
      [&] { return hand_on(number, in, count, datatype, out, size, position, comm); });
}

template <class Count>
int unpack(const void* in, Count size, Count* position, void* out, Count count, MPI_Datatype datatype,
           MPI_Comm comm) noexcept {
  constexpr int number = twin<Count>(call::Unpack);
  const auto act = [&](const Data& data) {
    const std::int64_t end = end_of("MPI_Unpack", *position, size, data);
    tell_taken(end - *position);
    Moves moves;
    moves.unpack(static_cast<const std::byte*>(in) + *position, end - *position, data);
    moves.reached(true);
    *position = static_cast<Count>(end);
  };
  return guarded_if(
      comm, [&] { return data_to_pack(out, count, datatype, in, comm); }, act,
      [&] { return hand_on(number, in, size, position, out, count, datatype, comm); });
}

}  // namespace

void take_packing() noexcept {
  take<call::Pack, pack<int>>();
  take<call::Pack_c, pack<MPI_Count>>();
  take<call::Unpack, unpack<int>>();
  take<call::Unpack_c, unpack<MPI_Count>>();
}

}  // namespace typewarp::interpose
