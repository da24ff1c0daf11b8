// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/front/narrow.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <vector>

namespace typewarp::interpose {

Resolved resolved;

namespace {

/// The MPI of this test: a communicator's handle is its address.
struct Comm {
  int size = 0;
  int remote = 0;  ///< not 0: an intercommunicator
  int topology = -1;
  int in = 0;
  int out = 0;
  int raised = 0;
  int failure = 0;
};

constexpr int cart = 1;
constexpr int graph = 2;
constexpr int dist_graph = 3;
constexpr int at_root = -4;
const char in_place = 0;

Handle handle(Comm& comm) { return reinterpret_cast<Handle>(&comm); }

struct Narrow : testing::Test {
  Narrow() {
    resolved.mpi.handle = dlopen(nullptr, RTLD_LAZY);
    resolved.facts = {reinterpret_cast<std::uintptr_t>(&in_place), 77, cart, graph, dist_graph, at_root, 52};
  }
  ~Narrow() override { dlclose(resolved.mpi.handle); }
};

Comm& at(Handle comm) { return *reinterpret_cast<Comm*>(comm); }

}  // namespace
}  // namespace typewarp::interpose

extern "C" {
using typewarp::interpose::at;
using typewarp::interpose::Handle;

[[gnu::visibility("default")]] int PMPI_Comm_size(Handle comm, int* size) {
  *size = at(comm).size;
  return 0;
}
[[gnu::visibility("default")]] int PMPI_Comm_rank(Handle, int* rank) {
  *rank = 0;
  return 0;
}
[[gnu::visibility("default")]] int PMPI_Comm_test_inter(Handle comm, int* inter) {
  *inter = at(comm).remote != 0;
  return at(comm).failure;
}
[[gnu::visibility("default")]] int PMPI_Comm_remote_size(Handle comm, int* size) {
  *size = at(comm).remote;
  return 0;
}
[[gnu::visibility("default")]] int PMPI_Topo_test(Handle comm, int* topology) {
  *topology = at(comm).topology;
  return at(comm).failure;
}
[[gnu::visibility("default")]] int PMPI_Cartdim_get(Handle comm, int* dimensions) {
  *dimensions = at(comm).in;
  return 0;
}
[[gnu::visibility("default")]] int PMPI_Graph_neighbors_count(Handle comm, int, int* n) {
  *n = at(comm).in;
  return 0;
}
[[gnu::visibility("default")]] int PMPI_Dist_graph_neighbors_count(Handle comm, int* in, int* out, int*) {
  *in = at(comm).in;
  *out = at(comm).out;
  return 0;
}
[[gnu::visibility("default")]] int PMPI_Comm_call_errhandler(Handle comm, int code) {
  at(comm).raised = code;
  return 0;
}
}

