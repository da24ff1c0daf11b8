// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/persistent.hpp>

#include "engine/gpu/memory_kinds.hpp"

namespace typewarp::test {
namespace {

/// One persistent operation after the other, each started once.
class PersistentBackend final : public Backend {
 public:
  PersistentBackend(Source user, Source packed) : user_(user), packed_(packed) {}

  std::unique_ptr<Memory> user_memory(std::int64_t bytes) override { return allocate(user_, bytes); }
  std::unique_ptr<Memory> packed_memory(std::int64_t bytes) override { return allocate(packed_, bytes); }
  void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed,
            ByteRange range) override {
    run(Persistent::pack_init(buffer, count, plan, packed, range));
  }
  void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan,
              ByteRange range) override {
    run(Persistent::unpack_init(packed, buffer, count, plan, range));
  }
  void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
            std::int64_t destination_count, const Plan& destination_plan, ByteRange range) override {
    run(Persistent::copy_init(source, source_count, source_plan, destination, destination_count,
                              destination_plan, range));
  }

 private:
  void run(Persistent operation) {
    operation.start(stream_.get());
    operation.wait();
  }

  Source user_, packed_;
  OwnStream stream_;
};

class PersistentConformance : public testing::TestWithParam<Kinds> {
 protected:
  void SetUp() override {
    TYPEWARP_NEEDS_GPU();
    backend_ = std::make_unique<PersistentBackend>(GetParam().user, GetParam().packed);
  }
  /// A capture for each call: fewer types and cuts.
  static ConformanceOptions options() { return {.types = 150, .cut_every_nth = 32, .longest_cut = 64}; }

  std::unique_ptr<PersistentBackend> backend_;
};

TEST_P(PersistentConformance, Pack) { check_pack(*backend_, options()); }

TEST_P(PersistentConformance, Unpack) { check_unpack(*backend_, options()); }

TEST_P(PersistentConformance, Copy) { check_copy(*backend_, options()); }

INSTANTIATE_TEST_SUITE_P(Memory, PersistentConformance,
                         testing::Values(Kinds{Source::device, Source::pinned},
                                         Kinds{Source::device, Source::device},
                                         Kinds{Source::pinned, Source::device}),
                         [](const testing::TestParamInfo<Kinds>& kinds) {
                           return testing::PrintToString(kinds.param);
                         });

}  // namespace
}  // namespace typewarp::test
