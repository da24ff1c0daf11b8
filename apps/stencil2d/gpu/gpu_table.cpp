// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/gpu/gpu.hpp"
#include "common/format.hpp"
#include "common/median.hpp"
#include "common/memory.hpp"
#include "stencil2d/pack/pack_cases.hpp"
#include "stencil2d/pack/pack_table.hpp"

#include <typewarp/engine.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace stencil2d {
namespace {

using typewarp::MemoryKind;

/// Blocks copied one by one at most; the time of more is extrapolated.
constexpr std::size_t most_copies = 1024;

/// User memory whose every byte tells its position, on the GPU.
apps::Buffer filled(std::int64_t bytes, const apps::OwnedStream& stream) {
  std::vector<unsigned char> values(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<unsigned char>(i ^ (i >> 8) ^ (i >> 16));
  }
  apps::Buffer buffer(MemoryKind::device, bytes);
  apps::copy_bytes(buffer.data(), values.data(), bytes, stream);
  return buffer;
}

/// Seconds to copy the case block by block from device to device.
double block_copy_seconds(const PackCase& pack_case, const std::byte* user, std::byte* packed,
                          const apps::OwnedStream& stream) {
  const std::size_t copies = std::min(pack_case.blocks.size(), most_copies);
  const double seconds = apps::median_seconds([&] {
    std::byte* to = packed;
    for (std::size_t i = 0; i < copies; ++i) {
      const Block& block = pack_case.blocks[i];
      apps::gpu::copy(to, user + block.offset, block.bytes, stream.get());
      to += block.bytes;
    }
    stream.synchronize();
  });
  return seconds * static_cast<double>(pack_case.blocks.size()) / static_cast<double>(copies);
}

/// Whether `packed` holds the blocks of the case, by what filled() wrote there.
bool right_bytes(const PackCase& pack_case, const std::byte* packed, const apps::OwnedStream& stream) {
  std::vector<unsigned char> found(static_cast<std::size_t>(pack_case.packed_bytes()));
  apps::copy_bytes(found.data(), packed, pack_case.packed_bytes(), stream);
  auto byte = found.begin();
  for (const Block& block : pack_case.blocks) {
    for (std::int64_t i = block.offset; i < block.offset + block.bytes; ++i) {
      if (*byte++ != static_cast<unsigned char>(i ^ (i >> 8) ^ (i >> 16))) {
        return false;
      }
    }
  }
  return true;
}

bool print_row(const PackCase& pack_case, const apps::OwnedStream& stream) {
  const typewarp::Plan plan = typewarp::commit(pack_case.datatype);
  const apps::Buffer user = filled(pack_case.span(), stream);
  const apps::Buffer device(MemoryKind::device, pack_case.packed_bytes());
  const apps::Buffer pinned(MemoryKind::pinned, pack_case.packed_bytes());
  const auto pack_seconds = [&](const apps::Buffer& packed) {
    return apps::median_seconds([&] {
      typewarp::pack(user.data(), pack_case.count, plan, packed.data(), stream.get());
      stream.synchronize();
    });
  };
  const double to_device = pack_seconds(device);
  const double to_pinned = pack_seconds(pinned);
  const bool right =
      right_bytes(pack_case, device.data(), stream) && right_bytes(pack_case, pinned.data(), stream);
  const double by_blocks = block_copy_seconds(pack_case, user.data(), device.data(), stream);
  std::printf("  %-12s %8s  %10.2f %10.2f  %s%12.2f %9.1fx%s\n", pack_case.name.c_str(),
              apps::format_bytes(pack_case.packed_bytes()).c_str(), to_device * 1e6, to_pinned * 1e6,
              pack_case.blocks.size() > most_copies ? "~" : " ", by_blocks * 1e6, by_blocks / to_device,
              right ? "" : "  WRONG bytes");
  std::fflush(stdout);
  return right;
}

}  // namespace

bool print_gpu_pack_table() {
  std::printf(
      "\nPack on the GPU with the wait for its end, microseconds (median)\n"
      "(~: extrapolated from %zu copies)\n  %-12s %8s  %10s %10s  %13s %10s\n",
      most_copies, "type", "packed", "to device", "to pinned", "block copies", "faster");
  const apps::OwnedStream stream(true);
  bool right = true;
  for (const std::int64_t bytes : pack_sizes) {
    for (const PackCase& pack_case : pack_cases(bytes)) {
      right = print_row(pack_case, stream) && right;
    }
  }
  return right;
}

}  // namespace stencil2d
