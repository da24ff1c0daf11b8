// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/wire.hpp"

#include "layout/node.hpp"
#include "plan/state.hpp"
#include "plan/wire_format.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace typewarp::plan {
namespace {

struct KnownName final : Attachment {
  std::optional<WireName> name;
};

/// Nodes from the root to the run that most nodes enclose.
std::int64_t depth(const Encoding& encoding) {
  std::vector<std::int64_t> heights;  // of the nodes that wait for their parent, which preorder puts before
  for (std::size_t i = encoding.nodes.size(); i-- > 0;) {
    const EncodedNode& node = encoding.nodes[i];
    const auto children = static_cast<std::ptrdiff_t>(
        node.kind == Kind::sequence ? node.count : std::int64_t{node.kind != Kind::run});
    const auto first = heights.end() - children;
    const std::int64_t height = children == 0 ? 0 : *std::max_element(first, heights.end());
    heights.erase(first, heights.end());
    heights.push_back(height + 1);
  }
  return heights.front();
}

WireNode wire_node(const EncodedNode& node) {
  const bool run = node.kind == Kind::run;
  return {node.kind, node.width, run ? node.size : node.count, node.stride};
}

std::int64_t wire_bytes(const Encoding& encoding) {
  std::int64_t bytes = sizeof(WireHeader);
  for (const EncodedNode& node : encoding.nodes) {
    const WireNode flat = wire_node(node);
    bytes += std::int64_t{sizeof(flat)} + padded(displacement_bytes(flat)) + padded(prefix_bytes(flat));
  }
  return bytes;
}

class Writer {
 public:
  explicit Writer(std::int64_t bytes) { bytes_.reserve(static_cast<std::size_t>(bytes)); }

  template <typename T>
  void put(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    append(reinterpret_cast<const std::byte*>(&value), sizeof(value));
  }

  void put_list(const std::byte* list, std::int64_t bytes) {
    append(list, static_cast<std::size_t>(bytes));
    bytes_.resize(bytes_.size() + static_cast<std::size_t>(padded(bytes) - bytes));
  }

  std::vector<std::byte> take() && { return std::move(bytes_); }
  std::span<std::byte> bytes() noexcept { return bytes_; }

 private:
  void append(const std::byte* from, std::size_t bytes) { bytes_.insert(bytes_.end(), from, from + bytes); }

  std::vector<std::byte> bytes_;
};

[[noreturn]] void refuse(std::size_t place, std::string_view rule) {
  throw InvalidArgument("typewarp::plan::from_wire", "wire", "bytes wrong at " + std::to_string(place), rule);
}

/// Rebuilds the layout node by node, checking what the makers of nodes take for granted.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> wire) : wire_(wire) {}

