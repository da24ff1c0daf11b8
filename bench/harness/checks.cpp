// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"

#include "noise.hpp"

namespace typewarp::harness {
namespace {

using bench::Noise;
using bench::Places;

constexpr std::int64_t line = 256;

/// A layout with the whole lines that it touches, relative to the buffer.
struct Region {
  explicit Region(const Layout& layout)
      : places(layout),
        begin((layout.offset + layout.root->true_lb) / line * line),
        bytes((layout.offset + layout.root->true_ub + line - 1) / line * line - begin) {}

  void fill(std::byte* buffer, Noise noise) const {
    auto* const words = reinterpret_cast<std::uint64_t*>(buffer + begin);
    for (std::int64_t i = 0; i < bytes / 8; ++i) words[i] = noise.word(i);
  }

  Places places;
  std::int64_t begin, bytes;
};

class OnHost : public Checks {
 public:
  OnHost(const Layout& source, const Layout& destination)
      : source_(source), destination_(destination), size_(source.size()) {}

  void fill_source(std::byte* buffer, Place, std::uint64_t seed) override { source_.fill(buffer, {seed}); }
  void fill_destination(std::byte* buffer, Place, std::uint64_t seed) override {
    destination_.fill(buffer, {seed});
  }
  std::string wrong(std::byte* buffer, Place, std::uint64_t sent, std::uint64_t before) override {
    auto* const region = reinterpret_cast<std::uint8_t*>(buffer + destination_.begin);
    std::uint64_t wrong = 0;
    for (std::int64_t i = 0; i < size_; ++i) {
      const std::int64_t from = source_.places.view()(i) - source_.begin;
      const std::int64_t to = destination_.places.view()(i) - destination_.begin;
      wrong += region[to] != Noise{sent}.byte(from) ? 1U : 0U;
      region[to] = Noise{before}.byte(to);
    }
    const auto* const words = reinterpret_cast<const std::uint64_t*>(region);
    std::uint64_t changed = 0;  // words: what is between was written, and that is enough to know
    for (std::int64_t i = 0; i < destination_.bytes / 8; ++i)
      changed += words[i] != Noise{before}.word(i) ? 1U : 0U;
    return complaint(wrong, changed);
  }

 private:
  Region source_, destination_;
  std::int64_t size_;
};

}  // namespace

std::unique_ptr<Checks> checks_on_host(const Layout& source, const Layout& destination) {
  return std::make_unique<OnHost>(source, destination);
}

std::string complaint(std::uint64_t wrong, std::uint64_t changed) {
  if (wrong > 0) return "wrong bytes: " + std::to_string(wrong);
  return changed > 0 ? "writes beside the type" : "";
}

}  // namespace typewarp::harness
