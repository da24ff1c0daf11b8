// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device.hpp"

#include "check.hpp"
#include "rates.hpp"
#include "verify.hpp"

namespace typewarp::harness::device {
namespace {

using bench::check;
using bench::DevicePlaces;

/// Shared by all checks of the process.
struct Workshop {
  bench::Queue queue;
  bench::DevicePool staging;
};
Workshop& workshop() {
  static Workshop* const all =
      new Workshop;  // NOLINT: freed by no destructor, which would come after CUDA's own
  return *all;
}

class OnDevice : public Checks {
 public:
  OnDevice(const Layout& source, const Layout& destination) : source_(source), destination_(destination) {}

  void fill_source(std::byte* buffer, Place place, std::uint64_t seed) override {
    bench::fill({source_, buffer, place == Place::device}, {seed}, workshop().queue, workshop().staging);
  }
  void fill_destination(std::byte* buffer, Place place, std::uint64_t seed) override {
    bench::fill({destination_, buffer, place == Place::device}, {seed}, workshop().queue, workshop().staging);
  }
  std::string wrong(std::byte* buffer, Place place, std::uint64_t sent, std::uint64_t before) override {
    // The other process's buffer is aligned as this one is.
    const bench::Counts found =
        bench::count_wrong({source_, buffer}, {sent}, {destination_, buffer, place == Place::device},
                           {before}, workshop().queue, workshop().staging);
    return complaint(found.wrong, found.changed);
  }

 private:
  DevicePlaces source_, destination_;
};

}  // namespace

int count() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  cudaGetLastError();
  return 0;
}

void use(int device) { check(cudaSetDevice(device), "cudaSetDevice"); }

std::shared_ptr<std::byte> allocate(std::int64_t bytes) {
  return {bench::allocate_device(bytes).release(), bench::FreeDevice()};
}

std::shared_ptr<std::byte> allocate_pinned(std::int64_t bytes) {
  return {bench::allocate_pinned(bytes).release(), bench::FreePinned()};
}

std::shared_ptr<CUstream_st> make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return {stream, [](cudaStream_t s) { cudaStreamDestroy(s); }};
}

void wait(CUstream_st* stream) { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

Recording::Recording(const std::function<void(CUstream_st*)>& enqueue) : stream_(make_stream()) {
  check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  enqueue(stream_.get());
  cudaGraph_t recorded = nullptr;
  check(cudaStreamEndCapture(stream_.get(), &recorded), "cudaStreamEndCapture");
  const std::shared_ptr<CUgraph_st> owner(recorded, [](cudaGraph_t graph) { cudaGraphDestroy(graph); });
  cudaGraphExec_t made = nullptr;
  check(cudaGraphInstantiate(&made, recorded, 0), "cudaGraphInstantiate");
  graph_ = {made, [](cudaGraphExec_t graph) { cudaGraphExecDestroy(graph); }};
}

void Recording::run() {
  check(cudaGraphLaunch(graph_.get(), stream_.get()), "cudaGraphLaunch");
  check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
}

std::unique_ptr<Checks> checks(const Layout& source, const Layout& destination) {
  return std::make_unique<OnDevice>(source, destination);
}

Rates rates() {
  bench::Pool pool;
  const bench::Queue queue;
  const bench::Rates found = bench::measure_rates(pool, queue);
  return {found.json(), found.copy, found.launch_us};
}

Copy::Copy(int from, int to, std::int64_t bytes) : from_(from), to_(to), bytes_(bytes) {
  use(to);
  destination_ = allocate(bytes);
  if (from != to) cudaDeviceEnablePeerAccess(from, 0);
  use(from);
  source_ = allocate(bytes);
  if (from != to) cudaDeviceEnablePeerAccess(to, 0);
  cudaGetLastError();  // that it was enabled before, or cannot be: the copy works, or is slow, all the same
  stream_ = make_stream();
}

void Copy::run() {
  const auto bytes = static_cast<std::size_t>(bytes_);
  check(cudaMemcpyPeerAsync(destination_.get(), to_, source_.get(), from_, bytes, stream_.get()),
        "cudaMemcpyPeerAsync");
  check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
}

}  // namespace typewarp::harness::device
