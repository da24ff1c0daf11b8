// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nccl.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace typewarp::collectives_bench {
namespace {

constexpr int skipped = 77;
constexpr int of_floats = 7;  // ncclFloat32
constexpr int sum = 0;        // ncclSum

struct Id {
  char bytes[128];
};

/// What nccl.h declares, in plain types.
struct Functions {
  int (*get_id)(Id*);
  int (*init)(void**, int ranks, Id, int rank);
  int (*destroy)(void*);
  int (*all_reduce)(const void*, void*, std::size_t, int type, int operation, void*, cudaStream_t);
  int (*broadcast)(const void*, void*, std::size_t, int type, int root, void*, cudaStream_t);
  int (*all_gather)(const void*, void*, std::size_t, int type, void*, cudaStream_t);
  int (*send)(const void*, std::size_t, int type, int peer, void*, cudaStream_t);
  int (*receive)(void*, std::size_t, int type, int peer, void*, cudaStream_t);
  int (*begin_group)();
  int (*end_group)();
};

[[noreturn]] void end(int status, const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

void expect(int code, const char* call) {
  if (code != 0) end(1, std::string(call) + ": " + std::to_string(code));
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) end(1, std::string("NCCL has no ") + name);
}

Functions load() {
  const char* const named = std::getenv("TYPEWARP_NCCL");
  void* const library = dlopen(named != nullptr ? named : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) end(skipped, std::string("skipped: ") + dlerror());
  Functions found{};
  find(library, "ncclGetUniqueId", found.get_id);
  find(library, "ncclCommInitRank", found.init);
  find(library, "ncclCommDestroy", found.destroy);
  find(library, "ncclAllReduce", found.all_reduce);
  find(library, "ncclBroadcast", found.broadcast);
  find(library, "ncclAllGather", found.all_gather);
  find(library, "ncclSend", found.send);
  find(library, "ncclRecv", found.receive);
  find(library, "ncclGroupStart", found.begin_group);
  find(library, "ncclGroupEnd", found.end_group);
  return found;
}

}  // namespace

struct Nccl::State {
  Functions call = load();
  void* comm = nullptr;
  int ranks = 0;
  cudaStream_t stream = nullptr;

  void finish(int code, const char* what) const {
    expect(code, what);
    expect(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
};

Nccl::Nccl(MPI_Comm comm) : state_(new State) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &state_->ranks);
  Id id{};
  if (rank == 0) expect(state_->call.get_id(&id), "ncclGetUniqueId");
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, comm);
  expect(state_->call.init(&state_->comm, state_->ranks, id, rank), "ncclCommInitRank");
  expect(cudaStreamCreateWithFlags(&state_->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

Nccl::~Nccl() {
  state_->call.destroy(state_->comm);
  cudaStreamDestroy(state_->stream);
  delete state_;
}

void Nccl::allreduce(const float* from, float* to, std::size_t count) const {
  state_->finish(state_->call.all_reduce(from, to, count, of_floats, sum, state_->comm, state_->stream),
                 "ncclAllReduce");
}

void Nccl::bcast(float* buffer, std::size_t count) const {
  constexpr int root = 0;
  state_->finish(state_->call.broadcast(buffer, buffer, count, of_floats, root, state_->comm, state_->stream),
                 "ncclBroadcast");
}

void Nccl::allgather(const float* from, float* to, std::size_t count) const {
  state_->finish(state_->call.all_gather(from, to, count, of_floats, state_->comm, state_->stream),
                 "ncclAllGather");
}

void Nccl::alltoall(const float* from, float* to, std::size_t count) const {
  const Functions& call = state_->call;
  expect(call.begin_group(), "ncclGroupStart");
  for (int peer = 0; peer < state_->ranks; ++peer) {
    const std::size_t place = static_cast<std::size_t>(peer) * count;
    expect(call.send(from + place, count, of_floats, peer, state_->comm, state_->stream), "ncclSend");
    expect(call.receive(to + place, count, of_floats, peer, state_->comm, state_->stream), "ncclRecv");
  }
  state_->finish(call.end_group(), "ncclGroupEnd");
}

}  // namespace typewarp::collectives_bench
