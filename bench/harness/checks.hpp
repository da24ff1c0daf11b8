// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/layout.hpp>

#include <cstdint>
#include <memory>
#include <string>

/// Compares every byte of a message, and every byte between and around those.
namespace typewarp::harness {

/// Where a buffer lies.
enum class Place : std::uint8_t { host, device };

/// Fills buffers with noise, and finds the bytes that a message moved wrongly. Bytes are told apart by seeds:
/// no two fills may have the same.
class Checks {
 public:
  Checks() = default;
  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;
  virtual ~Checks() = default;

  virtual void fill_source(std::byte* buffer, Place place, std::uint64_t seed) = 0;
  virtual void fill_destination(std::byte* buffer, Place place, std::uint64_t seed) = 0;
  /// What is wrong with a buffer that was filled with `before` and got a message from one that was filled
  /// with `sent`; empty if nothing is.
  virtual std::string wrong(std::byte* buffer, Place place, std::uint64_t sent, std::uint64_t before) = 0;
};

/// Of buffers at addresses that are a multiple of 256, with memory out to whole such lines around the data.
/// On the host, byte by byte.
std::unique_ptr<Checks> checks_on_host(const Layout& source, const Layout& destination);

std::string complaint(std::uint64_t wrong, std::uint64_t changed);

}  // namespace typewarp::harness
