// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Fields in the memory that TYPEWARP_TEST_FIELDS names: device (if it is unset), managed or pinned. Skips all
// tests where some rank has no GPU.

#include "engine/gpu/memory_kinds.hpp"
#include "halo/fields.hpp"
#include "transport/fixture.hpp"
#include "transport/gpu_everywhere.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace typewarp::test {
namespace {

Source asked_for() {
  const char* const name = std::getenv("TYPEWARP_TEST_FIELDS");
  const std::string kind = name == nullptr ? "device" : name;
  if (kind == "device") return Source::device;
  if (kind == "managed") return Source::managed;
  if (kind == "pinned") return Source::pinned;
  throw std::invalid_argument("TYPEWARP_TEST_FIELDS: there is no kind '" + kind + "'");
}

/// The stream goes before the process's end.
class Gpu : public testing::Environment {
 public:
  void SetUp() override {
    if (!reason_to_skip().empty()) return;
    if (!gpu_everywhere(MPI_COMM_WORLD)) {
      reason_to_skip() = "needs a GPU";
    } else {
      stream = std::make_unique<OwnStream>();
    }
  }
  void TearDown() override { stream.reset(); }

  static inline std::unique_ptr<OwnStream> stream;
};

[[maybe_unused]] const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new Gpu);

}  // namespace

std::unique_ptr<Memory> allocate_field(std::int64_t bytes) { return allocate(asked_for(), bytes); }
Stream field_stream() { return Gpu::stream ? Gpu::stream->get() : nullptr; }

}  // namespace typewarp::test
