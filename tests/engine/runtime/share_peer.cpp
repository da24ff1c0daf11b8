// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/peer_process.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

/// The other process of share_test: takes orders from the socket that is its standard input, until that is
/// closed.
namespace typewarp::test {
namespace {

constexpr int orders = 0;

void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

void require(bool open) {
  if (!open) throw std::runtime_error("the test has gone in the middle of an order");
}

class Peer {
 public:
  void obey(const Order& order) {
    Answer answer{};
    std::vector<std::byte> bytes;
    switch (order.what) {
      case Order::What::allocate:
        require(cudaSetDevice(static_cast<int>(order.device)));
        require(cudaMalloc(&slots_.emplace_back(), static_cast<std::size_t>(order.bytes)));
        break;
      case Order::What::fill:
        bytes.resize(static_cast<std::size_t>(order.bytes));
        require(receive_all(orders, bytes));
        require(cudaMemcpy(slot(order), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
        require(cudaDeviceSynchronize());
        break;
      case Order::What::share:
        share(order, answer);
        break;
      case Order::What::read:
        bytes.resize(static_cast<std::size_t>(order.bytes));
        require(cudaMemcpy(bytes.data(), slot(order), bytes.size(), cudaMemcpyDeviceToHost));
        break;
      case Order::What::free:
        require(cudaFree(slot(order)));
        break;
    }
    require(send_all(orders, std::as_bytes(std::span(&answer, 1))));
    if (order.what == Order::What::read) require(send_all(orders, bytes));
  }

 private:
  void*& slot(const Order& order) { return slots_.at(static_cast<std::size_t>(order.slot)); }

  void share(const Order& order, Answer& answer) {
    std::string reason;
    const auto memory =
        gpu::export_memory(static_cast<std::byte*>(slot(order)) + order.offset, order.bytes, &reason);
    answer.shared = memory.has_value();
    if (memory) answer.memory = *memory;
    std::snprintf(answer.reason, sizeof(answer.reason), "%s", reason.c_str());
  }

  std::vector<void*> slots_;
};

void serve() {
  Peer peer;
  Order order;
  while (receive_all(orders, std::as_writable_bytes(std::span(&order, 1)))) peer.obey(order);
}

}  // namespace
}  // namespace typewarp::test

int main() {
  try {
    typewarp::test::serve();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "share_peer: %s\n", error.what());
    return 1;
  }
}
