// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transfer.hpp"

#include "check.hpp"
#include "detours.hpp"

namespace typewarp::bench {
namespace {

constexpr std::size_t most_blocks = 4096;
/// Of cudaMemcpyBatchAsync: its cost is linear in them, and a run with 4096 copies from host memory ended in
/// a launch failure that nothing else explains.
constexpr std::size_t most_batched = 1024;

struct Block {
  std::int64_t at, bytes;
};

/// The runs in the order of the type map; false if there are more than most_blocks.
bool append_blocks(std::vector<Block>& blocks, const layout::Node& node, std::int64_t at);

bool append_shape(std::vector<Block>& blocks, const layout::Run& run, std::int64_t at) {
  blocks.push_back({at, run.bytes});
  return blocks.size() <= most_blocks;
}
bool append_shape(std::vector<Block>& blocks, const layout::Repeat& repeat, std::int64_t at) {
  for (std::int64_t i = 0; i < repeat.count; ++i) {
    if (!append_blocks(blocks, *repeat.child, at + i * repeat.stride)) return false;
  }
  return true;
}
bool append_shape(std::vector<Block>& blocks, const layout::Blocks& list, std::int64_t at) {
  const auto* run = std::get_if<layout::Run>(&list.child->shape);
  for (std::size_t i = 0; i < list.displacements.size(); ++i) {
    const std::int64_t copies = list.counts.empty() ? 1 : list.counts[i];
    const std::int64_t begin = at + list.displacements[i];
    if (run != nullptr && run->bytes == list.stride) {
      if (!append_shape(blocks, layout::Run{copies * run->bytes}, begin)) return false;
      continue;
    }
    for (std::int64_t j = 0; j < copies; ++j) {
      if (!append_blocks(blocks, *list.child, begin + j * list.stride)) return false;
    }
  }
  return true;
}
bool append_shape(std::vector<Block>& blocks, const layout::Sequence& sequence, std::int64_t at) {
  for (std::size_t i = 0; i < sequence.members.size(); ++i) {
    if (!append_blocks(blocks, *sequence.members[i], at + sequence.displacements[i])) return false;
  }
  return true;
}
bool append_blocks(std::vector<Block>& blocks, const layout::Node& node, std::int64_t at) {
  return std::visit([&](const auto& shape) { return append_shape(blocks, shape, at); }, node.shape);
}

/// The two ends of every block.
struct Ends {
  std::vector<void*> to;
  std::vector<const void*> from;
  std::vector<std::size_t> sizes;
};

Ends ends(const Transfer& transfer, const std::vector<Block>& blocks, Direction direction) {
  Ends result;
  std::byte* packed = transfer.packed;
  for (const Block& block : blocks) {
    std::byte* const in_buffer = transfer.placed.buffer + block.at;
    result.to.push_back(direction == Direction::pack ? packed : in_buffer);
    result.from.push_back(direction == Direction::pack ? in_buffer : packed);
    result.sizes.push_back(static_cast<std::size_t>(block.bytes));
    packed += block.bytes;
  }
  return result;
}

void copy_one_by_one(const Ends& ends, cudaStream_t stream) {
  for (std::size_t i = 0; i < ends.to.size(); ++i) {
    check(cudaMemcpyAsync(ends.to[i], ends.from[i], ends.sizes[i], cudaMemcpyDefault, stream),
          "cudaMemcpyAsync");
  }
}

void copy_as_batch(const Ends& ends, cudaStream_t stream) {
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  std::size_t first = 0;
  check(cudaMemcpyBatchAsync(ends.to.data(), ends.from.data(), ends.sizes.data(), ends.to.size(), &attributes,
                             &first, 1, stream),
        "cudaMemcpyBatchAsync");
}

void copy_2d(const Transfer& transfer, const Pitched& pitched, Direction direction, cudaStream_t stream) {
  std::byte* const buffer = transfer.placed.buffer + pitched.offset;
  const auto pitch = static_cast<std::size_t>(pitched.pitch);
  const auto width = static_cast<std::size_t>(pitched.width);
  const auto height = static_cast<std::size_t>(pitched.height);
  const bool packing = direction == Direction::pack;
  check(packing ? cudaMemcpy2DAsync(transfer.packed, width, buffer, pitch, width, height, cudaMemcpyDefault,
                                    stream)
                : cudaMemcpy2DAsync(buffer, pitch, transfer.packed, width, width, height, cudaMemcpyDefault,
                                    stream),
        "cudaMemcpy2DAsync");
}

void copy_3d(const Transfer& transfer, const Pitched& pitched, Direction direction, cudaStream_t stream) {
  const auto width = static_cast<std::size_t>(pitched.width);
  const auto height = static_cast<std::size_t>(pitched.height);
  const auto pitch = static_cast<std::size_t>(pitched.pitch);
  std::byte* in_buffer = transfer.placed.buffer + pitched.offset;
  std::byte* in_packed = transfer.packed;
  for (std::int64_t box = 0; box < pitched.boxes; ++box) {
    const cudaPitchedPtr buffer{in_buffer, pitch, pitch, static_cast<std::size_t>(pitched.rows)};
    const cudaPitchedPtr packed{in_packed, width, width, height};
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = direction == Direction::pack ? buffer : packed;
    parameters.dstPtr = direction == Direction::pack ? packed : buffer;
    parameters.extent = {width, height, static_cast<std::size_t>(pitched.depth)};
    parameters.kind = cudaMemcpyDefault;
    check(cudaMemcpy3DAsync(&parameters, stream), "cudaMemcpy3DAsync");
    in_buffer += pitched.distance;
    in_packed += pitched.width * pitched.height * pitched.depth;
  }
}

double median_us(const Bench& bench, const Effort& effort, const std::function<void()>& enqueue) {
  const auto operation = [&] {
    enqueue();
    bench.queue.wait();
  };
  return measure(operation, effort).median_us;
}

}  // namespace

std::map<std::string, double> measure_baselines(Bench& bench, const CopyProblem& problem,
                                                const Placed& source, const Placed& destination) {
  std::map<std::string, double> result;
  const cudaStream_t stream = bench.queue.get();
  std::byte* const staging = bench.pool.staging.reserve(source.bytes());
  result["pack_unpack"] = median_us(bench, bench.effort, [&] {
    pack(source.buffer, source.count, source.plan, staging, stream);
    unpack(staging, destination.buffer, destination.count, destination.plan, stream);
  });
  if (problem.hand) {
    result["hand"] =
        median_us(bench, bench.effort, [&] { problem.hand(source.buffer, destination.buffer, stream); });
  } else if (problem.source.hand && problem.destination.hand) {
    result["hand"] = median_us(bench, bench.effort, [&] {
      problem.source.hand(Direction::pack, source.buffer, staging, stream);
      problem.destination.hand(Direction::unpack, destination.buffer, staging, stream);
    });
  }
  check(cudaGetLastError(), "hand-coded kernel");
  return result;
}

std::map<std::string, double> measure_baselines(Bench& bench, const Transfer& transfer, Direction direction) {
  std::map<std::string, double> result;
  const cudaStream_t stream = bench.queue.get();
  const auto add = [&](const std::string& name, const std::function<void()>& enqueue) {
    try {
      result[name] = median_us(bench, small_effort, enqueue);
    } catch (const Error& error) {
      throw Error("baseline " + name + ": " + error.what());
    }
  };
  const Problem& problem = transfer.problem;
  const auto add_hand = [&](const std::string& name, const HandCoded& hand) {
    if (!hand) return;
    result[name] = median_us(bench, bench.effort,
                             [&] { hand(direction, transfer.placed.buffer, transfer.packed, stream); });
    check(cudaGetLastError(), "hand-coded kernel");
  };
  add_hand("hand", problem.hand);
  if (transfer.memory == MemoryKind::device) add_hand("hand_naive", problem.hand_naive);
  if (problem.pitched) {
    const bool deep = problem.pitched->depth > 1;
    const Mover copy{deep ? "memcpy3d" : "memcpy2d", [&](cudaStream_t on) {
                       deep ? copy_3d(transfer, *problem.pitched, direction, on)
                            : copy_2d(transfer, *problem.pitched, direction, on);
                     }};
    verify(bench, transfer, direction, {copy});
    add(copy.name, [&] { copy.run(stream); });
  }
  if (transfer.memory == MemoryKind::pinned && direction == Direction::pack) {
    for (const Mover& detour : detours(bench, transfer)) {
      add(detour.name, [&] { detour.run(stream); });
    }
  }
  std::vector<Block> blocks;
  if (append_blocks(blocks, *transfer.placed.layout().root, transfer.placed.layout().offset)) {
    const Ends both = ends(transfer, blocks, direction);
    add("memcpy_blocks", [&] { copy_one_by_one(both, stream); });
    if (blocks.size() <= most_batched) add("memcpy_batch", [&] { copy_as_batch(both, stream); });
  }
  return result;
}

}  // namespace typewarp::bench
