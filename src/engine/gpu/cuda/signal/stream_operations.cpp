// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/signal/stream_operations.hpp"

#include "engine/gpu/cuda/runtime/driver.hpp"

#include <typewarp/error.hpp>

namespace typewarp::gpu {
namespace {

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

}  // namespace

bool has_stream_operations() { return batch_function() != nullptr; }

void StreamOperations::await(const Flag* flag) {
  CUstreamBatchMemOpParams operation{};
  operation.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operation.waitValue.address = reinterpret_cast<CUdeviceptr>(flag);
  operation.waitValue.value = 1;
  operation.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
  add(operation);
}

void StreamOperations::store(Flag* flag, Flag value) {
  add(write_of(flag, value, CU_STREAM_MEM_OP_WRITE_VALUE_32));
}

void StreamOperations::store(std::uint64_t* word, std::uint64_t value) {
  add(write_of(word, value, CU_STREAM_MEM_OP_WRITE_VALUE_64));
}

void StreamOperations::add(const CUstreamBatchMemOpParams& operation) {
  if (count_ == most) flush();
  operations_[count_++] = operation;
}

void StreamOperations::flush() {
  if (count_ == 0) return;
  const CUresult status = batch_function()(stream_, static_cast<unsigned>(count_), operations_.data(), 0);
  if (status != CUDA_SUCCESS) {
    throw GpuError("cuStreamBatchMemOp", static_cast<int>(status), "the driver refuses operations on flags");
  }
  count_ = 0;
}

}  // namespace typewarp::gpu
