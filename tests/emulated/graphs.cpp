// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.hpp"
#include "copies.hpp"
#include "streams.hpp"

#include <algorithm>
#include <mutex>

/// Nodes of a graph, which are done in the order in which they were added.
struct CUgraphExec_st {
  std::mutex mutex;
  emulated::Nodes nodes;
  std::vector<const CUgraphNode_st*> origins;  ///< of the graph that it was made of
  emulated::Point last;                        ///< launches follow each other
};

namespace emulated {

std::function<void()> kernel_work(const void* kernel, dim3 blocks, dim3 threads, std::size_t shared,
                                  void** arguments) {
  constexpr unsigned most_threads = 1024;
  require(blocks.x > 0 && threads.x > 0 && threads.x <= most_threads);
  const Launch launch{blocks.x, threads.x, shared, bound(kernel, arguments)};
  require(launch.call != nullptr, cudaErrorInvalidDeviceFunction);
  return [launch] { run(launch); };
}

namespace {

std::shared_ptr<const Node> kernel_node(const cudaKernelNodeParams& kernel) {
  return node_of(cudaGraphNodeTypeKernel, kernel_work(kernel.func, kernel.gridDim, kernel.blockDim,
                                                      kernel.sharedMemBytes, kernel.kernelParams));
}

void add(cudaGraph_t graph, cudaGraphNode_t* node, std::shared_ptr<const Node> made) {
  *node = const_cast<Node*>(made.get());
  graph->nodes.push_back(std::move(made));
}

}  // namespace
}  // namespace emulated

using namespace emulated;

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  return call([&] { attributes->ptxVersion = version() >= 12000 ? 90 : 0; });
}

cudaError_t cudaFuncSetAttribute(const void*, int, int) {
  return call([] {});
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  return call([&] {
    require(config->numAttrs == 0 || version() >= 11070, cudaErrorNotSupported);
    submit(config->stream,
           kernel_work(kernel, config->gridDim, config->blockDim, config->dynamicSmemBytes, arguments),
           cudaGraphNodeTypeKernel);
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return call([&] { *graph = new CUgraph_st; });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&] { delete graph; });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, size_t,
                                   const cudaKernelNodeParams* kernel) {
  return call([&] { add(graph, node, kernel_node(*kernel)); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, size_t,
                                     void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return call([&] {
    check_copy(to, from, bytes);
    add(graph, node, node_of(cudaGraphNodeTypeMemcpy, [=] { std::memcpy(to, from, bytes); }));
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call([&] {
    if (nodes != nullptr) {
      require(*count <= graph->nodes.size());
      for (std::size_t i = 0; i < *count; ++i) nodes[i] = const_cast<Node*>(graph->nodes[i].get());
    }
    *count = graph->nodes.size();
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call([&] { *type = node->type; });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return call([&] {
    auto made = std::make_unique<CUgraphExec_st>();
    made->nodes = graph->nodes;
    for (const auto& node : graph->nodes) made->origins.push_back(node.get());
    *executable = made.release();
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return call([] {});
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo*) {
  return call([&] {
    const std::lock_guard lock(executable->mutex);
    const auto same = [](const auto& one, const auto& other) { return one->type == other->type; };
    require(std::ranges::equal(executable->nodes, graph->nodes, same), cudaErrorGraphExecUpdateFailure);
    executable->nodes = graph->nodes;
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* kernel) {
  return call([&] {
    auto made = kernel_node(*kernel);
    const std::lock_guard lock(executable->mutex);
    const auto found = std::ranges::find(executable->origins, node);
    require(found != executable->origins.end());
    executable->nodes[static_cast<std::size_t>(found - executable->origins.begin())] = std::move(made);
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return call([&] { delete executable; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return call([&] {
    const std::lock_guard lock(executable->mutex);
    executable->last = submit(stream, executable->nodes, {executable->last});
  });
}
