// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls that give a communicator hints and a stream by an info, or that tell them. MPIs forget keys that they
// do not know, so infos are read as the program hands them over.

#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace typewarp::interpose {
namespace {

constexpr std::string_view stream_key = "typewarp_stream";
constexpr std::string_view between = ", ";  ///< the hints that Hints::to_string() lists

/// What an info says to us.
struct InfoKeys {
  Hints hints;  ///< those before, with what it says in their place
  std::optional<Stream> stream;
  bool any = false;
};

std::string value_of(MPI_Info info, const char* key) {
  int found = 0;
  int length = 0;
  mpi::check(PMPI_Info_get_valuelen(info, key, &length, &found), "MPI_Info_get_valuelen");
  std::string value(static_cast<std::size_t>(length) + 1, '\0');
  mpi::check(PMPI_Info_get(info, key, length, value.data(), &found), "MPI_Info_get");
  value.resize(static_cast<std::size_t>(length));
  return value;
}

Stream stream_of_text(const std::string& text, const char* call) {
  const bool hexadecimal = text.starts_with("0x");
  const char* const begin = text.data() + (hexadecimal ? 2 : 0);
  const char* const end = text.data() + text.size();
  std::uintptr_t number = 0;
  const auto [stopped, error] = std::from_chars(begin, end, number, hexadecimal ? 16 : 10);
  if (error != std::errc() || stopped != end) {
    throw InvalidArgument(call, stream_key, text.empty() ? "(empty)" : text,
                          "must be a cudaStream_t as a decimal or 0x hexadecimal number");
  }
  return Stream(reinterpret_cast<void*>(number));
}

[[noreturn]] void refuse_key(std::string_view key, const char* call) {
  std::string all;
  for (const std::string_view one : Hints::keys()) all.append(one).append(", ");
  throw InvalidArgument(call, "info key", key, "must be one of " + all.append(stream_key));
}

void set(MPI_Info info, const std::string& key, const std::string& value) {
  mpi::check(PMPI_Info_set(info, key.c_str(), value.c_str()), "MPI_Info_set");
}

void remove(MPI_Info info, const char* key) {
  int found = 0;
  int length = 0;
  mpi::check(PMPI_Info_get_valuelen(info, key, &length, &found), "MPI_Info_get_valuelen");
  if (found != 0) mpi::check(PMPI_Info_delete(info, key), "MPI_Info_delete");
}

/// Reads an info that was given to `call`, for a communicator that has the hints `before`. Throws
/// InvalidArgument for a key that begins like ours and is none, and for a value that its key does not take;
/// MpiError.
InfoKeys keys_in(MPI_Info info, const Hints& before, const char* call) {
  InfoKeys keys{before, std::nullopt};
  int entries = 0;
  if (info != MPI_INFO_NULL) mpi::check(PMPI_Info_get_nkeys(info, &entries), "MPI_Info_get_nkeys");
  for (int i = 0; i < entries; ++i) {
    std::array<char, MPI_MAX_INFO_KEY + 1> text{};
    mpi::check(PMPI_Info_get_nthkey(info, i, text.data()), "MPI_Info_get_nthkey");
    const std::string_view key = text.data();
    if (!key.starts_with(Hints::prefix)) continue;
    const std::string value = value_of(info, text.data());
    keys.any = true;
    if (key == stream_key) {
      keys.stream = stream_of_text(value, call);
    } else if (std::ranges::find(Hints::keys(), key) != Hints::keys().end()) {
      keys.hints.set(key, value, call);
    } else {
      refuse_key(key, call);
    }
  }
  return keys;
}

/// Makes an info say what is in use, and nothing else, by our keys. Throws MpiError.
void tell_in(MPI_Info info, const Hints& hints, std::optional<Stream> stream) {
  for (const std::string_view key : Hints::keys()) remove(info, std::string(key).c_str());
  const std::string all = hints.empty() ? std::string() : hints.to_string();
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(between));
    const std::size_t equals = one.find('=');
    set(info, std::string(Hints::prefix).append(one.substr(0, equals)), std::string(one.substr(equals + 1)));
    rest.remove_prefix(std::min(rest.size(), one.size() + between.size()));
  }
  remove(info, stream_key.data());
  if (!stream) return;
  std::array<char, 2 * sizeof(void*)> digits{};
  const auto number = reinterpret_cast<std::uintptr_t>(stream->get());
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  set(info, std::string(stream_key), std::string("0x").append(digits.data(), end));
}

void keep(MPI_Comm comm, const InfoKeys& keys) {
  if (!keys.any) return;
  set_hints(comm, keys.hints);
  if (keys.stream) name_stream(comm, *keys.stream);
}

/// Makes a communicator by `make()`, the MPI's call, which gives it to `made`. The error handler of `from`
/// hears of an info that is refused: nothing is made then.
template <class Make>
int make_with_info(int number, MPI_Comm from, MPI_Info info, MPI_Comm* made, Make make) noexcept {
  InfoKeys keys;
  const int refused = guarded(from, [&] { keys = keys_in(info, {}, name_of(number)); });
  if (refused != MPI_SUCCESS) return refused;
  preset(made, MPI_COMM_NULL);
  const int code = make();
  if (code != MPI_SUCCESS || result(made, MPI_COMM_NULL) == MPI_COMM_NULL) return code;
  return guarded(from, [&] { keep(*made, keys); });
}

/// What the info does not say stays as it was.
int set_info(MPI_Comm comm, MPI_Info info) noexcept {
  constexpr int number = call::Comm_set_info;
  InfoKeys keys;
  const int refused = guarded(comm, [&] { keys = keys_in(info, hints_of(comm), name_of(number)); });
  if (refused != MPI_SUCCESS) return refused;
  const int code = hand_on(number, comm, info);
  if (code != MPI_SUCCESS || comm == MPI_COMM_NULL) return code;
  return guarded(comm, [&] { keep(comm, keys); });
}

/// MPI says that it tells the hints in use.
int get_info(MPI_Comm comm, MPI_Info* used) noexcept {
  preset(used, MPI_INFO_NULL);
  const int code = hand_on(call::Comm_get_info, comm, used);
  if (code != MPI_SUCCESS || result(used, MPI_INFO_NULL) == MPI_INFO_NULL) return code;
  return guarded(comm, [&] { tell_in(*used, hints_of(comm), stream_named(comm)); });
}

int dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) noexcept {
  constexpr int number = call::Comm_dup_with_info;
  return make_with_info(number, comm, info, made, [&] { return hand_on(number, comm, info, made); });
}

// The handle is there at once, and takes attributes before the request is complete.
int idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) noexcept {
  constexpr int number = call::Comm_idup_with_info;
  return make_with_info(number, comm, info, made, [&] { return hand_on(number, comm, info, made, request); });
}

int split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) noexcept {
  constexpr int number = call::Comm_split_type;
  return make_with_info(number, comm, info, made,
                        [&] { return hand_on(number, comm, type, key, info, made); });
}

int create_from_group(MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler,
                      MPI_Comm* made) noexcept {
  constexpr int number = call::Comm_create_from_group;
  return make_with_info(number, fallback_comm(), info, made,
                        [&] { return hand_on(number, group, tag, info, handler, made); });
}

}  // namespace

void take_comm_infos() noexcept {
  take(call::Comm_set_info, set_info);
  take(call::Comm_get_info, get_info);
  take(call::Comm_dup_with_info, dup_with_info);
  take(call::Comm_idup_with_info, idup_with_info);
  take(call::Comm_split_type, split_type);
  take(call::Comm_create_from_group, create_from_group);
}

}  // namespace typewarp::interpose
