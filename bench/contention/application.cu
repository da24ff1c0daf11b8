// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "application.hpp"

#include "check.hpp"

#include <typewarp/error.hpp>

#include <string>

namespace typewarp::contention {
namespace {

using bench::check;
using Count = unsigned long long;  // what atomicAdd takes

template <typename Kernel>
__global__ void __launch_bounds__(threads) work_kernel(Kernel kernel) {
  kernel(static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x);
}

template <typename Values>
__global__ void fill_kernel(double* data, Values values) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  data[at] = values(at);
}

template <typename Kernel>
__global__ void count_kernel(Kernel kernel, std::int64_t most, Count* wrong) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (at < most && kernel.wrong(at)) atomicAdd(wrong, Count{1});
}

struct First {
  __device__ double operator()(std::int64_t at) const { return Add::first(at); }
};
struct Second {
  __device__ double operator()(std::int64_t at) const { return Add::second(at); }
};

constexpr auto array_bytes = static_cast<std::int64_t>(elements * sizeof(double));
constexpr auto array_blocks = static_cast<unsigned>(elements / threads);

template <typename Kernel>
void launch(const Kernel& kernel, std::int64_t blocks, cudaStream_t stream) {
  work_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(kernel);
  check(cudaGetLastError(), "work_kernel");
}

std::shared_ptr<CUevent_st> make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return {event, [](cudaEvent_t e) { cudaEventDestroy(e); }};
}

/// How many thread blocks of the arithmetic run at once.
std::int64_t blocks_that_fit() {
  int device = 0;
  int multiprocessors = 0;
  int blocks = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work_kernel<Arithmetic>, threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return std::int64_t{multiprocessors} * blocks;
}

double* doubles(const bench::DeviceMemory& memory) { return reinterpret_cast<double*>(memory.get()); }

}  // namespace

Application::Application()
    : a_(bench::allocate_device(array_bytes)),
      b_(bench::allocate_device(array_bytes)),
      result_(bench::allocate_device(array_bytes)),
      sent_(bench::allocate_device(most_copied)),
      received_(bench::allocate_device(most_copied)),
      from_device_(bench::allocate_pinned(most_copied)),
      to_device_(bench::allocate_pinned(most_copied)),
      resident_blocks_(blocks_that_fit()),
      fork_(make_event()),
      join_(make_event()) {
  fill_kernel<<<array_blocks, threads, 0, queue_.get()>>>(doubles(a_), First{});
  fill_kernel<<<array_blocks, threads, 0, queue_.get()>>>(doubles(b_), Second{});
  check(cudaGetLastError(), "fill_kernel");
  queue_.wait();
}

void Application::copy(bool to_host, std::int64_t bytes, cudaStream_t stream) const {
  if (bytes > most_copied) {
    throw Error("a copy of " + std::to_string(bytes) + " bytes: must be at most " +
                std::to_string(most_copied));
  }
  check(to_host ? cudaMemcpyAsync(from_device_.get(), sent_.get(), static_cast<std::size_t>(bytes),
                                  cudaMemcpyDeviceToHost, stream)
                : cudaMemcpyAsync(received_.get(), to_device_.get(), static_cast<std::size_t>(bytes),
                                  cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
}

void Application::enqueue(Work work, std::int64_t units, cudaStream_t stream) const {
  auto* const floats = reinterpret_cast<float*>(result_.get());
  switch (work) {
    case Work::add:
      return launch(Add{doubles(a_), doubles(b_), doubles(result_)}, units, stream);
    case Work::stencil:
      return launch(Stencil{doubles(a_), doubles(result_)}, units, stream);
    case Work::arithmetic:
      return launch(Arithmetic{floats, arithmetic_steps}, units, stream);
    case Work::resident:
      return launch(Arithmetic{floats, 2 * units}, resident_blocks_, stream);
    case Work::to_host:
    case Work::to_device:
      return copy(work == Work::to_host, units * page, stream);
    case Work::both_ways:
      check(cudaEventRecord(fork_.get(), stream), "cudaEventRecord");
      check(cudaStreamWaitEvent(queue_.get(), fork_.get(), 0), "cudaStreamWaitEvent");
      copy(true, units * page, stream);
      copy(false, units * page, queue_.get());
      check(cudaEventRecord(join_.get(), queue_.get()), "cudaEventRecord");
      check(cudaStreamWaitEvent(stream, join_.get(), 0), "cudaStreamWaitEvent");
  }
}

std::int64_t Application::wrong(Work work, std::int64_t units) const {
  if (!is_kernel(work)) return 0;
  const bench::DeviceMemory memory = bench::allocate_device(sizeof(Count));
  auto* const wrong = reinterpret_cast<Count*>(memory.get());
  check(cudaMemsetAsync(wrong, 0, sizeof(Count), queue_.get()), "cudaMemsetAsync");
  check(cudaMemsetAsync(result_.get(), 0xff, array_bytes, queue_.get()), "cudaMemsetAsync");  // no number
  enqueue(work, units, queue_.get());
  const auto count = [&](const auto& kernel, std::int64_t blocks, std::int64_t begin) {
    const std::int64_t most = begin + std::min(blocks * threads, elements - 2 * begin);
    count_kernel<<<array_blocks, threads, 0, queue_.get()>>>(kernel, most, wrong);
    check(cudaGetLastError(), "count_kernel");
  };
  auto* const floats = reinterpret_cast<float*>(result_.get());
  if (work == Work::add) count(Add{doubles(a_), doubles(b_), doubles(result_)}, units, 0);
  if (work == Work::stencil) count(Stencil{doubles(a_), doubles(result_)}, units, Stencil::plane);
  if (work == Work::arithmetic) count(Arithmetic{floats, arithmetic_steps}, units, 0);
  if (work == Work::resident) count(Arithmetic{floats, 2}, resident_blocks_, 0);
  Count found = 0;
  check(cudaMemcpyAsync(&found, wrong, sizeof found, cudaMemcpyDeviceToHost, queue_.get()),
        "cudaMemcpyAsync");
  queue_.wait();
  return static_cast<std::int64_t>(found);
}

}  // namespace typewarp::contention
