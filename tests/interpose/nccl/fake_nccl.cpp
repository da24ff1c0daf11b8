// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// A library of NCCL that moves memory of the host between processes, through memory that they share. Work
// comes in the order of its stream, which is the fake device's.
//
// FAKE_NCCL_VERSION: what it says that it is. FAKE_NCCL_FAIL=<what>:<rank>: where it fails, of init, which
// the other ranks then wait for as they do for NCCL's; call; and later, of which ncclCommGetAsyncError tells.

#include "interpose/core/nccl/nccl_api.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using typewarp::interpose::nccl::Id;
using typewarp::interpose::nccl::RedOp;
using typewarp::interpose::nccl::Result;
using typewarp::interpose::nccl::Type;

namespace typewarp::interpose::nccl {

constexpr int most_ranks = 8;
constexpr std::size_t slot_bytes = 64 << 10;
constexpr Result failure{2};         // ncclSystemError
constexpr Result remote_failure{6};  // ncclRemoteError

struct Shared {
  std::atomic<int> arrived, waiting;
  std::atomic<unsigned> turn;
  std::atomic<bool> failed;
  std::byte slots[most_ranks][slot_bytes];
};

struct CommOfNccl {
  Shared* shared;
  int rank, ranks;
  std::atomic<Result> state;

  void meet() const {
    const unsigned turn = shared->turn;
    if (++shared->waiting == ranks) {
      shared->waiting = 0;
      ++shared->turn;
    }
    while (shared->turn == turn && !shared->failed) sched_yield();
  }
};

namespace {

std::atomic<int> calls = 0, alive = 0;

bool fails(const char* what, int rank) {
  const char* const asked = std::getenv("FAKE_NCCL_FAIL");
  return asked != nullptr && std::string(what) + ":" + std::to_string(rank) == asked;
}

std::size_t size_of(Type type) {
  switch (type) {
    case Type::int8:
    case Type::uint8:
      return 1;
    case Type::int64:
    case Type::uint64:
    case Type::float64:
      return 8;
    default:
      return 4;
  }
}

template <class T>
void combine(std::byte* into, const std::byte* with, std::size_t count, RedOp operation) {
  for (std::size_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, into + i * sizeof(T), sizeof(T));
    std::memcpy(&b, with + i * sizeof(T), sizeof(T));
    const T made = operation == RedOp::sum       ? static_cast<T>(a + b)
                   : operation == RedOp::product ? static_cast<T>(a * b)
                   : operation == RedOp::max     ? std::max(a, b)
                                                 : std::min(a, b);
    std::memcpy(into + i * sizeof(T), &made, sizeof(T));
  }
}

void combine(Type type, std::byte* into, const std::byte* with, std::size_t count, RedOp operation) {
  switch (type) {
    case Type::int8:
      return combine<std::int8_t>(into, with, count, operation);
    case Type::uint8:
      return combine<std::uint8_t>(into, with, count, operation);
    case Type::int32:
      return combine<std::int32_t>(into, with, count, operation);
    case Type::uint32:
      return combine<std::uint32_t>(into, with, count, operation);
    case Type::int64:
      return combine<std::int64_t>(into, with, count, operation);
    case Type::uint64:
      return combine<std::uint64_t>(into, with, count, operation);
    case Type::float32:
      return combine<float>(into, with, count, operation);
    case Type::float64:
      return combine<double>(into, with, count, operation);
  }
}

/// Each rank gives `give` bytes from `from`; `take(offset, bytes)` reads the slots of all.
template <class Take>
void exchange(const CommOfNccl& comm, const std::byte* from, std::size_t bytes, Take take) {
  for (std::size_t done = 0; done < bytes && !comm.shared->failed; done += slot_bytes) {
    const std::size_t part = std::min(slot_bytes, bytes - done);
    if (from != nullptr) std::memcpy(comm.shared->slots[comm.rank], from + done, part);
    comm.meet();
    take(done, part);
    comm.meet();
  }
}

struct Work {
  enum { reduction, movement } what;
  CommOfNccl* comm;
  const std::byte* from;
  std::byte* to;
  std::size_t bytes;  ///< of what a rank gives
  Type type;
  RedOp operation;
  int root;           ///< of all: -1
  bool is_scattered;  ///< each rank keeps a part

