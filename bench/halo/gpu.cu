// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu.hpp"

#include "check.hpp"
#include "memory.hpp"

#include <algorithm>
#include <vector>

namespace typewarp::halo_bench::gpu {
namespace {

using bench::check;
using Count = unsigned long long;  // what atomicAdd takes

constexpr int threads = 256;

unsigned blocks(std::int64_t work) { return static_cast<unsigned>((work + threads - 1) / threads); }

__device__ std::int64_t index() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void fill_kernel(double* data, Contents contents) {
  const std::int64_t cell = index();
  if (cell < contents.cube.cells()) data[cell] = contents.before(indices_of(cell, contents.cube.length()));
}

__global__ void clear_kernel(double* data, std::int64_t cells) {
  const std::int64_t cell = index();
  if (cell < cells) data[cell] = untouched;
}

/// Of a cube with so many along an edge.
__host__ __device__ std::int64_t cells_of(std::int64_t length) { return length * length * length; }

template <typename Cells>
__global__ void count_kernel(Cells cells, Count* wrong) {
  const std::int64_t cell = index();
  if (cell < cells_of(cells.length()) && cells.wrong(cell, indices_of(cell, cells.length()))) {
    atomicAdd(wrong, Count{1});
  }
}

/// A row of threads along the rows of cells; a thread block for each row and plane.
__global__ void stencil_kernel(Stencil stencil, Span3 cells) {
  const std::int64_t k = index();
  if (k >= cells.size[2]) return;
  const std::int64_t i = cells.begin[0] + blockIdx.z;
  const std::int64_t j = cells.begin[1] + blockIdx.y;
  stencil((i * stencil.length + j) * stencil.length + cells.begin[2] + k);
}

__global__ void write_parts_kernel(double* data, std::int64_t sectors, std::int64_t distance) {
  const std::int64_t sector = index();
  if (sector < sectors) data[sector * distance] = untouched;
}

__global__ void empty_kernel() {}

template <typename Cells>
std::int64_t count(const Cells& cells, Stream stream) {
  const bench::DeviceMemory memory = bench::allocate_device(sizeof(Count));
  auto* const wrong = reinterpret_cast<Count*>(memory.get());
  check(cudaMemsetAsync(wrong, 0, sizeof(Count), stream), "cudaMemsetAsync");
  count_kernel<<<blocks(cells_of(cells.length())), threads, 0, stream>>>(cells, wrong);
  check(cudaGetLastError(), "count_kernel");
  Count result = 0;
  check(cudaMemcpyAsync(&result, wrong, sizeof result, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  wait(stream);
  return static_cast<std::int64_t>(result);
}

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};

}  // namespace

void fill(double* data, const Contents& contents, Stream stream) {
  fill_kernel<<<blocks(contents.cube.cells()), threads, 0, stream>>>(data, contents);
  check(cudaGetLastError(), "fill_kernel");
}

void clear(double* data, std::int64_t cells, Stream stream) {
  clear_kernel<<<blocks(cells), threads, 0, stream>>>(data, cells);
  check(cudaGetLastError(), "clear_kernel");
}

std::int64_t count_wrong(const Exchanged& cells, Stream stream) { return count(cells, stream); }
std::int64_t count_wrong(const Computed& cells, Stream stream) { return count(cells, stream); }

void compute(const Stencil& stencil, const Span3& cells, Stream stream) {
  const dim3 grid(blocks(cells.size[2]), static_cast<unsigned>(cells.size[1]),
                  static_cast<unsigned>(cells.size[0]));
  stencil_kernel<<<grid, threads, 0, stream>>>(stencil, cells);
  check(cudaGetLastError(), "stencil_kernel");
}

void write_parts(double* data, std::int64_t sectors, std::int64_t distance, Stream stream) {
  write_parts_kernel<<<blocks(sectors), threads, 0, stream>>>(data, sectors, distance);
  check(cudaGetLastError(), "write_parts_kernel");
}

void wait(Stream stream) { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

void take_turn(Stream stream) {
  empty_kernel<<<1, 1, 0, stream>>>();
  check(cudaGetLastError(), "empty_kernel");
  wait(stream);
}

std::int64_t kernels_of(const std::function<void()>& enqueue, Stream stream) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  enqueue();
  cudaGraph_t captured = nullptr;
  check(cudaStreamEndCapture(stream, &captured), "cudaStreamEndCapture");
  const std::unique_ptr<CUgraph_st, DestroyGraph> graph(captured);
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph.get(), nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph.get(), nodes.data(), &count), "cudaGraphGetNodes");
  return std::ranges::count_if(nodes, [](cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    return type == cudaGraphNodeTypeKernel;
  });
}

}  // namespace typewarp::halo_bench::gpu
