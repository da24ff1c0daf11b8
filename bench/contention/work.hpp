// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#if defined(__CUDACC__)
#define TYPEWARP_CONTENTION_HD __host__ __device__
#else
#define TYPEWARP_CONTENTION_HD
#endif

/// What an application has the GPU do while bytes are packed or unpacked beside it.
namespace typewarp::contention {

/// Kernels, then copies between pinned memory and the device.
enum class Work : std::uint8_t { add, stencil, arithmetic, resident, to_host, to_device, both_ways };
inline constexpr std::array every_work{Work::add,     Work::stencil,   Work::arithmetic, Work::resident,
                                       Work::to_host, Work::to_device, Work::both_ways};
std::string_view name(Work work) noexcept;
bool is_kernel(Work work) noexcept;

/// Bytes that something moves, by what they pass.
struct Demand {
  double memory = 0;  ///< of the device, read and written
  double to_host = 0, to_device = 0;

  friend Demand operator+(const Demand& a, const Demand& b) {
    return {a.memory + b.memory, a.to_host + b.to_host, a.to_device + b.to_device};
  }
};

/// Of so many units: a thread block of a kernel, a page of a copy. A kernel that is `resident` has as many
/// blocks as fit, and a unit is a step of all of them.
Demand demand(Work work, std::int64_t units);

inline constexpr int threads = 256;
inline constexpr std::int64_t page = 4096;
/// Arrays of kernels are this long at most, and gone through again from the start by longer work: far more
/// than caches hold.
inline constexpr std::int64_t elements = std::int64_t{1} << 26;

/// Work that no longer run of it changes, so that its result can be checked whatever the length. The index is
/// that of a thread.
struct Add {
  const double *a, *b;
  double* sum;

  TYPEWARP_CONTENTION_HD static double first(std::int64_t at) { return static_cast<double>(at % 1000); }
  TYPEWARP_CONTENTION_HD static double second(std::int64_t at) { return static_cast<double>(at % 777); }
  TYPEWARP_CONTENTION_HD void operator()(std::int64_t thread) const {
    const std::int64_t at = thread % elements;
    sum[at] = a[at] + b[at];
  }
  TYPEWARP_CONTENTION_HD bool wrong(std::int64_t at) const { return sum[at] != first(at) + second(at); }
};

/// Seven points of an array in C order, which is taken to go on where a row ends.
struct Stencil {
  static constexpr std::int64_t row = 256, plane = row * row;
  static constexpr std::int64_t inside = elements - 2 * plane;  ///< elements with all neighbours

  const double* now;
  double* next;

  TYPEWARP_CONTENTION_HD static double value(std::int64_t at) { return static_cast<double>(at % 1000); }
  template <typename Values>
  TYPEWARP_CONTENTION_HD static double laplacian(const Values& of, std::int64_t at) {
    return of(at - plane) + of(at + plane) + of(at - row) + of(at + row) + of(at - 1) + of(at + 1) -
           6 * of(at);
  }
  TYPEWARP_CONTENTION_HD void operator()(std::int64_t thread) const {
    const std::int64_t at = plane + thread % inside;
    next[at] = laplacian([this](std::int64_t i) { return now[i]; }, at);
  }
  TYPEWARP_CONTENTION_HD bool wrong(std::int64_t at) const {
    return at >= plane && at < plane + inside && next[at] != laplacian(value, at);
  }
};

/// Fused multiply-adds that hardly touch memory. An even number of steps leaves values as they were.
struct Arithmetic {
  static constexpr int chains = 4;  ///< independent of each other, so that multiprocessors are always busy

  float* values;
  std::int64_t steps;  ///< even

  TYPEWARP_CONTENTION_HD static float value(std::int64_t at) { return static_cast<float>(at % 1000); }
  TYPEWARP_CONTENTION_HD static float expected(std::int64_t at) {
    return chains * value(at) + chains * (chains - 1) / 2;
  }
  TYPEWARP_CONTENTION_HD void operator()(std::int64_t thread) const {
    const std::int64_t at = thread % elements;
    float chain[chains];
    for (int i = 0; i < chains; ++i) chain[i] = value(at) + static_cast<float>(i);
    for (std::int64_t step = 0; step < steps; ++step) {
      for (float& one : chain) one = std::fma(one, -1.0F, 1.0F);
    }
    values[at] = (chain[0] + chain[1]) + (chain[2] + chain[3]);
  }
  TYPEWARP_CONTENTION_HD bool wrong(std::int64_t at) const { return values[at] != expected(at); }
};

/// Of each thread of `arithmetic`: a block takes some 20 us, so that many blocks come and go.
inline constexpr std::int64_t arithmetic_steps = 512;

}  // namespace typewarp::contention
