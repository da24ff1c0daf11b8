// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trials.hpp"

#include "transport/handle/internal.hpp"

#include <typewarp/datatype.hpp>
#include <typewarp/p2p.hpp>

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace typewarp::tune {
namespace {

constexpr int tag = 1;
constexpr std::int64_t spread = 8;  // a block lies at so many times its length

}  // namespace

std::string text(const Numbers& numbers) {
  std::string lines;
  for (const auto& [name, number] : numbers) {
    std::array<char, 32> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
    lines.append(name).append(" = ").append(digits.data(), end.ptr).append("\n");
  }
  return lines;
}

Trials::Trials(const harness::Peers& peers, harness::Place place, std::int64_t most, double seconds)
    : peers_(peers),
      pair_{place, place},
      most_(most),
      seconds_(seconds),
      file_(std::filesystem::temp_directory_path() / ("typewarp_tune." + std::to_string(::getpid()))) {
  buffers_.allocate(place, most * spread);
  if (place == harness::Place::device) stream_ = harness::device::make_stream();
}

Trials::~Trials() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
  unsetenv("TYPEWARP_PROFILE");
}

void Trials::use(const Numbers& profile) const {
  std::ofstream file(file_, std::ios::trunc);
  file << text(profile) << std::flush;
  if (!file) throw Error(file_ + ": cannot be written");
  setenv("TYPEWARP_PROFILE", file_.c_str(), 1);
}

double Trials::time(std::int64_t bytes, std::int64_t block, const SessionOptions& options,
                    const Numbers& profile) {
  use(profile);
  const Session session(peers_.comm, options);
  const Plan plan = commit(vector(bytes / block, block, block * spread, Named::byte));
  std::byte* const from = buffers_.from(pair_);
  std::byte* const to = buffers_.to(pair_);
  const harness::Way way{[&] { send(from, 1, plan, peers_.other(), tag, peers_.comm, stream_.get()); },
                         [&] { recv(to, 1, plan, peers_.other(), tag, peers_.comm, stream_.get()); }};
  return harness::measure(peers_, [&] { way.round(peers_.rank); }, seconds_).median;
}

bool Trials::possible(Protocol protocol) {
  use({});
  const Session session(peers_.comm, {.protocol = protocol});
  return peers_.agree(session.possible(protocol));
}

double Trials::fragments(std::int64_t bytes, const Numbers& profile) {
  use(profile);
  const Session session(peers_.comm, {.protocol = Protocol::direct});
  return transport::direct_fragments(session, bytes);
}

void Trials::check(const Numbers& profile) {
  use(profile);
  const Session session(peers_.comm);
}

}  // namespace typewarp::tune
