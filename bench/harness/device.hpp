// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "checks.hpp"

#include "json.hpp"

#include <typewarp/engine.hpp>

#include <functional>

struct CUgraphExec_st;

/// What needs CUDA. In a build without it there is no device, and nothing else of this may be called.
namespace typewarp::harness::device {

/// Usable GPUs.
int count();
/// What this thread calls CUDA for, from now on.
void use(int device);

std::shared_ptr<std::byte> allocate(std::int64_t bytes);
std::shared_ptr<std::byte> allocate_pinned(std::int64_t bytes);

/// A stream of the device in use that does not synchronise with the default one. Destroyed with what is
/// returned.
std::shared_ptr<CUstream_st> make_stream();

/// Until the stream has done all that it was given.
void wait(CUstream_st* stream);

/// What a stream is given, recorded once as a graph.
class Recording {
 public:
  /// `enqueue` gives it to a stream that is captured meanwhile.
  explicit Recording(const std::function<void(CUstream_st*)>& enqueue);
  /// Replays it, and waits.
  void run();

 private:
  std::shared_ptr<CUstream_st> stream_;
  std::shared_ptr<CUgraphExec_st> graph_;
};

/// The same as checks_on_host(), on the device in use, which buffers in host memory are brought to.
std::unique_ptr<Checks> checks(const Layout& source, const Layout& destination);

struct Rates {
  bench::JsonObject json;  ///< of cudaMemcpy in the device, of the link to the host, and of an empty launch
  double copy_bytes_per_us = 0;  ///< read + written
  double launch_us = 0;
};
Rates rates();

/// Copies contiguous bytes from one device to another, or within one, and waits: what a message is compared
/// with.
class Copy {
 public:
  Copy(int from, int to, std::int64_t bytes);
  void run();

 private:
  int from_, to_;
  std::int64_t bytes_;
  std::shared_ptr<std::byte> source_, destination_;
  std::shared_ptr<CUstream_st> stream_;
};

}  // namespace typewarp::harness::device
