// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "verify.hpp"

#include "check.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <utility>

namespace typewarp::bench {
namespace {

using Word = std::uint64_t;
using Count = Counts::Count;

constexpr std::int64_t line = 256;  // cudaMalloc aligns to so many bytes, and pools hold a multiple of it
constexpr int threads = 256;
constexpr std::int64_t most_blocks = 132 * 64;  // some waves: each thread takes several elements

/// Where the bytes of a side lie in its region.
struct InRegion {
  PlacesView places;
  std::int64_t begin;  ///< of the region, relative to the side's buffer

  __device__ std::int64_t operator()(std::int64_t byte) const { return places(byte) - begin; }
};

__device__ std::int64_t first_index() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::int64_t step() { return std::int64_t{gridDim.x} * blockDim.x; }

__global__ void fill_kernel(Word* region, std::int64_t words, Noise noise) {
  for (std::int64_t i = first_index(); i < words; i += step()) region[i] = noise.word(i);
}

__global__ void count_changed_kernel(const Word* region, std::int64_t words, Noise noise, Count* changed) {
  Count found = 0;
  for (std::int64_t i = first_index(); i < words; i += step()) {
    const Word difference = region[i] ^ noise.word(i);
    for (int byte = 0; byte < 8; ++byte) found += (difference >> (8 * byte) & 0xff) != 0 ? 1 : 0;
  }
  if (found > 0) atomicAdd(changed, found);
}

/// Also puts the destination's own noise back, so that what remains changed was not to be written.
__global__ void count_wrong_kernel(InRegion from, Noise moved, std::uint8_t* region, InRegion to,
                                   Noise before, std::int64_t bytes, Count* wrong) {
  Count found = 0;
  for (std::int64_t i = first_index(); i < bytes; i += step()) {
    const std::int64_t at = to(i);
    found += region[at] != moved.byte(from(i)) ? 1 : 0;
    region[at] = before.byte(at);
  }
  if (found > 0) atomicAdd(wrong, found);
}

unsigned blocks_for(std::int64_t elements) {
  return static_cast<unsigned>(std::clamp((elements + threads - 1) / threads, std::int64_t{1}, most_blocks));
}

template <typename T>
DeviceMemory uploaded(const std::vector<T>& list) {
  const auto bytes = static_cast<std::int64_t>(list.size() * sizeof(T));
  DeviceMemory memory = allocate_device(std::max<std::int64_t>(bytes, 1));
  check(cudaMemcpy(memory.get(), list.data(), static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // a Queue does not wait for the default stream
  return memory;
}

/// A side with all whole lines that it touches.
class Region {
 public:
  Region(const Side& side, const Queue& queue, DevicePool& staging) : queue_(queue), side_(side) {
    const std::int64_t begin = side.layout().offset + side.layout().root->true_lb;
    const std::int64_t end = side.layout().offset + side.layout().root->true_ub;
    const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(side.buffer));
    begin_ = (address + begin) / line * line - address;
    bytes_ = (address + end + line - 1) / line * line - address - begin_;
    data_ = side.on_device ? side.buffer + begin_ : staging.reserve(bytes_);
  }

  void fill(Noise noise) const {
    fill_kernel<<<blocks_for(words()), threads, 0, queue_.get()>>>(reinterpret_cast<Word*>(data_), words(),
                                                                   noise);
    check(cudaGetLastError(), "fill_kernel");
    if (!side_.on_device) copy(side_.buffer + begin_, data_);
  }
  /// Brings what others wrote to the device, if it is not there.
  void fetch() const {
    if (!side_.on_device) copy(data_, side_.buffer + begin_);
  }
  void count_changed(Noise noise, Count* changed) const {
    count_changed_kernel<<<blocks_for(words()), threads, 0, queue_.get()>>>(
        reinterpret_cast<const Word*>(data_), words(), noise, changed);
    check(cudaGetLastError(), "count_changed_kernel");
  }
  void count_wrong(const Region& source, Noise moved, Noise before, Count* wrong) const {
    const std::int64_t bytes = side_.layout().size();
    count_wrong_kernel<<<blocks_for(bytes), threads, 0, queue_.get()>>>(
        source.places(), moved, reinterpret_cast<std::uint8_t*>(data_), places(), before, bytes, wrong);
    check(cudaGetLastError(), "count_wrong_kernel");
  }

 private:
  std::int64_t words() const { return bytes_ / static_cast<std::int64_t>(sizeof(Word)); }
  InRegion places() const { return {side_.places.view(), begin_}; }
  void copy(std::byte* to, const std::byte* from) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes_), cudaMemcpyDefault, queue_.get()),
          "cudaMemcpyAsync");
  }

  const Queue& queue_;
  const Side& side_;
  std::int64_t begin_, bytes_;
  std::byte* data_;
};

/// Noise that no move before had.
Noise new_noise() {
  static Word seed = 0;
  return {++seed};
}

void expect_none(Count bytes, const std::string& mover, const std::string& what) {
  if (bytes > 0) throw Error(mover + what + std::to_string(bytes) + " bytes");
}

}  // namespace

DevicePlaces::DevicePlaces(Layout layout) : layout_(std::move(layout)) {
  const Places places(layout_);
  nodes_ = uploaded(places.nodes);
  lists_ = uploaded(places.lists);
}

PlacesView DevicePlaces::view() const noexcept {
  return {reinterpret_cast<const PlacesNode*>(nodes_.get()),
          reinterpret_cast<const std::int64_t*>(lists_.get()), layout_.offset};
}

Layout run_of(std::int64_t bytes) { return normalise(contiguous(bytes, Named::byte)); }

void fill(const Side& side, Noise noise, const Queue& queue, DevicePool& staging) {
  Region(side, queue, staging).fill(noise);
  queue.wait();
}

Counts count_wrong(const Side& source, Noise moved, const Side& destination, Noise before, const Queue& queue,
                   DevicePool& staging) {
  const Side only_places{source.places, source.buffer};  // nothing of it is read: it needs no staging
  const Region from(only_places, queue, staging);
  const Region to(destination, queue, staging);
  const DeviceMemory memory = allocate_device(sizeof(Counts));
  auto* const counts = reinterpret_cast<Counts*>(memory.get());
  check(cudaMemsetAsync(counts, 0, sizeof(Counts), queue.get()), "cudaMemsetAsync");
  to.fetch();
  to.count_wrong(from, moved, before, &counts->wrong);
  to.count_changed(before, &counts->changed);
  Counts found;
  check(cudaMemcpyAsync(&found, counts, sizeof found, cudaMemcpyDeviceToHost, queue.get()),
        "cudaMemcpyAsync");
  queue.wait();
  return found;
}

void verify(const Side& source, const Side& destination, const std::vector<Mover>& movers, const Queue& queue,
            DevicePool& staging) {
  if (source.layout().size() != destination.layout().size()) throw Error("verify: the sides differ in bytes");
  if (!source.on_device && !destination.on_device) throw Error("verify: no side is on the device");
  if (source.layout().size() == 0) return;
  for (const Mover& mover : movers) {
    const Noise moved = new_noise();
    const Noise before = new_noise();
    fill(source, moved, queue, staging);
    fill(destination, before, queue, staging);
    mover.run(queue.get());
    check(cudaGetLastError(), mover.name.c_str());
    const Counts found = count_wrong(source, moved, destination, before, queue, staging);
    expect_none(found.wrong, mover.name, ": moves wrongly ");
    if (!mover.moves_gaps) expect_none(found.changed, mover.name, ": writes beside the layout ");
  }
}

}  // namespace typewarp::bench
