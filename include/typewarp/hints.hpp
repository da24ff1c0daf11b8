// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// How a program wants its data to be moved (docs/guide/hints.md). A hint never changes which bytes are
/// moved, and never makes a call fail: a hint that cannot be honoured is ignored, and
/// explain() says so.
namespace typewarp {

/// A way to move bytes with a GPU, in the order in which the engine considers them.
enum class Method : std::uint8_t {
  automatic,   ///< what the engine chooses
  dma,         ///< "DMA": contiguous bytes by a copy engine
  dma_rows,    ///< "DMA rows": equal rows one stride apart by a copy engine
  bounded,     ///< "bounded": a limited number of thread blocks, which loop over all words
  transposed,  ///< "transposed": tiles through shared memory
  long_runs,   ///< "long runs": aligned words of the destination
  pattern,     ///< "pattern": whole items through shared memory
  pieces,      ///< "pieces": many small words per thread
  deep_words,  ///< "deep words": several words in flight per thread
  words,       ///< "words": one word per thread
  layouts,     ///< "layout copy": from layout to layout, word by word
  generic,     ///< "generic": walks the layout node by node, for comparison
};

/// As explain prints it and Hints::set() reads it: "DMA rows".
std::string_view name(Method) noexcept;

/// What a move uses while it runs, so that other work lacks it. Values may be joined by |.
enum class Resource : std::uint8_t {
  none = 0,
  multiprocessors = 1,  ///< those of the device, on which kernels run
  copy_engines = 2,     ///< the device's units for DMA
};

/// The union of both.
constexpr Resource operator|(Resource a, Resource b) noexcept {
  return static_cast<Resource>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
/// Whether `set` contains `resource`.
constexpr bool holds(Resource set, Resource resource) noexcept {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(resource)) != 0;
}

/// Which thread blocks a device starts first if kernels of several streams wait.
enum class Priority : std::uint8_t {
  automatic,  ///< that of the caller's stream; the library's own streams have a high one
  low,
  normal,
  high,
};

/// As the enumerator is spelled.
std::string_view name(Priority) noexcept;

/// A value of 8 bytes. A member with its default value gives no hint.
struct Hints {
  Resource avoid = Resource::none;
  Priority priority = Priority::automatic;
  Method method = Method::automatic;
  std::int32_t max_blocks = 0;  ///< thread blocks of the library at a time; 0: no limit

  /// Whether it holds no hint.
  bool empty() const noexcept { return *this == Hints(); }

  /// Reads one hint, as in info keys and options: "avoid" (names of Resource, with commas
  /// between them, or "none"), "priority" (a name of Priority), "max_blocks" (a number from 0 to 2^31 - 1),
  /// "method" (a name of Method, in upper or lower case, with '_' allowed for a space). The key may
  /// begin with `prefix`. Throws InvalidArgument for an unknown key, or a value that the key does not accept;
  /// the text begins with `call` and lists what is accepted. The hints are then unchanged.
  void set(std::string_view key, std::string_view value, std::string_view call = "typewarp::Hints::set");

  /// With commas between them: "avoid=multiprocessors, max_blocks=8"; "none" if there are none.
  std::string to_string() const;

  /// "typewarp_": info keys of other libraries do not begin with it.
  static constexpr std::string_view prefix = "typewarp_";
  /// All keys, with the prefix.
  static std::span<const std::string_view> keys() noexcept;
  /// The hints of TYPEWARP_AVOID, TYPEWARP_PRIORITY, TYPEWARP_MAX_BLOCKS and TYPEWARP_METHOD, which are read
  /// once per process. Throws InvalidArgument, each time, for a value that set() refuses.
  static const Hints& of_environment();

  friend bool operator==(const Hints&, const Hints&) = default;
};

/// The hints of `inner`, and those of `outer` that `inner` does not give: for instance those of a plan and of
/// the environment.
Hints merged(const Hints& outer, const Hints& inner) noexcept;

/// The hints of both sides of a move: everything that either avoids, the smaller number of blocks, the higher
/// priority; and the source's method, or else the destination's.
Hints joined(const Hints& source, const Hints& destination) noexcept;

}  // namespace typewarp
