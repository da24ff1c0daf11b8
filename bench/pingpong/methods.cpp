// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "methods.hpp"

#include <typewarp/mpi.hpp>
#include <typewarp/p2p.hpp>

#include <array>
#include <cstdlib>
#include <memory>

namespace typewarp::pingpong {
namespace {

constexpr int tag = 5;
constexpr const char* variable = "TYPEWARP_PROTOCOL";
/// The plan's as well as some that a build may lack.
constexpr std::array known_protocols{"automatic", "eager", "pipelined", "direct", "gpu_aware", "ucx"};

/// Sets an environment variable for as long as it lives.
class Setting {
 public:
  explicit Setting(const std::string& value) {
    if (const char* before = std::getenv(variable)) before_ = before;
    setenv(variable, value.c_str(), 1);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() { before_ ? setenv(variable, before_->c_str(), 1) : unsetenv(variable); }

 private:
  std::optional<std::string> before_;
};

}  // namespace

MpiType encoded(const Datatype& type) {
  const MPI_Datatype handle = mpi::encode(type);
  if (mpi::is_named(handle)) return std::make_shared<const MPI_Datatype>(handle);
  MpiType owner(new MPI_Datatype(handle), [](const MPI_Datatype* owned) {
    MPI_Datatype freed = *owned;
    MPI_Type_free(&freed);
    delete owned;
  });
  MPI_Datatype committed = handle;
  mpi::check(MPI_Type_commit(&committed), "MPI_Type_commit");
  return owner;
}

Way by_library(const Peers& peers, const Exchange& exchange, Stream stream) {
  const int other = peers.other();
  const MPI_Comm comm = peers.comm;
  const auto [from, to, count, plan] = exchange;
  const Plan kept = plan;
  return {[=] { send(from, count, kept, other, tag, comm, stream); },
          [=] { recv(to, count, kept, other, tag, comm, stream); }};
}

Way by_mpi(const Peers& peers, const Exchange& exchange) {
  const MpiType type = encoded(exchange.plan.datatype());
  const int other = peers.other();
  const MPI_Comm comm = peers.comm;
  const auto count = static_cast<int>(exchange.count);
  const std::byte* const from = exchange.from;
  std::byte* const to = exchange.to;
  return {[=] { MPI_Send(from, count, *type, other, tag, comm); },
          [=] { MPI_Recv(to, count, *type, other, tag, comm, MPI_STATUS_IGNORE); }};
}

std::optional<SessionOptions> options_for(const std::string& protocol) {
  const Setting setting(protocol);
  try {
    return SessionOptions::from_environment();
  } catch (const InvalidArgument& error) {
    if (error.argument() == variable) return std::nullopt;
    throw;
  }
}

std::vector<std::string> protocols() {
  std::vector<std::string> result;
  for (const char* const name : known_protocols) {
    if (options_for(name)) result.emplace_back(name);
  }
  return result;
}

}  // namespace typewarp::pingpong
