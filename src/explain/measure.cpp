// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/measure.hpp"

#include "engine/runtime/displaced.hpp"
#include "engine/device/gpu.hpp"

#include <typewarp/host.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace typewarp::explanation {
namespace {

constexpr std::int64_t largest_span = std::int64_t{4} << 30;
constexpr Effort for_others{.enough = std::chrono::milliseconds(50)};  // than the method that is chosen

/// The bytes that items span, from the address that displacements count from.
struct ItemSpan {
  std::int64_t begin, bytes;
};

ItemSpan span_of(const Plan& plan, std::int64_t count) {
  const layout::Node& root = *plan.layout().root;
  const auto last = static_cast<double>(count - 1) * static_cast<double>(plan.extent());
  const double wanted =
      static_cast<double>(root.true_ub) - static_cast<double>(root.true_lb) + std::abs(last);
  if (wanted > static_cast<double>(largest_span)) {
    throw InvalidArgument("typewarp::explain", "measure", static_cast<long long>(wanted),
                          "is what the layout spans in bytes, and must be at most 4 GiB");
  }
  const std::int64_t distance = (count - 1) * plan.extent();
  return {plan.layout().offset + root.true_lb + std::min<std::int64_t>(0, distance),
          static_cast<std::int64_t>(wanted)};
}

double host_us(const ExplainedMove& move, const Plan& plan, std::int64_t count, const ItemSpan& span) {
  const std::int64_t bytes = count * plan.size();
  std::vector<std::byte> user(static_cast<std::size_t>(span.bytes), std::byte{1});
  std::vector<std::byte> packed(static_cast<std::size_t>(bytes), std::byte{2});
  std::byte* const buffer = gpu::displaced(user.data(), -span.begin);
  const auto call = [&] {
    if (move.direction == "pack") {
      host::pack(buffer, count, plan, packed.data(), {0, bytes});
    } else {
      host::unpack(packed.data(), buffer, count, plan, {0, bytes});
    }
  };
  return median_us(call);
}

/// Memory of a GPU for a layout and its packed bytes, as long as its moves are measured.
class OnGpu {
 public:
  OnGpu(std::int64_t bytes, std::int64_t count, const ItemSpan& span, int device)
      : bytes_(bytes),
        count_(count),
        device_(device),
        user_(device, span.bytes),
        buffer_(gpu::displaced(user_.data(), -span.begin)) {}

  /// By the plan itself, or another one of the same layout with other hints.
  double us(const ExplainedMove& move, const Plan& plan, const Effort& effort) {
    std::byte* const packed = packed_of(move.memory == "device");
    const Stream stream = gpu::private_stream(device_);
    const auto call = [&] {
      if (move.direction == "pack") {
        pack(buffer_, count_, plan, packed, stream);
      } else {
        unpack(packed, buffer_, count_, plan, stream);
      }
      finish(stream);
    };
    return median_us(call, effort);
  }

 private:
  std::byte* packed_of(bool on_device) {
    if (on_device && !packed_) packed_.emplace(device_, bytes_);
    if (!on_device && !pinned_) pinned_.emplace(bytes_);
    return on_device ? packed_->data() : pinned_->data();
  }

  std::int64_t bytes_, count_;
  int device_;
  gpu::DeviceAllocation user_;
  std::byte* buffer_;
  std::optional<gpu::DeviceAllocation> packed_;
  std::optional<gpu::PinnedBuffer> pinned_;
};

/// `plan` made to take a method, whatever it should avoid.
Plan forced(const Plan& plan, const std::string& method) {
  Hints hints = plan.hints();
  hints.set("method", method);
  hints.avoid = Resource::none;
  return plan.with(hints);
}

void measure_on_gpu(OnGpu& memory, ExplainedMove& move, const Plan& plan) {
  move.measured_us = memory.us(move, plan, {});
  for (ConsideredMethod& method : move.methods) {
    if (!method.can) continue;
    method.measured_us = method.name == move.chosen ? move.measured_us
                                                    : memory.us(move, forced(plan, method.name), for_others);
  }
}

}  // namespace

double median_us(const std::function<void()>& call, const Effort& effort) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + effort.enough;
  call();
  std::vector<double> times;
  while (times.size() < effort.least || (times.size() < effort.most && Clock::now() < end)) {
    const auto begin = Clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

void finish(Stream stream) {
  while (!gpu::idle(stream)) {}
}

void measure(std::vector<ExplainedMove>& moves, const Plan& plan, std::int64_t count, int device) {
  const std::int64_t bytes = count * plan.size();
  if (bytes > largest_span) {
    throw InvalidArgument("typewarp::explain", "measure", static_cast<long long>(bytes),
                          "is the size of the packed bytes, and must be at most 4 GiB");
  }
  const ItemSpan span = span_of(plan, count);
  std::optional<OnGpu> on_gpu;
  for (ExplainedMove& move : moves) {
    if (move.engine == "host") move.measured_us = host_us(move, plan, count, span);
    if (move.engine != "gpu" || !gpu::present()) continue;
    if (!on_gpu) on_gpu.emplace(bytes, count, span, device);
    measure_on_gpu(*on_gpu, move, plan);
  }
}

}  // namespace typewarp::explanation
