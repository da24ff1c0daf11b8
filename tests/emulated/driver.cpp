// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cudaTypedefs.h>

#include "memory.hpp"
#include "streams.hpp"

#include <atomic>
#include <deque>
#include <map>
#include <string_view>
#include <thread>
#include <type_traits>

namespace emulated {
namespace {

template <typename Value>
void give(void* place, Value value) {
  *static_cast<Value*>(place) = value;
}

/// All zero for memory of nobody.
bool give_attribute(void* value, CUpointer_attribute attribute, const std::optional<Allocation>& found) {
  const bool known = found.has_value();
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      give(value, known ? found->context : nullptr);
      break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      give(value, !known                              ? 0
                  : found->type == cudaMemoryTypeHost ? int{CU_MEMORYTYPE_HOST}
                                                      : int{CU_MEMORYTYPE_DEVICE});
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      give(value, known ? found->device : 0);
      break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      give(value, known && found->origin == Allocation::Origin::plain ? 1 : 0);
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      give(value, known && found->type == cudaMemoryTypeManaged ? 1 : 0);
      break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      give(value, static_cast<unsigned long long>(known ? found->number : 0));
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      give(value, known ? reinterpret_cast<CUdeviceptr>(found->base) : 0);
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      give(value, known ? found->bytes : std::size_t{0});
      break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      give(value, known && found->origin == Allocation::Origin::pool ? value : nullptr);
      break;
  }
  return known;
}

template <typename Word>
Word* word_at(CUdeviceptr address) {
  return reinterpret_cast<Word*>(address);
}

void store64(CUdeviceptr word, std::uint64_t value) {
  std::atomic_ref(*word_at<std::uint64_t>(word)).store(value);
}

/// Until the word, as a number on a circle, is not before the value.
template <typename Word>
void await(CUdeviceptr address, Word value) {
  const std::atomic_ref word(*word_at<Word>(address));
  while (static_cast<std::make_signed_t<Word>>(word.load() - value) < 0) std::this_thread::yield();
}

void do_operation(const CUstreamBatchMemOpParams& operation) {
  const CUdeviceptr address = operation.waitValue.address;
  switch (operation.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      await<std::uint32_t>(address, operation.waitValue.value);
      break;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      await<std::uint64_t>(address, operation.waitValue.value64);
      break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      std::atomic_ref(*word_at<std::uint32_t>(address)).store(operation.writeValue.value);
      break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      store64(address, operation.writeValue.value64);
      break;
  }
}

/// The names of errors that both interfaces have are the same numbers.
CUresult result_of(cudaError_t status) { return static_cast<CUresult>(static_cast<int>(status)); }

}  // namespace
}  // namespace emulated

using namespace emulated;

CUresult cuDeviceGetCount(int* count) {
  if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  *count = device_count();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = of_thread().context;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (context != nullptr && context->destroyed) return CUDA_ERROR_INVALID_VALUE;
  of_thread().context = context;
  if (context != nullptr) of_thread().device = context->device;
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
  static auto& all = *new std::deque<CUctx_st>;
  *context = &all.emplace_back(device);
  cuCtxSetCurrent(*context);
  return result_of(call([] {}));
}

CUresult cuCtxDestroy(CUcontext context) {
  if (of_thread().context == context) of_thread().context = nullptr;
  wait_for_device(context->device);
  free_all_of(context);
  context->destroyed = true;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return result_of(call([&] { *context = context_of(stream); }));
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  *flags = 0;
  *active = primary_context(device)->is_active ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return result_of(call([&] { *context = primary_context(device); }));
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  const auto found = allocation_of(word_at<void>(address));
  return give_attribute(value, attribute, found) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr address) {
  const auto found = allocation_of(word_at<void>(address));
  for (unsigned i = 0; i < count; ++i) give_attribute(values[i], attributes[i], found);
  return CUDA_SUCCESS;
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations, unsigned) {
  return result_of(call([&] {
    submit(stream, [all = std::vector(operations, operations + count)] {
      for (const auto& operation : all) do_operation(operation);
    });
  }));
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr word, uint64_t value, unsigned) {
  return result_of(call([&] { submit(stream, [=] { store64(word, value); }); }));
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  return ask([&] {
    static const std::map<std::string_view, void*> all{
        {"cuCtxCreate", reinterpret_cast<void*>(&cuCtxCreate)},
        {"cuCtxDestroy", reinterpret_cast<void*>(&cuCtxDestroy)},
        {"cuCtxGetCurrent", reinterpret_cast<void*>(&cuCtxGetCurrent)},
        {"cuCtxSetCurrent", reinterpret_cast<void*>(&cuCtxSetCurrent)},
        {"cuDevicePrimaryCtxGetState", reinterpret_cast<void*>(&cuDevicePrimaryCtxGetState)},
        {"cuStreamGetCtx", reinterpret_cast<void*>(&cuStreamGetCtx)},
        {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(&cuDevicePrimaryCtxRetain)},
        {"cuPointerGetAttribute", reinterpret_cast<void*>(&cuPointerGetAttribute)},
        {"cuPointerGetAttributes", reinterpret_cast<void*>(&cuPointerGetAttributes)},
        {"cuStreamBatchMemOp", reinterpret_cast<void*>(&cuStreamBatchMemOp)},
        {"cuStreamWriteValue64", reinterpret_cast<void*>(&cuStreamWriteValue64)}};
    const auto entry = all.find(name);
    *found = entry != all.end() ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    *function = entry != all.end() ? entry->second : nullptr;
  });
}
