// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/memory_kinds.hpp"

namespace typewarp::test {
namespace {

/// The public calls, with user and packed bytes in memory of given kinds. For copies, users' buffers are of
/// both kinds in turn, so that source and destination differ.
class KindBackend final : public Backend {
 public:
  KindBackend(Source user, Source packed) : user_(user), packed_(packed) {}

  void take_turns() { turns_ = true; }
  std::unique_ptr<Memory> user_memory(std::int64_t bytes) override {
    const Source source = turns_ && turn_++ % 2 == 1 ? packed_ : user_;
    return allocate(source, bytes);
  }
  std::unique_ptr<Memory> packed_memory(std::int64_t bytes) override { return allocate(packed_, bytes); }
  void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed,
            ByteRange range) override {
    typewarp::pack(buffer, count, plan, packed, range, stream_.get());
  }
  void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan,
              ByteRange range) override {
    typewarp::unpack(packed, buffer, count, plan, range, stream_.get());
  }
  void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
            std::int64_t destination_count, const Plan& destination_plan, ByteRange range) override {
    typewarp::copy(source, source_count, source_plan, destination, destination_count, destination_plan, range,
                   stream_.get());
  }

 private:
  Source user_, packed_;
  bool turns_ = false;
  int turn_ = 0;
  OwnStream stream_;
};

struct Setting : Kinds {
  int types;
};

class CudaConformance : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    TYPEWARP_NEEDS_GPU();
    backend_ = std::make_unique<KindBackend>(GetParam().user, GetParam().packed);
  }
  /// A call on a device takes a hundred times as long as one on the host: fewer cuts.
  ConformanceOptions options() const {
    return {.types = GetParam().types, .cut_every_nth = 8, .longest_cut = 64};
  }

  std::unique_ptr<KindBackend> backend_;
};

TEST_P(CudaConformance, Pack) { check_pack(*backend_, options()); }

TEST_P(CudaConformance, Unpack) { check_unpack(*backend_, options()); }

TEST_P(CudaConformance, Copy) {
  backend_->take_turns();
  check_copy(*backend_, options());
}

/// Packs within a device no faster than a link takes it.
class LimitedBackend final : public Backend {
 public:
  std::unique_ptr<Memory> user_memory(std::int64_t bytes) override { return allocate(Source::device, bytes); }
  std::unique_ptr<Memory> packed_memory(std::int64_t bytes) override {
    return allocate(Source::device, bytes);
  }
  void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed,
            ByteRange range) override {
    gpu::copy({nullptr, range.end - range.begin, packed}, {&plan, count, const_cast<void*>(buffer)}, range,
              {0, stream_.get(), gpu::OccupancyLimit::link});
  }
  void unpack(const void*, void*, std::int64_t, const Plan&, ByteRange) override { FAIL(); }
  void copy(const void*, std::int64_t, const Plan&, void*, std::int64_t, const Plan&, ByteRange) override {
    FAIL();
  }

 private:
  OwnStream stream_;
};

TEST(CudaOccupancyLimit, OfALinkPacksTheSameBytes) {
  TYPEWARP_NEEDS_GPU();
  LimitedBackend backend;
  check_pack(backend, {.types = 500, .cut_every_nth = 8, .longest_cut = 64});
}

INSTANTIATE_TEST_SUITE_P(Memory, CudaConformance,
                         testing::Values(Setting{{Source::device, Source::device}, 2000},
                                         Setting{{Source::device, Source::pinned}, 300},
                                         Setting{{Source::device, Source::registered}, 200},
                                         Setting{{Source::device, Source::pageable}, 300},
                                         Setting{{Source::pinned, Source::device}, 300},
                                         Setting{{Source::pageable, Source::device}, 300},
                                         Setting{{Source::managed, Source::managed}, 60},
                                         Setting{{Source::managed, Source::pageable}, 60}),
                         [](const testing::TestParamInfo<Setting>& setting) {
                           return testing::PrintToString(setting.param);
                         });

}  // namespace
}  // namespace typewarp::test
