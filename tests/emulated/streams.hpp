// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "calls.hpp"

#include <functional>
#include <memory>
#include <vector>

/// A node of a graph, and what a stream is given.
struct CUgraphNode_st {
  cudaGraphNodeType type;
  std::function<void()> work;
};

namespace emulated {

using Node = CUgraphNode_st;
using Nodes = std::vector<std::shared_ptr<const Node>>;
inline std::shared_ptr<const Node> node_of(cudaGraphNodeType type, std::function<void()> work) {
  return owned_unseen(new const Node{type, std::move(work)});
}

/// What a stream is given at once: nodes, which begin after others have been done.
struct Task;
/// The last that a stream had been given when it was asked; null where that was nothing.
using Point = std::shared_ptr<Task>;

/// Gives work to a stream, or to the graph that it is captured into. It begins after `after`.
Point submit(cudaStream_t stream, Nodes nodes, std::vector<Point> after = {});
inline Point submit(cudaStream_t stream, std::function<void()> work,
                    cudaGraphNodeType type = cudaGraphNodeTypeMemcpy) {
  return submit(stream, {node_of(type, std::move(work))});
}
void wait_for(const Point& point);
/// What the calling thread then does comes after that, unless it has the lock of all streams.
bool passed(const Point& point);
/// Waits for all streams of a device.
void wait_for_device(int device);

/// For calls that may wait for the device: fails, and spoils captures, where one forbids that.
void forbid_while_captured();
bool is_captured(cudaStream_t stream);
struct Capture;
/// That into which a stream is captured; null if it is not.
std::shared_ptr<Capture> capture_of(cudaStream_t stream);
/// Makes a stream a part of a capture, whose nodes are in order. False if it is none, or has ended.
bool join(cudaStream_t stream, const std::shared_ptr<Capture>& capture);
CUctx_st* context_of(cudaStream_t stream);
/// Whether it is a default stream that all others wait for.
inline bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

/// What a launch or a kernel's node does.
std::function<void()> kernel_work(const void* kernel, dim3 blocks, dim3 threads, std::size_t shared,
                                  void** arguments);

}  // namespace emulated

struct CUgraph_st {
  emulated::Nodes nodes;
};