  void run() const {
    // In place from elsewhere than NCCL allows, this would show.
    Shared& shared = *comm->shared;
    if (what == movement && root >= 0) {
      return exchange(
          *comm, comm->rank == root ? from : nullptr, bytes,
          [&](std::size_t at, std::size_t part) { std::memcpy(to + at, shared.slots[root], part); });
    }
    if (what == movement) {
      return exchange(*comm, from, bytes, [&](std::size_t at, std::size_t part) {
        for (int rank = 0; rank < comm->ranks; ++rank)
          std::memcpy(to + static_cast<std::size_t>(rank) * bytes + at, shared.slots[rank], part);
      });
    }
    const std::size_t own = is_scattered ? bytes / static_cast<std::size_t>(comm->ranks) : bytes;
    const std::size_t first = is_scattered ? static_cast<std::size_t>(comm->rank) * own : 0;
    exchange(*comm, from, bytes, [&](std::size_t at, std::size_t part) {
      if (root >= 0 && root != comm->rank) return;
      std::byte sum[slot_bytes];
      std::memcpy(sum, shared.slots[0], part);
      for (int rank = 1; rank < comm->ranks; ++rank)
        combine(type, sum, shared.slots[rank], part / size_of(type), operation);
      const std::size_t begin = std::max(at, first), end = std::min(at + part, first + own);
      if (begin < end) std::memcpy(to + begin - first, sum + begin - at, end - begin);
    });
  }
};

Result enqueue(const Work& work, void* stream) {
  ++calls;
  if (fails("call", work.comm->rank)) {
    work.comm->shared->failed = true;
    return failure;
  }
  using Enqueue = int(void*, void (*)(void*), void*);
  static auto* const give = reinterpret_cast<Enqueue*>(dlsym(RTLD_DEFAULT, "fake_gpu_enqueue"));
  const auto run = [](void* data) {
    const Work* const made = static_cast<Work*>(data);
    made->run();
    if (fails("later", made->comm->rank)) made->comm->shared->failed = true;
    if (made->comm->shared->failed) made->comm->state = remote_failure;
    delete made;
  };
  return give != nullptr && give(stream, run, new Work(work)) == 0 ? Result::success : failure;
}

const std::byte* bytes(const void* address) { return static_cast<const std::byte*>(address); }
std::byte* bytes(void* address) { return static_cast<std::byte*>(address); }

void end(CommOfNccl* comm) {
  munmap(comm->shared, sizeof(Shared));
  delete comm;
  --alive;
}

}  // namespace
}  // namespace typewarp::interpose::nccl

using typewarp::interpose::nccl::bytes;
using typewarp::interpose::nccl::CommOfNccl;
using typewarp::interpose::nccl::enqueue;
using typewarp::interpose::nccl::fails;
using typewarp::interpose::nccl::failure;
using typewarp::interpose::nccl::Shared;
using typewarp::interpose::nccl::size_of;
using typewarp::interpose::nccl::Work;

extern "C" {

int fake_nccl_calls() { return typewarp::interpose::nccl::calls; }
int fake_nccl_alive() { return typewarp::interpose::nccl::alive; }

Result ncclGetVersion(int* version) {
  const char* const asked = std::getenv("FAKE_NCCL_VERSION");
  *version = asked != nullptr ? std::atoi(asked) : 22809;
  return Result::success;
}

Result ncclGetUniqueId(Id* id) {
  static std::atomic<int> made = 0;
  std::snprintf(id->internal, sizeof(id->internal), "/fake_nccl_%d_%d", static_cast<int>(getpid()), ++made);
  shm_unlink(id->internal);  // of a process that had this number, and failed
  return Result::success;
}

Result ncclCommInitRank(CommOfNccl** made, int ranks, Id id, int rank) {
  if (fails("init", rank)) return failure;
  const int file = shm_open(id.internal, O_CREAT | O_RDWR, 0600);
  if (file < 0 || ftruncate(file, sizeof(Shared)) != 0) return failure;
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return failure;
  auto* const shared = static_cast<Shared*>(memory);
  ++shared->arrived;
  while (shared->arrived < ranks) usleep(1000);  // for ever, where one has failed
  shm_unlink(id.internal);
  *made = new CommOfNccl{shared, rank, ranks, Result::success};
  ++typewarp::interpose::nccl::alive;
  return Result::success;
}

Result ncclCommDestroy(CommOfNccl* comm) {
  typewarp::interpose::nccl::end(comm);
  return Result::success;
}

Result ncclCommAbort(CommOfNccl* comm) {
  comm->shared->failed = true;
  typewarp::interpose::nccl::end(comm);
  return Result::success;
}

Result ncclCommGetAsyncError(CommOfNccl* comm, Result* state) {
  *state = comm->state;
  return Result::success;
}

const char* ncclGetErrorString(Result) { return "the fake was told to fail"; }
const char* ncclGetLastError(CommOfNccl*) { return ""; }
Result ncclGroupStart() { return Result::success; }
Result ncclGroupEnd() { return Result::success; }

Result ncclAllReduce(const void* from, void* to, std::size_t count, Type type, RedOp operation,
                     CommOfNccl* comm, void* stream) {
  return enqueue(
      {Work::reduction, comm, bytes(from), bytes(to), count * size_of(type), type, operation, -1, false},
      stream);
}

Result ncclReduce(const void* from, void* to, std::size_t count, Type type, RedOp operation, int root,
                  CommOfNccl* comm, void* stream) {
  return enqueue(
      {Work::reduction, comm, bytes(from), bytes(to), count * size_of(type), type, operation, root, false},
      stream);
}

Result ncclReduceScatter(const void* from, void* to, std::size_t count, Type type, RedOp operation,
                         CommOfNccl* comm, void* stream) {
  const std::size_t all = count * size_of(type) * static_cast<std::size_t>(comm->ranks);
  return enqueue({Work::reduction, comm, bytes(from), bytes(to), all, type, operation, -1, true}, stream);
}

Result ncclBroadcast(const void* from, void* to, std::size_t count, Type type, int root, CommOfNccl* comm,
                     void* stream) {
  return enqueue({Work::movement, comm, bytes(from), bytes(to), count * size_of(type), type, {}, root, false},
                 stream);
}

Result ncclAllGather(const void* from, void* to, std::size_t count, Type type, CommOfNccl* comm,
                     void* stream) {
  return enqueue({Work::movement, comm, bytes(from), bytes(to), count * size_of(type), type, {}, -1, false},
                 stream);
}

}  // extern "C"
