// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/graph.hpp"

#include "engine/runtime/device_resources.hpp"

namespace typewarp::gpu {

Graph::Graph() {
  const RelaxedCapture relaxed;
  TYPEWARP_CUDA(cudaGraphCreate(&graph_, 0));
}

Graph::~Graph() {
  const RelaxedCapture relaxed;
  ignore(cudaGraphDestroy(graph_));
}

void Graph::added(cudaGraphNode_t node) noexcept {
  last_ = node;
  ++nodes_;
}

void Graph::add(const cudaKernelNodeParams& kernel) {
  cudaGraphNode_t node = nullptr;
  TYPEWARP_CUDA(cudaGraphAddKernelNode(&node, graph_, dependency(), dependencies(), &kernel));
  added(node);
}

cudaError_t Graph::add_copy(void* to, const void* from, std::size_t bytes) {
  cudaGraphNode_t node = nullptr;
  const cudaError_t status = cudaGraphAddMemcpyNode1D(&node, graph_, dependency(), dependencies(), to, from,
                                                      bytes, cudaMemcpyDefault);
  if (status == cudaSuccess) added(node);
  return status;
}

Executable::Executable(const Graph& graph, cudaStream_t upload) {
  const RelaxedCapture relaxed;
  TYPEWARP_CUDA(cudaGraphInstantiate(&executable_, graph.get(), 0));
  if (const cudaError_t status = cudaGraphUpload(executable_, upload); status != cudaSuccess) {
    ignore(cudaGraphExecDestroy(executable_));
    fail(status, "cudaGraphUpload(executable_, upload)");
  }
}

Executable::~Executable() {
  const RelaxedCapture relaxed;
  ignore(cudaGraphExecDestroy(executable_));
}

bool Executable::update(const Graph& graph) {
  const RelaxedCapture relaxed;
  cudaGraphExecUpdateResultInfo result{};
  const cudaError_t status = cudaGraphExecUpdate(executable_, graph.get(), &result);
  if (status == cudaErrorGraphExecUpdateFailure) {
    ignore(status);
    return false;
  }
  check(status, "cudaGraphExecUpdate(executable_, graph.get(), &result)");
  return true;
}

}  // namespace typewarp::gpu
