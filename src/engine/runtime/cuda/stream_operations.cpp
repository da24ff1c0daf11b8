// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/stream_operations.hpp"

#include "engine/runtime/cuda/driver.hpp"
#include "engine/runtime/device_resources.hpp"

#include <optional>

namespace typewarp::gpu {
namespace {

auto batch_function() {
  static const auto function = driver_entry<PFN_cuStreamBatchMemOp_v11070>("cuStreamBatchMemOp", 11070);
  return function;
}

CUstreamBatchMemOpType kind_of(WordAction action) {
  switch (action) {
    case WordAction::await_flag:
      return CU_STREAM_MEM_OP_WAIT_VALUE_32;
    case WordAction::await_word:
      return CU_STREAM_MEM_OP_WAIT_VALUE_64;
    case WordAction::store_flag:
      return CU_STREAM_MEM_OP_WRITE_VALUE_32;
    case WordAction::store_word:
      break;
  }
  return CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

CUstreamBatchMemOpParams given_to_driver(const WordOperation& told) {
  static_assert(CU_STREAM_WAIT_VALUE_GEQ == 0 && CU_STREAM_WRITE_VALUE_DEFAULT == 0, "of both kinds");
  CUstreamBatchMemOpParams operation{};
  operation.writeValue.operation = kind_of(told.action);
  operation.writeValue.address = reinterpret_cast<CUdeviceptr>(told.place);
  operation.writeValue.value64 = told.value;
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
  for (std::size_t i = 0; i < count_; ++i) given[i] = given_to_driver(operations_[i]);
  std::optional<DeviceGuard> guard;
  if (device_ >= 0) guard.emplace(device_);
  const CUresult status = batch_function()(stream_, static_cast<unsigned>(count_), given.data(), 0);
  if (status != CUDA_SUCCESS) {
    throw GpuError("cuStreamBatchMemOp", static_cast<int>(status), "the driver refuses operations on flags");
  }
  count_ = 0;
}

}  // namespace typewarp::gpu
