// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/streams.hpp"

#include "engine/gpu/gpu.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>

namespace typewarp::interpose {
namespace {

constexpr const char* key_name = "typewarp_stream";
constexpr int longest_value = 63;

int keyval = MPI_KEYVAL_INVALID;
std::atomic<bool> any_named = false;

/// The stream that an info names; nothing if it names none. MPIs forget keys that they do not know, so that
/// is read while the program hands it over. Throws InvalidArgument for what is no number, MpiError.
std::optional<Stream> stream_in(MPI_Info info, const char* call) {
  if (info == MPI_INFO_NULL) return std::nullopt;
  std::array<char, longest_value + 1> value{};
  int found = 0;
  int length = 0;
  mpi::check(PMPI_Info_get_valuelen(info, key_name, &length, &found), "MPI_Info_get_valuelen");
  if (found == 0) return std::nullopt;
  if (length <= longest_value) {
    mpi::check(PMPI_Info_get(info, key_name, longest_value, value.data(), &found), "MPI_Info_get");
  }
  const std::string text = length <= longest_value ? value.data() : "a long text";
  const bool hexadecimal = text.starts_with("0x");
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(text.c_str(), &end, hexadecimal ? 16 : 10);
  const bool begins_well =
      hexadecimal ? text.size() > 2 : !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!begins_well || *end != '\0' || errno != 0) {
    throw InvalidArgument(call, key_name, text,
                          "must be a cudaStream_t as a decimal or 0x hexadecimal number");
  }
  return Stream(reinterpret_cast<void*>(static_cast<std::uintptr_t>(number)));
}

void name_stream(MPI_Comm comm, Stream stream) {
  if (keyval == MPI_KEYVAL_INVALID) return;
  mpi::check(PMPI_Comm_set_attr(comm, keyval, stream.get()), "MPI_Comm_set_attr");
  any_named.store(true, std::memory_order_release);
}

int set_info(MPI_Comm comm, MPI_Info info) noexcept {
  std::optional<Stream> named;
  const int refused = guarded(comm, [&] { named = stream_in(info, "MPI_Comm_set_info"); });
  if (refused != MPI_SUCCESS) return refused;
  const int code = hand_on(call::Comm_set_info, comm, info);
  if (code != MPI_SUCCESS || !named) return code;
  return guarded(comm, [&] { name_stream(comm, *named); });
}

int dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) noexcept {
  std::optional<Stream> named;
  const int refused = guarded(comm, [&] { named = stream_in(info, "MPI_Comm_dup_with_info"); });
  if (refused != MPI_SUCCESS) return refused;
  const int code = hand_on(call::Comm_dup_with_info, comm, info, made);
  if (code != MPI_SUCCESS || !named) return code;
  return guarded(comm, [&] { name_stream(*made, *named); });
}

}  // namespace

void open_streams() noexcept {
  int made = MPI_KEYVAL_INVALID;
  // As hints are, streams are not copied when a communicator is duplicated.
  const int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made, nullptr);
  if (code == MPI_SUCCESS) keyval = made;
}

void close_streams() noexcept {
  any_named = false;
  if (keyval != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval);
}

Stream stream_of(MPI_Comm comm) noexcept {
  if (!gpu::in_use()) return nullptr;
  void* named = nullptr;
  int found = 0;
  if (comm != MPI_COMM_NULL && any_named.load(std::memory_order_acquire)) {
    PMPI_Comm_get_attr(comm, keyval, static_cast<void*>(&named), &found);
  }
  return Stream(found != 0 ? named : attachment.given_stream());
}

void take_streams() noexcept {
  take(call::Comm_set_info, set_info);
  take(call::Comm_dup_with_info, dup_with_info);
}

}  // namespace typewarp::interpose
