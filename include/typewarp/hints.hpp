// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// What a program wants of the way its data moves, beside that it arrives (docs/guide/hints.md). A hint never
/// changes which bytes are moved, nor makes a call fail: what cannot be honoured is done as without it, and
/// explain() says so.
namespace typewarp {

/// A way to move bytes with a GPU, in the order in which the engine considers them.
enum class Method : std::uint8_t {
  automatic,     ///< what the engine chooses
  dma,           ///< "DMA": contiguous bytes by a copy engine
  dma_rows,      ///< "DMA rows": equal rows one stride apart by a copy engine
  copy_engines,  ///< "copy engines": lists of rows, boxes or runs; within a device by kernels of the driver
  bounded,       ///< "bounded": by at most so many thread blocks, which loop over all words
  transposed,    ///< "transposed": tiles through shared memory
  long_runs,     ///< "long runs": aligned words of the destination
  pattern,       ///< "pattern": whole items through shared memory
  pieces,        ///< "pieces": many small words a thread
  staged,        ///< "staged": small words gathered in shared memory
  deep_words,    ///< "deep words": several words in flight a thread
  words,         ///< "words": one word a thread
  layouts,       ///< "layout copy": from layout to layout, word by word
  generic,       ///< "generic": walks the layout node by node, for comparison
};

/// What explain prints, and what Hints::set() reads: "DMA rows".
std::string_view name(Method) noexcept;

/// What a move takes from others while it runs. Values may be joined by |.
enum class Resource : std::uint8_t {
  none = 0,
  multiprocessors = 1,  ///< those of the device, which kernels run on
  copy_engines = 2,     ///< the device's units for DMA
};

/// What either holds.
constexpr Resource operator|(Resource a, Resource b) noexcept {
  return static_cast<Resource>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
/// Whether `set` holds `resource`.
constexpr bool holds(Resource set, Resource resource) noexcept {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(resource)) != 0;
}

/// Whose kernels the device begins with where those of several streams wait.
enum class Priority : std::uint8_t {
  automatic,  ///< the caller's stream as it is; streams of the library's own are high
  low,
  normal,
  high,
};

/// As the enumerator is spelled.
std::string_view name(Priority) noexcept;

/// A value of 8 bytes. What is left at its default says nothing.
struct Hints {
  Resource avoid = Resource::none;
  Priority priority = Priority::automatic;
  Method method = Method::automatic;
  std::int32_t max_blocks = 0;  ///< thread blocks of the library at a time; 0: any number

  /// Whether nothing is said.
  bool empty() const noexcept { return *this == Hints(); }

  /// Reads one hint, as info keys, attributes and options spell it: "avoid" (names of Resource, with commas
  /// between them, or "none"), "priority" (a name of Priority), "max_blocks" (a number from 0 to 2^31 - 1),
  /// "method" (a name of Method, in letters of either case, where '_' may stand for a blank). The key may
  /// begin with `prefix`. Throws InvalidArgument for an unknown key, or a value that the key does not take;
  /// the text begins with `call` and lists what it takes, and the hints are as before.
  void set(std::string_view key, std::string_view value, std::string_view call = "typewarp::Hints::set");

  /// With commas between: "avoid=multiprocessors, max_blocks=8"; "none" where nothing is said.
  std::string to_string() const;

  /// "typewarp_": what info keys and attributes of other libraries do not begin with.
  static constexpr std::string_view prefix = "typewarp_";
  /// All keys, with the prefix.
  static std::span<const std::string_view> keys() noexcept;
  /// What the variables TYPEWARP_AVOID, TYPEWARP_PRIORITY, TYPEWARP_MAX_BLOCKS and TYPEWARP_METHOD say. They
  /// are read once in a process. Throws InvalidArgument, each time, for a value that set() refuses.
  static const Hints& of_environment();

  friend bool operator==(const Hints&, const Hints&) = default;
};

/// What `inner` says, and `outer` where `inner` says nothing: the hints of a communicator, say, and those of
/// a datatype.
Hints merged(const Hints& outer, const Hints& inner) noexcept;

/// What both sides of one move want: all that either avoids, the fewer blocks, the higher priority; and the
/// method of the source, or else the destination's.
Hints joined(const Hints& source, const Hints& destination) noexcept;

}  // namespace typewarp
