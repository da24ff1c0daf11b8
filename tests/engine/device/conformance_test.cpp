// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/call_backend.hpp"
#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"

#include <typewarp/persistent.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

namespace typewarp::test {
namespace {

/// Each with bytes in memory of given kinds.
enum class How {
  calls,       ///< the public ones
  limited,     ///< within a device, no faster than a link takes it
  persistent,  ///< an operation for each, started once
};

const char* name(How how) {
  return how == How::calls ? "Calls" : how == How::limited ? "Limited" : "Persistent";
}

struct Setting {
  How how;
  Kinds kinds;
  int types;
  Hints hints = {};

  friend std::ostream& operator<<(std::ostream& out, const Setting& setting) {
    out << name(setting.how) << "_" << setting.kinds;
    if (setting.hints.empty()) return out;
    std::string text = "_" + setting.hints.to_string();
    std::ranges::replace_if(text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return out << text;
  }
};

class CudaConformance : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    TYPEWARP_NEEDS_GPU();
    stream_.emplace();
  }

  CallBackend backend() {
    // For copies, users' buffers are of both kinds in turn, so that source and destination differ.
    const CallBackend::Allocate user = [this, turn = 0](std::int64_t bytes) mutable {
      return allocate(copies_ && turn++ % 2 == 1 ? GetParam().kinds.packed : GetParam().kinds.user, bytes);
    };
    const CallBackend::Allocate packed = [](std::int64_t bytes) {
      return allocate(GetParam().kinds.packed, bytes);
    };
    switch (GetParam().how) {
      case How::calls:
        break;
      case How::limited:
        return limited(user, packed);
      case How::persistent:
        return {[this](const auto&... all) { run(Persistent::pack_init(hinted(all)...)); },
                [this](const auto&... all) { run(Persistent::unpack_init(hinted(all)...)); },
                [this](const auto&... all) { run(Persistent::copy_init(hinted(all)...)); }, user, packed};
    }
    return {[this](const auto&... all) { pack(hinted(all)..., stream_->get()); },
            [this](const auto&... all) { unpack(hinted(all)..., stream_->get()); },
            [this](const auto&... all) { copy(hinted(all)..., stream_->get()); }, user, packed};
  }
  /// A call on a device takes a hundred times as long as one on the host: fewer cuts. One that is recorded
  /// takes longer still.
  static ConformanceOptions options() {
    return {.types = GetParam().types,
            .cut_every_nth = GetParam().how == How::persistent ? 32 : 8,
            .longest_cut = 64};
  }

  bool copies_ = false;

 private:
  static Plan hinted(const Plan& plan) { return plan.with(GetParam().hints); }
  template <typename Other>
  static const Other& hinted(const Other& argument) {
    return argument;
  }

  CallBackend limited(const CallBackend::Allocate& user, const CallBackend::Allocate& packed) {
    const auto move = [this](const gpu::Side& to, const gpu::Side& from, ByteRange range) {
      gpu::copy(to, from, range, {0, stream_->get(), gpu::OccupancyLimit::link});
    };
    const auto side = [](const void* address, std::int64_t count, const Plan* plan) {
      return gpu::Side{plan, count, const_cast<void*>(address)};
    };
    return {[=](const void* buffer, std::int64_t count, const Plan& plan, void* bytes, ByteRange range) {
              move(side(bytes, range.end - range.begin, nullptr), side(buffer, count, &plan), range);
            },
            [=](const void* bytes, void* buffer, std::int64_t count, const Plan& plan, ByteRange range) {
              move(side(buffer, count, &plan), side(bytes, range.end - range.begin, nullptr), range);
            },
            [=](const void* source, std::int64_t count, const Plan& plan, void* destination,
                std::int64_t to_count, const Plan& to, ByteRange range) {
              move(side(destination, to_count, &to), side(source, count, &plan), range);
            },
            user, packed};
  }
  void run(Persistent operation) {
    operation.start(stream_->get());
    operation.wait();
  }

  std::optional<OwnStream> stream_;
};

TEST_P(CudaConformance, Pack) {
  CallBackend by = backend();
  check_pack(by, options());
}

TEST_P(CudaConformance, Unpack) {
  CallBackend by = backend();
  check_unpack(by, options());
}

TEST_P(CudaConformance, Copy) {
  copies_ = true;
  CallBackend by = backend();
  check_copy(by, options());
}

INSTANTIATE_TEST_SUITE_P(Memory, CudaConformance,
                         testing::Values(Setting{How::calls, {Source::device, Source::device}, 2000},
                                         Setting{How::calls, {Source::device, Source::pinned}, 300},
                                         Setting{How::calls, {Source::device, Source::registered}, 200},
                                         Setting{How::calls, {Source::device, Source::pageable}, 300},
                                         Setting{How::calls, {Source::pinned, Source::device}, 300},
                                         Setting{How::calls, {Source::pageable, Source::device}, 300},
                                         Setting{How::calls, {Source::managed, Source::managed}, 60},
                                         Setting{How::calls, {Source::managed, Source::pageable}, 60},
                                         Setting{How::limited, {Source::device, Source::device}, 500},
                                         Setting{How::persistent, {Source::device, Source::pinned}, 150},
                                         Setting{How::persistent, {Source::device, Source::device}, 150},
                                         Setting{How::persistent, {Source::pinned, Source::device}, 150}),
                         testing::PrintToStringParamName());

/// Each method by name, where it is possible; and each of the other hints.
std::vector<Setting> hinted_settings() {
  std::vector<Hints> all;
  for (int method = 1; method <= static_cast<int>(Method::generic); ++method) {
    all.push_back({.method = static_cast<Method>(method)});
  }
  for (const std::int32_t blocks : {1, 3}) all.push_back({.max_blocks = blocks});
  all.push_back({.avoid = Resource::multiprocessors});
  all.push_back({.avoid = Resource::copy_engines});
  all.push_back({.priority = Priority::high});
  std::vector<Setting> settings;
  for (const Hints& hints : all) {
    settings.push_back({How::calls, {Source::device, Source::device}, 100, hints});
    settings.push_back({How::calls, {Source::device, Source::pinned}, 60, hints});
    settings.push_back({How::persistent, {Source::device, Source::pinned}, 20, hints});
  }
  settings.push_back(
      {How::calls, {Source::managed, Source::managed}, 40, {.avoid = Resource::multiprocessors}});
  settings.push_back(
      {How::calls, {Source::device, Source::pageable}, 40, {.avoid = Resource::multiprocessors}});
  return settings;
}

INSTANTIATE_TEST_SUITE_P(Hinted, CudaConformance, testing::ValuesIn(hinted_settings()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace typewarp::test
