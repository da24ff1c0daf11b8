// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/flags.hpp"

#include "engine/gpu/memory.hpp"
#include "engine/gpu/stream.hpp"
#include "engine/gpu/cuda/flags/flag_kernel.hpp"
#include "engine/gpu/cuda/runtime/device.hpp"
#include "engine/gpu/cuda/runtime/driver.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace typewarp::gpu {
namespace {

/// The driver takes less than 256 at a time.
constexpr std::size_t most_operations = 255;

auto batch_function() {
  static const auto function = driver_entry<PFN_cuStreamBatchMemOp_v11070>("cuStreamBatchMemOp", 11070);
  return function;
}

CUstreamBatchMemOpParams write_of(const void* word, std::uint64_t value, CUstreamBatchMemOpType width) {
  CUstreamBatchMemOpParams operation{};
  operation.writeValue.operation = width;
  operation.writeValue.address = reinterpret_cast<CUdeviceptr>(word);
  operation.writeValue.value64 = value;
  operation.writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
  return operation;
}

CUstreamBatchMemOpParams wait_for(const Flag* flag) {
  CUstreamBatchMemOpParams operation{};
  operation.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operation.waitValue.address = reinterpret_cast<CUdeviceptr>(flag);
  operation.waitValue.value = 1;
  operation.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
  return operation;
}

/// Operations that are given to a stream as often as there are enough of them.
class Operations {
 public:
  explicit Operations(Stream stream) : stream_(stream) {}

  void add(const CUstreamBatchMemOpParams& operation) {
    if (count_ == most_operations) flush();
    operations_[count_++] = operation;
  }
  void flush() {
    if (count_ == 0) return;
    const CUresult status = batch_function()(stream_, static_cast<unsigned>(count_), operations_.data(), 0);
    if (status != CUDA_SUCCESS) {
      throw GpuError("cuStreamBatchMemOp", static_cast<int>(status),
                     "the driver refuses operations on flags");
    }
    count_ = 0;
  }

 private:
  CUstream stream_;
  std::array<CUstreamBatchMemOpParams, most_operations> operations_;
  std::size_t count_ = 0;
};

/// All but to raise flags.
void enqueue_operations(const FlagSteps& steps, Stream stream, std::uint64_t number) {
  Operations operations(stream);
  for (const Flag* flag : steps.awaited) {
    operations.add(wait_for(flag));
    operations.add(write_of(flag, 0, CU_STREAM_MEM_OP_WRITE_VALUE_32));
  }
  for (const Flag* flag : steps.lowered) operations.add(write_of(flag, 0, CU_STREAM_MEM_OP_WRITE_VALUE_32));
  if (steps.count != nullptr && number != FlagWork::uncounted) {
    operations.add(write_of(steps.count, number, CU_STREAM_MEM_OP_WRITE_VALUE_64));
  }
  operations.flush();
}

/// As many launches as it takes, in the order of the steps.
void enqueue_kernels(const FlagSteps& steps, const LaunchContext& context, std::uint64_t number) {
  FlagTable table;
  table.gate = steps.gate;
  int used = 0;
  const auto add_all = [&](const std::vector<Flag*>& flags, int FlagTable::* kind) {
    for (Flag* const flag : flags) {
      if (used == FlagTable::room) {
        launch_flags(table, FlagWork::uncounted, context);
        table = {};
        table.gate = steps.gate;
        used = 0;
      }
      table.flags[used++] = flag;
      ++(table.*kind);
    }
  };
  add_all(steps.raised, &FlagTable::raised);
  add_all(steps.awaited, &FlagTable::awaited);
  add_all(steps.lowered, &FlagTable::lowered);
  table.count = steps.count;
  if (used > 0 || table.count != nullptr) launch_flags(table, number, context);
}

}  // namespace

FlagWork::FlagWork(int device_id, FlagSteps steps, FlagWait wait)
    : device_(device_id), steps_(std::move(steps)), wait_(wait) {
  device(device_).prepare();
  if (wait_ == FlagWait::memory_operation && batch_function() == nullptr) {
    throw GpuError("cuStreamBatchMemOp", CUDA_ERROR_NOT_SUPPORTED, "the driver does not have it");
  }
}

void FlagWork::enqueue(Stream stream, std::uint64_t number) const {
  const DeviceGuard guard(device_);
  if (wait_ == FlagWait::kernel) {
    enqueue_kernels(steps_, {device_, stream}, number);
  } else {
    enqueue_kernels({.raised = steps_.raised, .gate = steps_.gate}, {device_, stream}, uncounted);
    enqueue_operations(steps_, stream, number);
  }
}

struct DeviceFlags::State {
  State(int on, int flags)
      : device(on),
        count(flags),
        memory(std::make_unique<DeviceBuffer>(device, flags * std::int64_t{sizeof(Flag)})),
        ones(flags * std::int64_t{sizeof(Flag)}),
        stream(device) {}

  Flag* flags() const noexcept { return reinterpret_cast<Flag*>(memory->data()); }
  void raise(int first, int end) const {
    TYPEWARP_CUDA(cudaMemcpyAsync(flags() + first, ones.data(),
                                  static_cast<std::size_t>(end - first) * sizeof(Flag),
                                  cudaMemcpyHostToDevice, stream.get()));
  }

  int device, count;
  std::unique_ptr<DeviceBuffer> memory;
  PinnedBuffer ones;
  OwnStream stream;
};

DeviceFlags::DeviceFlags(int device_id, int flags) : state_(std::make_unique<State>(device_id, flags)) {
  const DeviceGuard guard(device_id);
  const RelaxedCapture relaxed;
  std::ranges::fill(std::span(reinterpret_cast<Flag*>(state_->ones.data()), static_cast<std::size_t>(flags)),
                    1);
  TYPEWARP_CUDA(
      cudaMemsetAsync(state_->memory->data(), 0, static_cast<std::size_t>(bytes()), state_->stream.get()));
  TYPEWARP_CUDA(cudaStreamSynchronize(state_->stream.get()));
}

DeviceFlags::~DeviceFlags() = default;

Flag* DeviceFlags::at(int i) const noexcept { return state_->flags() + i; }

std::int64_t DeviceFlags::bytes() const noexcept { return state_->count * std::int64_t{sizeof(Flag)}; }

void DeviceFlags::raise_all() const {
  const DeviceGuard guard(state_->device);
  const RelaxedCapture relaxed;
  state_->raise(0, 1);
  if (state_->count > 1) state_->raise(1, state_->count);
  TYPEWARP_CUDA(cudaStreamSynchronize(state_->stream.get()));
}

void DeviceFlags::abandon() noexcept { static_cast<void>(state_->memory.release()); }

}  // namespace typewarp::gpu
