// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Fields in the memory that TYPEWARP_TEST_FIELDS names: device (if it is unset), managed or pinned. Skips all
// tests where some rank has no GPU.

#include "engine/runtime/memory_kinds.hpp"
#include "halo/device.hpp"
#include "transport/fixture.hpp"
#include "transport/gpu/gpu_everywhere.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace typewarp::test {
namespace {

Source asked_for() {
  const char* const name = std::getenv("TYPEWARP_TEST_FIELDS");
  const std::string kind = name == nullptr ? "device" : name;
  if (kind == "device") return Source::device;
  if (kind == "managed") return Source::managed;
  if (kind == "pinned") return Source::pinned;
  throw std::invalid_argument("TYPEWARP_TEST_FIELDS: there is no kind '" + kind + "'");
}

/// The stream goes before the process's end.
class Gpu : public testing::Environment {
 public:
  void SetUp() override {
    if (!reason_to_skip().empty()) return;
    if (!gpu_everywhere(MPI_COMM_WORLD)) {
      reason_to_skip() = "needs a GPU";
    } else {
      stream = std::make_unique<OwnStream>();
    }
  }
  void TearDown() override { stream.reset(); }

  static inline std::unique_ptr<OwnStream> stream;
};

[[maybe_unused]] const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new Gpu);

}  // namespace

std::unique_ptr<Memory> allocate_field(std::int64_t bytes) { return allocate(asked_for(), bytes); }
Stream field_stream() { return Gpu::stream ? Gpu::stream->get() : nullptr; }

std::unique_ptr<Memory> allocate_pinned(std::int64_t bytes) { return allocate(Source::pinned, bytes); }

void enqueue_copy(void* to, const void* from, std::size_t bytes) {
  EXPECT_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, field_stream()));
}

struct DeviceGraph::State {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
};

DeviceGraph::DeviceGraph(const std::function<void()>& enqueue) : state_(std::make_unique<State>()) {
  EXPECT_CUDA(cudaStreamBeginCapture(field_stream(), cudaStreamCaptureModeThreadLocal));
  enqueue();
  EXPECT_CUDA(cudaStreamEndCapture(field_stream(), &state_->graph));
  EXPECT_CUDA(cudaGraphInstantiate(&state_->executable, state_->graph, 0));
}

DeviceGraph::~DeviceGraph() {
  EXPECT_CUDA(cudaGraphExecDestroy(state_->executable));
  EXPECT_CUDA(cudaGraphDestroy(state_->graph));
}

void DeviceGraph::replay() const { EXPECT_CUDA(cudaGraphLaunch(state_->executable, field_stream())); }

}  // namespace typewarp::test
