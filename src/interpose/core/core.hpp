// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/attachment.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <type_traits>

#if MPI_VERSION < 4 && !(defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
using MPI_Session = void*;  ///< of an MPI that has none: only for the types of calls that nobody makes then
#endif

/// A core: built once for each ABI of MPI, loaded by the front. Its own calls of MPI are of PMPI_X, or of
/// what comes after us (`next`), never of MPI_X, which would come back to it.
namespace typewarp::interpose {

/// What the front said. Constant after attaching; what is valid during the call only is null from then on.
extern CoreAttachment attachment;

inline const char* name_of(int number) noexcept { return names[static_cast<std::size_t>(number)]; }

/// The function of type F that comes after us for a call.
template <class F>
F* next(int number) noexcept {
  return reinterpret_cast<F*>(attachment.next[number]);
}

/// Hands a call on to it. The arguments must be of the types that the call has.
template <class... Arguments>
int hand_on(int number, Arguments... arguments) noexcept {
  return next<int(Arguments...)>(number)(arguments...);
}

/// A call with counts of type `Count`: itself or its `_c` twin, which follows it in the table.
template <class Count>
constexpr int twin(int number) noexcept {
  return std::is_same_v<Count, int> ? number : number + 1;
}

// Where the error handler of a program returns, an MPI may return MPI_SUCCESS for a call that has failed, as
// MPICH does, and then it has written no result. So what we read of results has a value before.

template <class T>
void preset(T* place, std::type_identity_t<T> value) noexcept {
  if (place != nullptr) *place = value;
}
/// What is there after the call; `otherwise` of no place.
template <class T>
T result(const T* place, std::type_identity_t<T> otherwise) noexcept {
  return place != nullptr ? *place : otherwise;
}

/// What we made of each call; null where it is the MPI's.
extern std::array<void*, calls> ours;

/// Whether an argument is where a call leaves a number or a handle: one that no call of ours takes as null.
template <class Argument>
inline constexpr bool is_place =
    std::is_same_v<Argument, int*> || std::is_same_v<Argument, MPI_Count*> ||
    std::is_same_v<Argument, MPI_Request*> || std::is_same_v<Argument, MPI_Message*>;

template <class Argument>
bool is_null_place([[maybe_unused]] Argument argument) noexcept {
  if constexpr (is_place<Argument>) return argument == nullptr;
  return false;
}

/// What makes a call by `function`, unless a place is null: then it is the MPI's to refuse.
template <int number, auto* function, class... Arguments>
auto* with_places(int (*)(Arguments...)) noexcept {
  return +[](Arguments... arguments) noexcept -> int {
    if ((is_null_place<Arguments>(arguments) || ...)) return hand_on(number, arguments...);
    return function(arguments...);
  };
}

/// Lets the program's calls go to `function`. While attaching only.
template <class F>
void take(int number, F* function) noexcept {
  ours[static_cast<std::size_t>(number)] = reinterpret_cast<void*>(function);
}
/// The same of calls in which all places must be there.
template <int number, auto* function>
void take() noexcept {
  take(number, with_places<number, function>(function));
}

/// The function of type F that a call goes to: ours, or what comes after us.
template <class F>
F* handler(int number) noexcept {
  void* const own = ours[static_cast<std::size_t>(number)];
  return own != nullptr ? reinterpret_cast<F*>(own) : next<F>(number);
}

void take_lifecycle() noexcept;
void take_packing() noexcept;
void take_messages() noexcept;
void take_requests() noexcept;
void take_completion() noexcept;
void take_partitioned() noexcept;
void take_probing() noexcept;
void take_comm_infos() noexcept;
void take_files() noexcept;
void take_collectives() noexcept;  // generated
void take_refused() noexcept;      // generated
void take_filed() noexcept;        // generated
void take_one_sided() noexcept;    // generated
void take_synchronisation() noexcept;
void take_windows() noexcept;
/// Has calls observed on their way to their handlers.
void observe_calls() noexcept;  // generated
/// In place of all that take calls, for the doctor: all go to the MPI.
void watch_lifecycle() noexcept;

}  // namespace typewarp::interpose
