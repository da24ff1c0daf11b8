// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// A thousand Transports and communicators: nothing of them stays with the process or the MPI.

#include "transport/mpi/mpi_calls.hpp"
#include "transport/protocol_fixture.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace typewarp {
namespace {

using test::MpiObjects;
using test::ProtocolTest;

std::ptrdiff_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

/// Mappings of memory for rings, which has this name. The MPIs and the allocator map and unmap others.
std::ptrdiff_t rings_mapped() {
  std::ifstream maps("/proc/self/maps");
  std::ptrdiff_t found = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/memfd:typewarp") != std::string::npos) ++found;
  }
  return found;
}

/// What a process can run out of.
struct Held {
  MpiObjects objects = test::mpi_objects();
  std::ptrdiff_t files = entries("/proc/self/fd");
  std::ptrdiff_t threads = entries("/proc/self/task");
  std::ptrdiff_t mappings = rings_mapped();
};

void expect_same(const Held& now, const Held& before) {
  EXPECT_EQ(now.objects.communicators, before.objects.communicators);
  EXPECT_EQ(now.objects.groups, before.objects.groups);
  EXPECT_EQ(now.objects.keyvals, before.objects.keyvals);
  EXPECT_EQ(now.files, before.files);
  EXPECT_EQ(now.threads, before.threads);
  EXPECT_EQ(now.mappings, before.mappings);
}

class Leaks : public ProtocolTest {
 protected:
  /// An announced message, in fragments on both sides.
  void exchange(MPI_Comm comm) const {
    std::array<std::byte, 1400> sent{};
    std::array<std::byte, 1400> received{};
    const Plan plan = commit(vector(700, 1, 2, Named::byte));
    sendrecv(sent.data(), 1, plan, partner(), 0, received.data(), 1, plan, partner(), 0, comm, nullptr);
  }

  void exchange_on_a_copy() const {
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(comm_, &copy), MPI_SUCCESS);
    exchange(copy);
    MPI_Comm_free(&copy);
  }

  void live_and_go() {
    start(small_fragments);
    exchange_on_a_copy();
    exchange(comm_);
    stop();
  }

  // What is left behind is counted one by one. Fewer where ranks may outnumber processors: a round has
  // several collective calls.
  int times() const { return ranks_ > 2 ? 20 : 60; }
};

TEST_F(Leaks, NothingOfCommunicatorsThatCameAndWent) {
  start(small_fragments);
  exchange(comm_);
  exchange_on_a_copy();
  const Held before;
  for (int i = 0; i < times(); ++i) exchange_on_a_copy();
  expect_same(Held(), before);
  EXPECT_EQ(state_->comms.known(), 1U);
}

TEST_F(Leaks, NothingOfTransportsThatCameAndWent) {
  live_and_go();
  const Held before;
  EXPECT_EQ(before.mappings, 0);
  for (int i = 0; i < times(); ++i) live_and_go();
  expect_same(Held(), before);
}

}  // namespace
}  // namespace typewarp
