// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/front/narrow.hpp"

#include <pthread.h>

#include <cstdlib>
#include <cstring>

namespace typewarp::interpose {
namespace {

constexpr int err_count = 2;  // MPI_ERR_COUNT of every ABI

template <class... Arguments>
int mpi(const char* name, Arguments... arguments) noexcept {
  auto* function = resolved.mpi.function<int(Arguments...)>(name);
  return function == nullptr ? resolved.facts.unsupported : function(arguments...);
}

struct KeptArray {
  KeptArray* following;
  int n;
  int values[1];
};
constexpr std::size_t buckets = 1024;
std::array<KeptArray*, buckets> kept_arrays{};
pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

/// What the root of a call gives as its number: between groups, and in one.
int own_number_as_root(Handle comm, int& number) noexcept {
  int inter = 0;
  const int code = mpi("PMPI_Comm_test_inter", comm, &inter);
  if (code != 0) return code;
  if (inter == 0) return mpi("PMPI_Comm_rank", comm, &number);
  number = resolved.facts.root;
  return 0;
}

/// FNV-1a, by ints.
std::size_t bucket_of(const int* values, std::size_t n) noexcept {
  std::uint64_t hash = 14695981039346656037U;
  for (std::size_t i = 0; i < n; ++i) hash = (hash ^ static_cast<std::uint32_t>(values[i])) * 1099511628211U;
  return (hash >> 32U) % buckets;
}

}  // namespace

int too_large(Handle comm) noexcept {
  mpi("PMPI_Comm_call_errhandler", comm, err_count);
  return err_count;
}

int too_large_for_file(Handle file) noexcept {
  mpi("PMPI_File_call_errhandler", file, err_count);
  return err_count;
}

int too_large_for_window(Handle window) noexcept {
  mpi("PMPI_Win_call_errhandler", window, err_count);
  return err_count;
}

Handle nowhere() noexcept { return resolved.facts.comm_self; }

Lengths peers_of(Handle comm, const void* sendbuf) noexcept {
  Lengths lengths;
  int inter = 0;
  lengths.code = mpi("PMPI_Comm_test_inter", comm, &inter);
  if (lengths.code != 0) return lengths;
  lengths.code = mpi(inter != 0 ? "PMPI_Comm_remote_size" : "PMPI_Comm_size", comm, &lengths.receive);
  lengths.send = is_in_place(sendbuf) ? 0 : lengths.receive;
  return lengths;
}

bool is_in_place(const void* buffer) noexcept {
  return reinterpret_cast<std::uintptr_t>(buffer) == resolved.facts.in_place;
}

Lengths peers_of_root(Handle comm, int root) noexcept {
  Lengths lengths;
  int own = -1;
  lengths.code = own_number_as_root(comm, own);
  return lengths.code == 0 && root == own ? peers_of(comm, nullptr) : lengths;
}

bool is_root(Handle comm, int root) noexcept {
  int own = -1;
  return own_number_as_root(comm, own) == 0 && root == own;
}

Lengths group_of(Handle comm) noexcept {
  Lengths lengths;
  lengths.code = mpi("PMPI_Comm_size", comm, &lengths.receive);
  lengths.send = lengths.receive;
  return lengths;
}

Lengths neighbors_of(Handle comm) noexcept {
  Lengths lengths;
  int topology = 0;
  lengths.code = mpi("PMPI_Topo_test", comm, &topology);
  if (lengths.code != 0) return lengths;
  if (topology == resolved.facts.dist_graph) {
    int weighted = 0;
    lengths.code = mpi("PMPI_Dist_graph_neighbors_count", comm, &lengths.receive, &lengths.send, &weighted);
  } else if (topology == resolved.facts.cart) {
    int dimensions = 0;
    lengths.code = mpi("PMPI_Cartdim_get", comm, &dimensions);
    lengths.send = lengths.receive = 2 * dimensions;
  } else if (topology == resolved.facts.graph) {
    int rank = 0;
    lengths.code = mpi("PMPI_Comm_rank", comm, &rank);
    if (lengths.code == 0) lengths.code = mpi("PMPI_Graph_neighbors_count", comm, rank, &lengths.receive);
    lengths.send = lengths.receive;
  }
  return lengths;  // with no topology there is nothing to read, and the MPI raises the error
}

Ints::Ints(const Count* values, int n) noexcept : n_(n) {
  if (values == nullptr) return;
  values_ = static_cast<int*>(std::malloc(static_cast<std::size_t>(n > 0 ? n : 1) * sizeof(int)));
  good_ = values_ != nullptr;
  for (int i = 0; i < n && good_; ++i) {
    good_ = fits(values[i]);
    values_[i] = static_cast<int>(values[i]);
  }
}

Ints::~Ints() { std::free(values_); }

const int* Ints::kept() const noexcept {
  if (values_ == nullptr) return nullptr;
  const auto n = static_cast<std::size_t>(n_);
  pthread_mutex_lock(&kept_lock);
  KeptArray** place = &kept_arrays[bucket_of(values_, n)];
  while (*place != nullptr &&
         ((*place)->n != n_ || std::memcmp((*place)->values, values_, n * sizeof(int)) != 0)) {
    place = &(*place)->following;
  }
  if (*place == nullptr) {
    *place = static_cast<KeptArray*>(std::malloc(sizeof(KeptArray) + n * sizeof(int)));
    if (*place != nullptr) {
      (*place)->following = nullptr;
      (*place)->n = n_;
      std::memcpy((*place)->values, values_, n * sizeof(int));
    }
  }
  const int* result = *place == nullptr ? nullptr : (*place)->values;
  pthread_mutex_unlock(&kept_lock);
  return result;
}

}  // namespace typewarp::interpose
