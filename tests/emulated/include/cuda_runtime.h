// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>

/// The words of kernels, for a compiler of C++: what nvcc has without an #include. A thread of a block is a
/// fiber (blocks.cpp).
#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
// Blocks of a stream run one after the other, in the stream's thread.
#define __shared__ static thread_local

struct uint3 {
  unsigned x, y, z;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
extern __thread uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

/// What the threads of a block that meet say to each other.
struct Votes {
  bool any, all;
};
/// Returns when all threads of the block that have not ended are here.
Votes meet(bool vote);
/// Lets others run, since this thread waits for them.
void wait_a_little();
/// The shared memory of the block that its launch asked for.
std::byte* dynamic_shared();

/// A kernel with its arguments.
class Call {
 public:
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;
  /// As one thread.
  virtual void run() const = 0;
};
using Bind = std::shared_ptr<const Call> (*)(const void* kernel, void** arguments);
/// Launches find out by this what a kernel's parameters are.
void know(const void* kernel, Bind bind);

template <typename... Parameters>
class CallOf final : public Call {
 public:
  using Kernel = void (*)(Parameters...);
  CallOf(Kernel kernel, void** given) : CallOf(kernel, given, std::index_sequence_for<Parameters...>()) {}
  void run() const override { std::apply(kernel_, arguments_); }

  static std::shared_ptr<const Call> bind(const void* kernel, void** given) {
    return std::make_shared<CallOf>(reinterpret_cast<Kernel>(const_cast<void*>(kernel)), given);
  }

 private:
  template <std::size_t... i>
  CallOf(Kernel kernel, void** given, std::index_sequence<i...>)
      : kernel_(kernel), arguments_(*static_cast<const Parameters*>(given[i])...) {}

  Kernel kernel_;
  std::tuple<Parameters...> arguments_;
};

/// The address by which a kernel is launched.
template <typename... Parameters>
const void* address_of(void (*kernel)(Parameters...)) {
  const auto* const address = reinterpret_cast<const void*>(kernel);
  know(address, &CallOf<Parameters...>::bind);
  return address;
}

}  // namespace emulated

inline void __syncthreads() { emulated::meet(false); }
inline int __syncthreads_or(int vote) { return emulated::meet(vote != 0).any ? 1 : 0; }
inline int __syncthreads_and(int vote) { return emulated::meet(vote != 0).all ? 1 : 0; }
/// About as many a second as a GPU has.
long long clock64();

template <typename T>
T __ldcg(const T* place) {
  return *place;
}
template <typename T>
T __ldcs(const T* place) {
  return *place;
}
template <typename T>
void __stcs(T* place, const T& value) {
  *place = value;
}
inline int __ffsll(unsigned long long bits) { return __builtin_ffsll(static_cast<long long>(bits)); }
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift % 32));
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned chosen = selector >> (4 * i) & 7;
    result |= (static_cast<unsigned>(bytes >> (8 * chosen)) & 0xff) << (8 * i);
  }
  return result;
}
template <typename A, typename B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using Common = std::common_type_t<A, B>;
  return static_cast<Common>(b) < static_cast<Common>(a) ? static_cast<Common>(b) : static_cast<Common>(a);
}