namespace typewarp::interpose {
namespace {

void expect_lengths(const Lengths& lengths, int code, int send, int receive) {
  EXPECT_EQ(lengths.code, code);
  EXPECT_EQ(lengths.send, send);
  EXPECT_EQ(lengths.receive, receive);
}

TEST_F(Narrow, ArraysOfACollectiveHaveAnEntryForEachPeer) {
  Comm comm{.size = 5};
  expect_lengths(peers_of(handle(comm), nullptr), 0, 5, 5);
  expect_lengths(peers_of(handle(comm), &in_place), 0, 0, 5);
  Comm inter{.size = 5, .remote = 3};
  expect_lengths(peers_of(handle(inter), nullptr), 0, 3, 3);
}

TEST_F(Narrow, OnlyTheRootHasArrays) {
  Comm comm{.size = 5};  // of which this rank is the first
  expect_lengths(peers_of_root(handle(comm), 0), 0, 5, 5);
  expect_lengths(peers_of_root(handle(comm), 1), 0, 0, 0);
  Comm inter{.size = 5, .remote = 3};
  expect_lengths(peers_of_root(handle(inter), at_root), 0, 3, 3);
  expect_lengths(peers_of_root(handle(inter), 0), 0, 0, 0);
}

TEST_F(Narrow, KnowsTheRoot) {
  Comm comm{.size = 5};  // of which this rank is the first
  EXPECT_TRUE(is_root(handle(comm), 0));
  EXPECT_FALSE(is_root(handle(comm), 1));
  Comm inter{.size = 5, .remote = 3};
  EXPECT_TRUE(is_root(handle(inter), at_root));
  EXPECT_FALSE(is_root(handle(inter), 0));
  Comm none{.failure = 5};
  EXPECT_FALSE(is_root(handle(none), 0));
  EXPECT_TRUE(is_in_place(&in_place));
  EXPECT_FALSE(is_in_place(&comm));
}

TEST_F(Narrow, ArraysOfAnOperationHaveAnEntryForEachRankOfTheOwnGroup) {
  Comm inter{.size = 5, .remote = 3};
  expect_lengths(group_of(handle(inter)), 0, 5, 5);
}

TEST_F(Narrow, ArraysOfANeighborhoodHaveAnEntryForEachNeighbor) {
  Comm line{.topology = cart, .in = 3};
  expect_lengths(neighbors_of(handle(line)), 0, 6, 6);
  Comm old{.topology = graph, .in = 4};
  expect_lengths(neighbors_of(handle(old)), 0, 4, 4);
  Comm directed{.topology = dist_graph, .in = 2, .out = 7};
  expect_lengths(neighbors_of(handle(directed)), 0, 7, 2);
  Comm none{.topology = -32766, .in = 9, .out = 9};
  expect_lengths(neighbors_of(handle(none)), 0, 0, 0);
}

TEST_F(Narrow, ErrorsOfTheMpiAreHandedOn) {
  Comm comm{.failure = 5};
  EXPECT_EQ(peers_of(handle(comm), nullptr).code, 5);
  EXPECT_EQ(neighbors_of(handle(comm)).code, 5);
}

TEST_F(Narrow, RaisesErrCount) {
  Comm comm;
  EXPECT_EQ(too_large(handle(comm)), 2);
  EXPECT_EQ(comm.raised, 2);
  EXPECT_EQ(nowhere(), Handle{77});
}

TEST_F(Narrow, CountsFitAnIntOrDoNot) {
  EXPECT_TRUE(fits(INT_MAX));
  EXPECT_TRUE(fits(-1));  // for the MPI to refuse
  EXPECT_FALSE(fits(Count{INT_MAX} + 1));
  EXPECT_FALSE(fits(Count{1} << 32));
  EXPECT_EQ(clamp(Count{1} << 40), INT_MAX);
  EXPECT_EQ(clamp(12), 12);
}

TEST_F(Narrow, NarrowsArrays) {
  const std::vector<Count> values{3, -1, INT_MAX};
  const Ints ints(values.data(), 3);
  ASSERT_TRUE(ints.good());
  EXPECT_EQ(std::vector<int>(ints.data(), ints.data() + 3), (std::vector<int>{3, -1, INT_MAX}));
  const std::vector<Count> large{3, Count{1} << 31};
  EXPECT_FALSE(Ints(large.data(), 2).good());
  EXPECT_TRUE(Ints(large.data(), 1).good());
  const Ints none(nullptr, 4);
  EXPECT_TRUE(none.good());
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.kept(), nullptr);
}

TEST_F(Narrow, KeepsEqualArraysOnce) {
  const std::vector<Count> values{1, 2, 3};
  const int* first = Ints(values.data(), 3).kept();
  EXPECT_EQ(Ints(values.data(), 3).kept(), first);
  EXPECT_NE(Ints(values.data(), 2).kept(), first);
  EXPECT_EQ(std::vector<int>(first, first + 3), (std::vector<int>{1, 2, 3}));
  std::vector<const int*> others;
  for (Count i = 0; i < 5000; ++i) others.push_back(Ints(&i, 1).kept());
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(*others[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace typewarp::interpose
