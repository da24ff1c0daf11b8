// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>

// The structures of DLPack 1.1 that libraries hand to each other.
namespace typewarp::python {

struct ManagedTensor {
  nanobind::dlpack::dltensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

struct Version {
  std::uint32_t major, minor;
};

struct VersionedTensor {
  static constexpr std::uint64_t readonly = 1, padded = 4;  // padded: numbers of fewer than 8 bits

  Version version;
  void* context;
  void (*deleter)(VersionedTensor*);
  std::uint64_t flags;
  nanobind::dlpack::dltensor tensor;
};

/// What a type of arrays offers to C as the capsule "dlpack_exchange_api" in __dlpack_c_exchange_api__. All
/// functions return 0, or -1 with a Python exception set.
struct ExchangeApi {
  Version version;
  const ExchangeApi* older;
  void* allocate;
  /// A tensor of the object, which the caller owns. Waits for no stream.
  int (*tensor_of)(void* object, VersionedTensor** tensor);
  void* object_of;
  void* borrowed_tensor_of;
  /// The stream that the library works on now, on that device.
  int (*current_stream)(std::int32_t device_type, std::int32_t device, void** stream);
};

}  // namespace typewarp::python
