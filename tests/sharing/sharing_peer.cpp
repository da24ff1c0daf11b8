// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/sharing_peer.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <vector>

/// The other process of processes_test, which has GPU `device`. `owner`: registers two arrays of known bytes,
/// writes the handle, and for each line of its input waits for signal 0 and writes the bytes of the second
/// array. `user`: reads a handle, begins to use its memory, says so, and does nothing more. `idler`: the
/// same, but has used it by then.
namespace typewarp::test {
namespace {

constexpr auto bytes = static_cast<std::size_t>(items * item_bytes);

void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

void tell(const void* what, std::size_t size) {
  if (std::fwrite(what, 1, size, stdout) != size || std::fflush(stdout) != 0)
    throw std::runtime_error("the test is gone");
}

void own() {
  std::array<void*, 2> arrays{};
  std::vector<MemoryRange> ranges;
  for (int array = 0; array < 2; ++array) {
    void*& memory = arrays[static_cast<std::size_t>(array)];
    std::vector<unsigned char> content(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      content[i] = value_of(static_cast<std::int64_t>(i) / item_bytes, array);
    require(cudaMalloc(&memory, bytes));
    require(cudaMemcpy(memory, content.data(), bytes, cudaMemcpyHostToDevice));
    ranges.push_back({memory, static_cast<std::int64_t>(bytes)});
  }
  require(cudaDeviceSynchronize());
  RegisteredMemory registered(ranges, {.signals = 1, .time_limit = std::chrono::seconds(30)});
  const std::uint64_t size = registered.handle().size();
  tell(&size, sizeof size);
  tell(registered.handle().data(), size);
  std::int64_t step = 0;
  for (int command = std::getchar(); command != EOF; command = std::getchar()) {
    registered.wait(0, ++step);
    std::vector<unsigned char> content(bytes);
    require(cudaMemcpy(content.data(), arrays[1], bytes, cudaMemcpyDeviceToHost));
    tell(content.data(), bytes);
  }
}

/// Without an end if `begins_only`.
void use(bool begins_only) {
  std::uint64_t size = 0;
  if (std::fread(&size, sizeof size, 1, stdin) != 1) return;
  std::vector<std::byte> handle(size);
  if (std::fread(handle.data(), 1, size, stdin) != size) return;
  RemoteMemory remote(handle);
  remote.begin(nullptr);
  if (!begins_only) remote.finish(nullptr);
  require(cudaDeviceSynchronize());
  tell("b", 1);
  while (std::getchar() != EOF) {}
  if (begins_only) remote.finish(nullptr);
  require(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace typewarp::test

int main(int, char** arguments) {
  try {
    typewarp::test::require(cudaSetDevice(std::atoi(arguments[2])));
    const std::string_view role = arguments[1];
    role == "owner" ? typewarp::test::own() : typewarp::test::use(role == "user");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sharing_peer: %s\n", error.what());
    return 1;
  }
}
