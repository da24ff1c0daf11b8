// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/device_encoding.hpp"

#include <algorithm>
#include <memory>

namespace typewarp::cuda {
namespace {

bool nodes_travel(const plan::Encoding& encoding) { return encoding.nodes.size() <= GenericView::capacity; }

void upload(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes > 0) TYPEWARP_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
}

}  // namespace

DeviceEncoding::DeviceEncoding(const plan::Encoding& encoding, Device& device)
    : node_bytes_(nodes_travel(encoding) ? 0 : encoding.nodes.size() * sizeof(plan::Node)),
      memory_(device, static_cast<std::int64_t>(node_bytes_ + encoding.lookaside.size())) {
  const RelaxedCapture relaxed;
  const cudaStream_t stream = device.private_stream();
  upload(memory_.data(), encoding.nodes.data(), node_bytes_, stream);
  upload(memory_.data() + node_bytes_, encoding.lookaside.data(), encoding.lookaside.size(), stream);
  TYPEWARP_CUDA(cudaStreamSynchronize(stream));
}

const plan::Node* DeviceEncoding::nodes() const noexcept {
  return node_bytes_ == 0 ? nullptr : reinterpret_cast<const plan::Node*>(memory_.data());
}

GenericView generic_view(const plan::State& state, std::byte* base, int device_id) {
  const plan::Encoding& encoding = state.encoding;
  GenericView view;
  view.base = base;
  view.extent = state.extent;
  view.far_nodes = nullptr;
  view.lookaside = nullptr;
  if (nodes_travel(encoding)) std::copy(encoding.nodes.begin(), encoding.nodes.end(), view.nodes);
  if (!nodes_travel(encoding) || !encoding.lookaside.empty()) {
    const auto& uploaded = plan::attached<DeviceEncoding>(
        state, 1 + static_cast<std::size_t>(device_id),
        [&] { return std::make_unique<DeviceEncoding>(encoding, device(device_id)); });
    view.far_nodes = uploaded.nodes();
    view.lookaside = uploaded.lookaside();
  }
  return view;
}

}  // namespace typewarp::cuda
