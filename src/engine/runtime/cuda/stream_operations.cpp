// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/stream_operations.hpp"

#include "engine/runtime/cuda/driver.hpp"

namespace typewarp::gpu {
namespace {

auto batch_function() {
  static const auto function = driver_entry<PFN_cuStreamBatchMemOp_v11070>("cuStreamBatchMemOp", 11070);
  return function;
}

CUstreamBatchMemOpParams wait_for(const void* word, std::uint64_t value) {
  CUstreamBatchMemOpParams operation{};
  operation.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operation.waitValue.address = reinterpret_cast<CUdeviceptr>(word);
  operation.waitValue.value = static_cast<cuuint32_t>(value);
  operation.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
  return operation;
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

void require_stream_operations() {
  if (batch_function() != nullptr) return;
  throw GpuError("cuStreamBatchMemOp", CUDA_ERROR_NOT_SUPPORTED, "the driver does not have it");
}

void StreamOperations::flush() {
  if (count_ == 0) return;
  std::array<CUstreamBatchMemOpParams, most> given;
  for (std::size_t i = 0; i < count_; ++i) {
    const auto& [action, place, value] = operations_[i];
    const auto width =
        action == WordAction::store_flag ? CU_STREAM_MEM_OP_WRITE_VALUE_32 : CU_STREAM_MEM_OP_WRITE_VALUE_64;
    given[i] = action == WordAction::await_flag ? wait_for(place, value) : write_of(place, value, width);
  }
  const CUresult status = batch_function()(stream_, static_cast<unsigned>(count_), given.data(), 0);
  if (status != CUDA_SUCCESS) {
    throw GpuError("cuStreamBatchMemOp", static_cast<int>(status), "the driver refuses operations on flags");
  }
  count_ = 0;
}

}  // namespace typewarp::gpu