  template <typename T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }

  layout::NodePtr node(std::int64_t depth) {
    if (depth > deepest_wire) refuse("is nested too deeply");
    const auto node = get<WireNode>();
    if (node.kind < Kind::run || node.kind > Kind::sequence) refuse("is of no kind of node");
    if (node.kind == Kind::run) return run(node, depth);
    if (node.count < 2) refuse("must have two parts or more");
    if (node.kind == Kind::repeat) return repeat(node, depth);
    if (node.width != 4 && node.width != 8) refuse("must have entries of 4 or 8 bytes");
    if (node.count > std::ssize(wire_)) refuse("has more entries than bytes");
    return node.kind == Kind::sequence ? sequence(node, depth) : blocks(node, depth);
  }

  /// Throws unless all was read, and byte offset + node's bounds is a distance in memory.
  void finish(std::int64_t offset, const layout::Node& root) {
    if (at_ != wire_.size()) refuse("goes on after its end");
    sum(offset, root.true_lb);
    sum(offset, root.true_ub);
  }

 private:
  [[noreturn]] void refuse(std::string_view rule) const { plan::refuse(at_, rule); }

  std::int64_t sum(std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) refuse("spans more than 64 bits of bytes");
    return result;
  }

  std::int64_t product(std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) refuse("spans more than 64 bits of bytes");
    return result;
  }

  const std::byte* take(std::size_t bytes) {
    if (bytes > wire_.size() - at_) refuse("is too short");
    const std::byte* const begin = wire_.data() + at_;
    at_ += bytes;
    return begin;
  }

  std::vector<std::int64_t> list(std::int64_t entries, std::int32_t width) {
    const std::byte* const begin = take(static_cast<std::size_t>(padded(entries * width)));
    std::vector<std::int64_t> values(static_cast<std::size_t>(entries));
    if (width == 8) {
      std::memcpy(values.data(), begin, values.size() * sizeof(std::int64_t));
      return values;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::int32_t value = 0;
      std::memcpy(&value, begin + i * sizeof(value), sizeof(value));
      values[i] = value;
    }
    return values;
  }

  std::vector<std::int64_t> displacements(const WireNode& node) {
    std::vector<std::int64_t> list = this->list(node.count, node.width);
    if (list.front() != 0) refuse("must begin at its first part");
    return list;
  }

  layout::NodePtr run(const WireNode& node, std::int64_t depth) const {
    // A layout of nothing is a root, never a part.
    if (node.count < (depth == 1 ? 0 : 1)) refuse("has a run of too few bytes");
    return layout::run(node.count);
  }

  layout::NodePtr repeat(const WireNode& node, std::int64_t depth) {
    layout::NodePtr child = this->node(depth + 1);
    product(node.count, child->size);
    const std::int64_t last = product(node.count - 1, node.stride);
    sum(last, child->true_lb);
    sum(last, child->true_ub);
    return layout::repeat(node.count, node.stride, std::move(child));
  }

  layout::NodePtr blocks(const WireNode& node, std::int64_t depth) {
    layout::Blocks blocks{displacements(node), {}, node.stride, nullptr};
    if (node.kind == Kind::varying) blocks.counts = list(node.count + 1, node.width);
    blocks.child = this->node(depth + 1);
    const layout::Node& child = *blocks.child;
    if (node.kind == Kind::varying) {
      turn_into_counts(blocks.counts, child.size);
    } else {
      product(node.count, child.size);
    }
    for (std::size_t i = 0; i < blocks.displacements.size(); ++i) {
      const std::int64_t first = blocks.displacements[i];
      const std::int64_t further = blocks.counts.empty() ? 0 : blocks.counts[i] - 1;
      for (const std::int64_t place : {first, sum(first, product(further, node.stride))}) {
        sum(place, child.true_lb);
        sum(place, child.true_ub);
      }
    }
    return layout::blocks(std::move(blocks));
  }

  /// From the bytes before each block, and after the last, to the children of each.
  void turn_into_counts(std::vector<std::int64_t>& prefix, std::int64_t child_size) const {
    if (prefix.front() != 0) refuse("must begin at packed byte 0");
    for (std::size_t i = 0; i + 1 < prefix.size(); ++i) {
      if (prefix[i] >= prefix[i + 1]) refuse("must have blocks of more than 0 bytes");
      const std::int64_t bytes = prefix[i + 1] - prefix[i];
      if (bytes % child_size != 0) refuse("must have blocks of whole children");
      prefix[i] = bytes / child_size;
    }
    prefix.pop_back();
  }

  layout::NodePtr sequence(const WireNode& node, std::int64_t depth) {
    layout::Sequence sequence{displacements(node), {}};
    sequence.members.reserve(sequence.displacements.size());
    std::int64_t size = 0;
    for (const std::int64_t displacement : sequence.displacements) {
      const layout::NodePtr& member = sequence.members.emplace_back(this->node(depth + 1));
      size = sum(size, member->size);
      sum(displacement, member->true_lb);
      sum(displacement, member->true_ub);
    }
    return layout::sequence(std::move(sequence));
  }

  std::span<const std::byte> wire_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<std::byte>> to_wire(const Plan& plan, std::int64_t longest) {
  const State& state = plan::state_of(plan);
  if (state.encoding.shared) return std::nullopt;
  const std::int64_t bytes = wire_bytes(state.encoding);
  if (bytes > longest || depth(state.encoding) > deepest_wire) return std::nullopt;
  Writer writer(bytes);
  WireHeader header{wire_version, {}, state.extent, state.layout.offset};
  writer.put(header);
  const std::byte* const lookaside = state.encoding.lookaside.data();
  for (const EncodedNode& node : state.encoding.nodes) {
    const WireNode flat = wire_node(node);
    writer.put(flat);
    writer.put_list(lookaside + node.displacements, displacement_bytes(flat));
    writer.put_list(lookaside + node.prefix, prefix_bytes(flat));
  }
  header.identity = identity_of(writer.bytes().subspan(identified_from));
  std::memcpy(writer.bytes().data(), &header, sizeof(header));
  return std::move(writer).take();
}

const WireName* wire_name(const Plan& plan) {
  const auto& known = attached<KnownName>(plan::state_of(plan), wire_slot, [&plan] {
    auto made = std::make_unique<KnownName>();
    auto wire = to_wire(plan, std::numeric_limits<std::int64_t>::max());
    if (!wire) return made;
    WireName& name = made->name.emplace(WireName{{}, std::ssize(*wire), {}});
    std::memcpy(&name.identity, wire->data() + identity_at, sizeof(Identity));
    if (name.bytes <= longest_short_wire) name.short_wire = *std::move(wire);
    return made;
  });
  return known.name ? &*known.name : nullptr;
}

std::optional<Identity> identity(const Plan& plan) {
  const WireName* const name = wire_name(plan);
  return name != nullptr ? std::optional(name->identity) : std::nullopt;
}

Plan from_wire(std::span<const std::byte> wire) {
  WireReader reader(wire);
  const auto header = reader.get<WireHeader>();
  if (header.version != wire_version) refuse(0, "is of another version, or no plan");
  if (header.identity != identity_of(wire.subspan(identified_from))) {
    refuse(identity_at, "is not what it says it is");
  }
  layout::NodePtr root = reader.node(1);
  reader.finish(header.offset, *root);
  const Plan plan =
      Internal::make(std::make_shared<const State>(Layout(header.offset, std::move(root)), header.extent));
  // What is left to check is that nothing is spelled in another way than the writer's.
  const auto again = to_wire(plan, std::ssize(wire));
  if (!again || !std::ranges::equal(*again, wire))
    refuse(sizeof(WireHeader), "is not spelled as to_wire() does");
  return plan;
}

}  // namespace typewarp::plan
