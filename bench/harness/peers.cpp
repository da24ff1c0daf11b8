// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "peers.hpp"

#include "device.hpp"
#include "json.hpp"

#include <typewarp/error.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <thread>

namespace typewarp::harness {

Peers both_ranks() {
  int ranks = 0;
  Peers result;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &result.rank);
  if (ranks != 2) throw Error("needs 2 ranks, and has " + std::to_string(ranks));
  MPI_Comm_dup(MPI_COMM_WORLD, &result.comm);
  return result;
}

void abort_ranks(const std::string& line) {
  std::cerr << line + '\n';
  // MPICH's launcher drops what it has not read yet when a rank aborts.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

int main_of(const std::string& program, int argc, char** argv,
            const std::function<int(const std::vector<std::string>&)>& run) {
  const char* const with_thread = std::getenv("TYPEWARP_PROGRESS_THREAD");
  const bool is_asked_for = with_thread != nullptr && with_thread == std::string_view("1");
  int granted = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, is_asked_for ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &granted);
  int status = 0;
  try {
    status = run({argv + 1, argv + argc}) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cout << bench::JsonObject().add("aborted", error.what()).text() << '\n' << std::flush;
    abort_ranks(program + ": " + error.what());
  }
  MPI_Finalize();
  return status;
}

int rank_in_host() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int rank = 0;
  MPI_Comm_rank(host, &rank);
  MPI_Comm_free(&host);
  return rank;
}

int use_devices(const Peers& peers, bool one) {
  const int devices = device::count();
  if (!peers.agree(devices > 0)) return 0;
  device::use(one ? 0 : rank_in_host() % devices);
  return devices;
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of("\n,"));
}

bool Peers::agree(bool mine) const {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  return all == 1;
}

double Peers::told(double value) const {
  MPI_Bcast(&value, 1, MPI_DOUBLE, 0, comm);
  return value;
}

}  // namespace typewarp::harness
