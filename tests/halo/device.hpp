// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/fields.hpp"

#include <functional>

/// What suites of device memory do with the device: a fake one (fake_fields.cpp), or a GPU (gpu_fields.cpp).
namespace typewarp::test {

std::unique_ptr<Memory> allocate_pinned(std::int64_t bytes);
/// Copies behind what field_stream() holds. Host memory must be pinned, and stay as it is until then.
void enqueue_copy(void* to, const void* from, std::size_t bytes);

/// What `enqueue` gives field_stream() while that is captured.
class DeviceGraph {
 public:
  explicit DeviceGraph(const std::function<void()>& enqueue);
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;
  ~DeviceGraph();

  void replay() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::test
