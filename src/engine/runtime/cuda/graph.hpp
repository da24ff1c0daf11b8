// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/cuda/check.hpp"

#include <cstddef>

namespace typewarp::gpu {

/// Owns nodes that follow each other, as in a stream. They are made one by one and not by capturing a stream,
/// since CUDA lets no other thread synchronise the device during a capture.
class Graph {
 public:
  Graph();
  Graph& operator=(Graph&&) = delete;
  ~Graph();

  void add(const cudaKernelNodeParams& kernel);
  /// Adds nothing unless it returns cudaSuccess.
  cudaError_t add_copy(void* to, const void* from, std::size_t bytes);

  cudaGraph_t get() const noexcept { return graph_; }
  cudaGraphNode_t last() const noexcept { return last_; }

 private:
  const cudaGraphNode_t* dependency() const noexcept { return nodes_ > 0 ? &last_ : nullptr; }
  std::size_t dependencies() const noexcept { return nodes_ > 0 ? 1 : 0; }
  void added(cudaGraphNode_t node) noexcept;

  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t last_ = nullptr;
  std::size_t nodes_ = 0;
};

/// Owns a graph that is ready for launches. Those of one executable follow each other on whatever streams
/// they are. May be destroyed while one is in flight: CUDA frees it then when that is done.
class Executable {
 public:
  /// Enqueues on `upload` what the first launch would otherwise have to allocate and copy; launches wait for
  /// it.
  Executable(const Graph& graph, cudaStream_t upload);
  Executable& operator=(Executable&&) = delete;
  ~Executable();

  /// Takes the parameters of `graph` for later launches; false, and unchanged, if its shape is too different.
  bool update(const Graph& graph);

  /// Takes other parameters for the one kernel of `graph`, of which this was made.
  void set(const Graph& graph, const cudaKernelNodeParams& kernel) {
    TYPEWARP_CUDA(cudaGraphExecKernelNodeSetParams(executable_, graph.last(), &kernel));
  }

  void launch(cudaStream_t stream) const { TYPEWARP_CUDA(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace typewarp::gpu
