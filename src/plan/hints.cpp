// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.hpp"

#include <typewarp/error.hpp>
#include <typewarp/hints.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace typewarp {
namespace {

constexpr std::array<std::string_view, 12> method_names{"automatic",  "DMA",       "DMA rows",    "bounded",
                                                        "transposed", "long runs", "pattern",     "pieces",
                                                        "deep words", "words",     "layout copy", "generic"};
static_assert(method_names.size() == static_cast<std::size_t>(Method::generic) + 1);
constexpr std::array<std::string_view, 4> priority_names{"automatic", "low", "normal", "high"};
/// In the order of their bits.
constexpr std::array<std::string_view, 2> resource_names{"multiprocessors", "copy_engines"};

constexpr std::array<std::string_view, 4> all_keys{"typewarp_avoid", "typewarp_priority",
                                                   "typewarp_max_blocks", "typewarp_method"};
constexpr std::array<const char*, 4> variables{"TYPEWARP_AVOID", "TYPEWARP_PRIORITY", "TYPEWARP_MAX_BLOCKS",
                                               "TYPEWARP_METHOD"};

template <typename Names>
std::string listed(const Names& names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

/// Small letters, and blanks for '_'.
std::string plain(std::string_view name) {
  std::string text(name);
  for (char& letter : text) {
    if (letter == '_') letter = ' ';
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

template <typename Names>
std::optional<std::size_t> find(const Names& names, std::string_view wanted) {
  const auto found = std::ranges::find(names, plain(wanted), plain);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

/// How the caller says a key.
struct HintKey {
  std::string_view call, key;
};

[[noreturn]] void refuse(const HintKey& said, std::string_view value, std::string_view rule) {
  throw InvalidArgument(said.call, said.key, value.empty() ? "(empty)" : value, rule);
}

template <typename Enum, typename Names>
Enum one_of(const Names& names, const HintKey& key, std::string_view value) {
  const std::optional<std::size_t> found = find(names, value);
  if (!found) refuse(key, value, "must be one of " + listed(names));
  return static_cast<Enum>(*found);
}

Resource resources(const HintKey& key, std::string_view value) {
  if (value == "none") return Resource::none;
  Resource all = Resource::none;
  for (std::string_view rest = value;;) {
    const std::size_t comma = rest.find(',');
    std::string_view one = rest.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    const std::optional<std::size_t> found = find(resource_names, one);
    if (!found)
      refuse(key, value, "must be none, or of " + listed(resource_names) + ", with commas between them");
    all = all | static_cast<Resource>(1u << *found);
    if (comma == std::string_view::npos) return all;
    rest.remove_prefix(comma + 1);
  }
}

std::int32_t blocks(const HintKey& key, std::string_view value) {
  std::int32_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stopped, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stopped != end || number < 0) {
    refuse(key, value,
           "must be a number of thread blocks from 0 (any number) to " +
               std::to_string(std::numeric_limits<std::int32_t>::max()));
  }
  return number;
}

void read(Hints& hints, std::size_t key, const HintKey& said, std::string_view value) {
  switch (key) {
    case 0:
      hints.avoid = resources(said, value);
      return;
    case 1:
      hints.priority = one_of<Priority>(priority_names, said, value);
      return;
    case 2:
      hints.max_blocks = blocks(said, value);
      return;
    default:
      hints.method = one_of<Method>(method_names, said, value);
  }
}

}  // namespace

std::string_view name(Method method) noexcept { return method_names[static_cast<std::size_t>(method)]; }
std::string_view name(Priority priority) noexcept {
  return priority_names[static_cast<std::size_t>(priority)];
}

void Hints::set(std::string_view key, std::string_view value, std::string_view call) {
  const auto found = std::ranges::find_if(
      all_keys, [&](std::string_view one) { return key == one || key == one.substr(prefix.size()); });
  if (found == all_keys.end()) {
    throw InvalidArgument(call, "key", key.empty() ? "(empty)" : key,
                          "must be one of " + listed(all_keys) + ", with or without " + std::string(prefix));
  }
  read(*this, static_cast<std::size_t>(found - all_keys.begin()), {call, key}, value);
}

std::string Hints::to_string() const {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value) {
    text.append(text.empty() ? "" : ", ").append(key).append("=").append(value);
  };
  std::string avoided;
  for (std::size_t bit = 0; bit < resource_names.size(); ++bit) {
    if (holds(avoid, static_cast<Resource>(1u << bit)))
      avoided.append(avoided.empty() ? "" : ",").append(resource_names[bit]);
  }
  if (!avoided.empty()) add("avoid", avoided);
  if (priority != Priority::automatic) add("priority", name(priority));
  if (max_blocks != 0) add("max_blocks", std::to_string(max_blocks));
  if (method != Method::automatic) add("method", name(method));
  return text.empty() ? "none" : text;
}

std::span<const std::string_view> Hints::keys() noexcept { return all_keys; }

const Hints& Hints::of_environment() {
  static const Hints read_once = [] {
    Hints hints;
    for (std::size_t key = 0; key < variables.size(); ++key) {
      const std::string_view value = environment::text(variables[key]);
      if (!value.empty()) read(hints, key, {"typewarp::Hints::of_environment", variables[key]}, value);
    }
    return hints;
  }();
  return read_once;
}

Hints merged(const Hints& outer, const Hints& inner) noexcept {
  return {inner.avoid != Resource::none ? inner.avoid : outer.avoid,
          inner.priority != Priority::automatic ? inner.priority : outer.priority,
          inner.method != Method::automatic ? inner.method : outer.method,
          inner.max_blocks != 0 ? inner.max_blocks : outer.max_blocks};
}

Hints joined(const Hints& source, const Hints& destination) noexcept {
  const std::int32_t fewer = std::min(source.max_blocks, destination.max_blocks);
  return {source.avoid | destination.avoid, std::max(source.priority, destination.priority),
          source.method != Method::automatic ? source.method : destination.method,
          fewer != 0 ? fewer : std::max(source.max_blocks, destination.max_blocks)};
}

}  // namespace typewarp
