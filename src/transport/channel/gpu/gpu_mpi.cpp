// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/gpu/gpu_channel.hpp"

#include "base/environment.hpp"
#include "engine/runtime/vendor.hpp"

#include <dlfcn.h>

#include <array>
#include <new>
#include <string_view>

namespace typewarp::transport {
namespace {

class MpiLink final : public GpuChannel {
 public:
  explicit MpiLink(MPI_Comm comm) : comm_(comm) {}

  Protocol protocol() const noexcept override { return Protocol::gpu_aware; }
  Transfer start_send(const std::byte* data, std::int64_t bytes, int rank, int tag) override {
    return transport::start_send(data, bytes, {rank, tag, comm_});
  }
  Transfer start_receive(std::byte* data, std::int64_t bytes, int rank, int tag) override {
    return transport::start_receive(data, bytes, {rank, tag, comm_});
  }

 private:
  MPI_Comm comm_;
};

// Extensions: the first of Open MPI and MPICH, the second of MPICH and its derivatives.
bool says_by_query() {
  using Query = int (*)();
  using QueryKind = int (*)(int, int*);
  const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, gpu::vendor().mpi_query));
  if (query != nullptr && query() == 1) return true;
  const auto query_kind = reinterpret_cast<QueryKind>(dlsym(RTLD_DEFAULT, "MPIX_GPU_query_support"));
  int supported = 0;
  return query_kind != nullptr && query_kind(gpu::vendor().mpi_support, &supported) == MPI_SUCCESS &&
         supported != 0;
}

// The memory kinds that were requested at start-up and granted (MPI 4.1, section 11.4.3).
bool says_by_kinds(MPI_Comm comm) {
  MPI_Info info = MPI_INFO_NULL;
  if (MPI_Comm_get_info(comm, &info) != MPI_SUCCESS) return false;
  std::array<char, MPI_MAX_INFO_VAL + 1> value{};
  int present = 0;
  const int code = MPI_Info_get(info, "mpi_memory_alloc_kinds", MPI_MAX_INFO_VAL, value.data(), &present);
  MPI_Info_free(&info);
  return code == MPI_SUCCESS && present != 0 &&
         std::string_view(value.data()).find(gpu::vendor().mpi_kind) != std::string_view::npos;
}

}  // namespace

std::unique_ptr<GpuChannel> make_mpi_link(MPI_Comm comm) {
  return std::unique_ptr<GpuChannel>(new (std::nothrow) MpiLink(comm));
}

bool mpi_declares_gpu_awareness(MPI_Comm comm, bool (*ucx_takes_it)()) {
  const std::string_view told = environment::text("TYPEWARP_GPU_AWARE");
  if (!told.empty()) return told != "0";
  int world = 0;
  MPI_Initialized(&world);  // not by sessions alone, which have no MPI_COMM_WORLD
  if (says_by_query() || says_by_kinds(comm) || (world != 0 && says_by_kinds(MPI_COMM_WORLD))) return true;
  // With this setting Open MPI passes contiguous bytes to UCX as they are, or MPI_Init fails.
  return environment::text("OMPI_MCA_pml") == "ucx" && ucx_takes_it();
}

}  // namespace typewarp::transport
