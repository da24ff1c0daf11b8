// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/info_keys.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace typewarp::interpose {
namespace {

constexpr std::string_view stream_key = "typewarp_stream";
constexpr std::string_view between = ", ";  ///< the hints that Hints::to_string() lists

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

[[noreturn]] void refuse_key(std::string_view key, KeySet known, const char* call) {
  std::string all;
  for (const std::string_view one : Hints::keys()) all.append(all.empty() ? "" : ", ").append(one);
  if (known == KeySet::hints_and_stream) all.append(", ").append(stream_key);
  throw InvalidArgument(call, "info key", key, "must be one of " + all);
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

}  // namespace

InfoKeys keys_in(MPI_Info info, const Hints& before, KeySet known, const char* call) {
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
    if (key == stream_key && known == KeySet::hints_and_stream) {
      keys.stream = stream_of_text(value, call);
    } else if (std::ranges::find(Hints::keys(), key) != Hints::keys().end()) {
      keys.hints.set(key, value, call);
    } else {
      refuse_key(key, known, call);
    }
  }
  return keys;
}

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

}  // namespace typewarp::interpose
