// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/launcher.hpp"

#include "base/environment.hpp"
#include "engine/runtime/cuda/check.hpp"
#include "engine/runtime/device_resources.hpp"

#include <algorithm>

namespace typewarp::gpu {
namespace {

void launch_plainly(const cudaKernelNodeParams& kernel, cudaStream_t stream, Priority priority) {
  cudaLaunchAttribute own{};
  own.id = cudaLaunchAttributePriority;
  own.val.priority = cuda_priority(priority);
  cudaLaunchConfig_t config{};
  config.gridDim = kernel.gridDim;
  config.blockDim = kernel.blockDim;
  config.dynamicSmemBytes = kernel.sharedMemBytes;
  config.stream = stream;
  config.attrs = &own;
  config.numAttrs = priority != Priority::automatic ? 1 : 0;
  TYPEWARP_CUDA(cudaLaunchKernelExC(&config, kernel.func, kernel.kernelParams));
}

/// A captured stream takes kernels, not graphs. The threads' default streams have one handle between them, so
/// that a graph of that name would order the streams of all threads.
bool takes_graphs(cudaStream_t stream) {
  if (is_legacy(stream)) return true;
  return stream != cudaStreamPerThread && !capturing(stream);
}

}  // namespace

class Launcher::Use {
 public:
  Use(Launcher& launcher, const void* kernel, cudaStream_t stream) : launcher_(launcher) {
    const std::lock_guard lock(launcher_.mutex_);
    ++launcher_.launches_;
    const auto same = [&](const Slot& slot) { return slot.kernel == kernel && slot.stream == stream; };
    auto found = std::ranges::find_if(launcher_.slots_, same);
    if (found == launcher_.slots_.end()) {
      found = std::ranges::min_element(launcher_.slots_, {}, &Slot::last_use);
      const bool idle = launcher_.launches_ - found->last_use >= idle_launches;
      if (found->users > 0 || (found->kernel != nullptr && !idle)) return;
      found->kernel = kernel;
      found->stream = stream;
      // A graph of its own: what still runs in another stream's is none of this one's business.
      found->executable.reset();
    }
    slot_ = &*found;
    slot_->last_use = launcher_.launches_;
    ++slot_->users;
  }
  Use& operator=(Use&&) = delete;
  ~Use() {
    if (slot_ == nullptr) return;
    const std::lock_guard lock(launcher_.mutex_);
    --slot_->users;
  }

  bool granted() const noexcept { return slot_ != nullptr; }

  void launch(const cudaKernelNodeParams& kernel, cudaStream_t stream) {
    const std::lock_guard lock(slot_->launching);
    if (!slot_->executable) {
      const RelaxedCapture relaxed;
      slot_->graph = std::make_unique<Graph>();
      slot_->graph->add(kernel);
      slot_->executable = std::make_unique<Executable>(*slot_->graph, stream);
    }
    slot_->executable->set(*slot_->graph, kernel);
    slot_->executable->launch(stream);
  }

 private:
  Launcher& launcher_;
  Slot* slot_ = nullptr;
};

int highest_priority() {
  int least = 0;
  int greatest = 0;
  TYPEWARP_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  return greatest;
}

int cuda_priority(Priority priority) { return priority == Priority::high ? highest_priority() : 0; }

Launcher::Launcher() : enabled_(environment::text("TYPEWARP_NO_GRAPHS").empty()) {}

void Launcher::launch(const cudaKernelNodeParams& kernel, cudaStream_t stream, Priority priority) {
  if (!enabled_ || priority != Priority::automatic || !takes_graphs(stream)) {
    return launch_plainly(kernel, stream, priority);
  }
  Use use(*this, kernel.func, stream);
  use.granted() ? use.launch(kernel, stream) : launch_plainly(kernel, stream, priority);
}

}  // namespace typewarp::gpu
