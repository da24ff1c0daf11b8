// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/host/policy.hpp"
#include "plan/encoding.hpp"
#include "plan/locate.hpp"

#include <cstddef>
#include <cstdint>

namespace typewarp::host {

struct Step;

/// Moves the whole children [first, last) of one instance of `step` between user memory, which starts at
/// `user` for the instance, and packed memory, where `packed` is the first byte of child `first`. A kernel
/// that packs only reads `user`, one that unpacks only reads `packed`.
using Kernel = void (*)(const Step& step, std::byte* user, std::byte* packed, std::int64_t first,
                        std::int64_t last);

/// A node of the encoding, ready to run. The children of a run are its bytes; those of a varying list or a
/// sequence are its blocks or members.
struct Step {
  Kernel pack = nullptr;
  Kernel unpack = nullptr;
  plan::Kind kind = plan::Kind::run;
  std::int32_t width = 8;                    ///< bytes of one entry of displacements and prefix
  std::int64_t size = 0;                     ///< packed bytes of one instance
  std::int64_t count = 0;                    ///< children of one instance
  std::int64_t stride = 0;                   ///< user bytes between children (repeat)
  std::int64_t child_size = 1;               ///< packed bytes of one child (run, repeat, blocks)
  const std::byte* displacements = nullptr;  ///< user bytes of child i (blocks, varying, sequence)
  const std::byte* prefix = nullptr;         ///< packed bytes before child i (varying, sequence)
  /// The only child. Of a varying list, one block without its length: a run, or a repeat. Of a sequence,
  /// unused.
  const Step* child = nullptr;
  const Step* const* members = nullptr;  ///< of a sequence
};

using plan::entry;

enum class Way { pack, unpack };

/// Moves bytes [begin, end) of the packed stream of one instance of `step`, for any 0 <= begin <= end <=
/// step.size: a partial child at either end by descending into it, all whole children between by the kernel.
/// `user` is the instance's first byte, `packed` points to byte `begin`.
void move(Way way, const Step& step, std::byte* user, std::byte* packed, std::int64_t begin,
          std::int64_t end);

/// Sets `step.pack` and `step.unpack` to the fastest kernels for its shape and that of its children, for the
/// instruction set of this machine. All other fields must be set, here and in the children.
void choose_kernels(Step& step);

/// The same for one instruction set: baseline of the architecture, and AVX2 where it is x86-64.
namespace baseline {
void choose_kernels(Step& step);
}
namespace avx2 {
bool supported() noexcept;
void choose_kernels(Step& step);
}  // namespace avx2

}  // namespace typewarp::host
