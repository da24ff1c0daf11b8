// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/layout.hpp>

#include "layout/sequence.hpp"

#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

namespace typewarp {
namespace {

using namespace layout;

constexpr std::size_t printed_entries = 8;
constexpr std::streamoff printed_bytes = std::streamoff{64} << 10;

void print_list(std::ostream& out, const char* name, const std::vector<std::int64_t>& list) {
  out << ' ' << name << " {";
  for (std::size_t i = 0; i < list.size() && i < printed_entries; ++i) out << (i > 0 ? ", " : "") << list[i];
  if (list.size() > printed_entries) out << ", ...";
  out << '}';
}

void print(std::ostream& out, const Node& node);

void print_shape(std::ostream& out, const Run& run) { out << "run " << run.bytes; }

void print_shape(std::ostream& out, const Repeat& repeat) {
  out << "repeat " << repeat.count << " x stride " << repeat.stride << " of ";
  print(out, *repeat.child);
}

void print_shape(std::ostream& out, const Blocks& blocks) {
  out << "blocks " << blocks.displacements.size();
  print_list(out, "at", blocks.displacements);
  if (!blocks.counts.empty()) {
    print_list(out, "counts", blocks.counts);
    out << " x stride " << blocks.stride;
  }
  out << " of ";
  print(out, *blocks.child);
}

void print_shape(std::ostream& out, const Sequence& sequence) {
  out << "sequence " << sequence.members.size() << " (";
  for (std::size_t i = 0; i < sequence.members.size() && i < printed_entries; ++i) {
    out << (i > 0 ? "; " : "") << "at " << sequence.displacements[i] << ": ";
    print(out, *sequence.members[i]);
  }
  out << (sequence.members.size() > printed_entries ? "; ...)" : ")");
}

// Of what uses its parts again and again, the beginning.
void print(std::ostream& out, const Node& node) {
  if (out.tellp() > printed_bytes) {
    out << "...";
    return;
  }
  std::visit([&out](const auto& shape) { print_shape(out, shape); }, node.shape);
}

// Each node once, wherever it is used.
class Rebuilder {
 public:
  Layout rebuild(const NodePtr& node) {
    if (const auto known = rebuilt_.find(node.get()); known != rebuilt_.end()) return known->second;
    Layout made = std::visit([this](const auto& shape) { return of(shape); }, node->shape);
    return rebuilt_.emplace(node.get(), std::move(made)).first->second;
  }

 private:
  Layout of(const Run& run) { return {0, layout::run(run.bytes)}; }

  Layout of(const Repeat& repeat) { return make_repeat(rebuild(repeat.child), repeat.count, repeat.stride); }

  Layout of(const Blocks& blocks) {
    const Layout child = rebuild(blocks.child);
    return make_blocks({blocks.displacements, blocks.counts, 1, blocks.stride, child.root}, child.offset);
  }

  Layout of(const Sequence& sequence) {
    std::vector<Layout> parts;
    for (std::size_t i = 0; i < sequence.members.size(); ++i) {
      Layout part = rebuild(sequence.members[i]);
      part.offset += sequence.displacements[i];
      parts.push_back(std::move(part));
    }
    return make_sequence(std::move(parts), longest_written(0));
  }

  std::unordered_map<const Node*, Layout> rebuilt_;
};

}  // namespace

Layout::Layout() : root(layout::run(0)) {}

Layout::Layout(std::int64_t first, layout::NodePtr node) : offset(first), root(std::move(node)) {
  if (root == nullptr) throw InvalidArgument("typewarp::Layout", "node", "null", "must not be null");
}

std::int64_t Layout::size() const { return root->size; }

std::string Layout::to_string() const {
  std::ostringstream out;
  if (offset != 0) out << "at " << offset << ": ";
  print(out, *root);
  return out.str();
}

bool operator==(const Layout& a, const Layout& b) { return a.offset == b.offset && same(a.root, b.root); }

Layout normalise(const Layout& layout) {
  Layout result = Rebuilder().rebuild(layout.root);
  if (result.root->size > 0) result.offset += layout.offset;
  return result;
}

Layout repeat(const Layout& layout, std::int64_t count, std::int64_t extent) {
  layout::check_repeat("typewarp::repeat", layout, count, extent);
  return make_repeat(layout, count, extent);
}

}  // namespace typewarp
