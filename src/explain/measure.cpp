// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/measure.hpp"

#include "engine/gpu/displaced.hpp"
#include "engine/gpu/gpu.hpp"

#include <typewarp/host.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace typewarp::explanation {
namespace {

constexpr std::int64_t largest_span = std::int64_t{4} << 30;
constexpr int device = 0;

/// The bytes that items span, from the address that displacements count from.
struct Span {
  std::int64_t begin, bytes;
};

Span span_of(const Plan& plan, std::int64_t count) {
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

constexpr std::chrono::milliseconds for_the_method{200}, for_another{50};

/// The median of 5 to 101 times, as many as fit into `budget`.
template <typename Call>
double median_us(std::chrono::milliseconds budget, const Call& call) {
  using Clock = std::chrono::steady_clock;
  call();
  std::vector<double> times;
  const auto end = Clock::now() + budget;
  while (times.size() < 5 || (times.size() < 101 && Clock::now() < end)) {
    const auto begin = Clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

double host_us(const ExplainedMove& move, const Plan& plan, std::int64_t count, const Span& span) {
  const std::int64_t bytes = count * plan.size();
  std::vector<std::byte> user(static_cast<std::size_t>(span.bytes), std::byte{1});
  std::vector<std::byte> packed(static_cast<std::size_t>(bytes), std::byte{2});
  std::byte* const buffer = gpu::displaced(user.data(), -span.begin);
  return median_us(for_the_method, [&] {
    if (move.direction == "pack") {
      host::pack(buffer, count, plan, packed.data(), {0, bytes});
    } else {
      host::unpack(packed.data(), buffer, count, plan, {0, bytes});
    }
  });
}

/// The memory of one move.
class OnGpu {
 public:
  OnGpu(const ExplainedMove& move, std::int64_t count, std::int64_t bytes, const Span& span)
      : packs_(move.direction == "pack"),
        count_(count),
        user_(device, span.bytes),
        buffer_(gpu::displaced(user_.data(), -span.begin)) {
    if (move.memory == "device") {
      packed_ = on_device_.emplace(device, bytes).data();
    } else {
      packed_ = pinned_.emplace(bytes).data();
    }
  }

  double us(const Plan& plan, std::chrono::milliseconds budget) {
    return median_us(budget, [&] {
      if (packs_) {
        pack(buffer_, count_, plan, packed_, stream_);
      } else {
        unpack(packed_, buffer_, count_, plan, stream_);
      }
      event_.record(stream_);
      event_.wait();
    });
  }

 private:
  bool packs_;
  std::int64_t count_;
  gpu::DeviceBuffer user_;
  std::byte* buffer_;
  std::optional<gpu::DeviceBuffer> on_device_;
  std::optional<gpu::PinnedBuffer> pinned_;
  std::byte* packed_ = nullptr;
  Stream stream_ = gpu::private_stream(device);
  gpu::Event event_{device};
};

Method method_of(const std::string& name) {
  Hints hints;
  hints.set("method", name);
  return hints.method;
}

void measure_on_gpu(ExplainedMove& move, const Plan& plan, std::int64_t count, const Span& span) {
  OnGpu memory(move, count, count * plan.size(), span);
  move.measured_us = memory.us(plan, for_the_method);
  for (ConsideredMethod& method : move.methods) {
    if (!method.can) continue;
    Hints hints = plan.hints();
    hints.method = method_of(method.name);
    hints.avoid = Resource::none;
    method.measured_us =
        method.name == move.chosen ? move.measured_us : memory.us(plan.with(hints), for_another);
  }
}

}  // namespace

void measure(std::vector<ExplainedMove>& moves, const Plan& plan, std::int64_t count) {
  if (count * plan.size() > largest_span) {
    throw InvalidArgument("typewarp::explain", "measure", static_cast<long long>(count * plan.size()),
                          "is the size of the packed bytes, and must be at most 4 GiB");
  }
  const Span span = span_of(plan, count);
  for (ExplainedMove& move : moves) {
    if (move.engine == "host") move.measured_us = host_us(move, plan, count, span);
    if (move.engine == "gpu" && gpu::present()) measure_on_gpu(move, plan, count, span);
  }
}

}  // namespace typewarp::explanation
