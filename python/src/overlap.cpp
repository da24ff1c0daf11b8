// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "overlap.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace typewarp::python {
namespace {

/// Steps of a search, some nanoseconds each, after which it is given up.
constexpr std::int64_t patience = 1 << 20;

/// One block, with distances from the address of the first memory.
struct Box {
  std::int64_t low, high;  ///< from its lowest byte to behind its highest
  const Blocks* part;
  std::int64_t rows;
  const Memory* memory;

  /// Absolute strides, and the last index: of the rows, of the dimensions of a row, and last of a run of
  /// bytes.
  template <typename Visit>
  void each_dimension(Visit&& visit) const {
    if (rows > 1) visit(std::abs(part->stride), rows - 1);
    for (const Dimension& d : part->row) visit(std::abs(d.stride), d.size - 1);
  }
};

void append(std::vector<Box>& boxes, const Memory& memory, std::uintptr_t from) {
  const auto place = static_cast<std::int64_t>(memory.address - from);
  for (const Blocks& part : memory.parts) {
    const auto [low, high] = span_of(part.row, 1);
    for (std::size_t i = 0; i < part.lengths.size(); ++i) {
      const std::int64_t first = place + part.displacements[i], rows = part.lengths[i];
      if (rows == 0) continue;
      const std::int64_t last = first + (rows - 1) * part.stride;
      boxes.push_back({std::min(first, last) + low, std::max(first, last) + high, &part, rows, &memory});
    }
  }
}

/// Whether a number is a sum of multiples of strides, with so much of each at most. A search from the largest
/// stride down, of which each leaves few numbers where arrays are parts of one.
class Sums {
 public:
  explicit Sums(std::int64_t& steps) : steps_(steps) {}

  void add(std::int64_t stride, std::int64_t most) {
    if (stride == 0 || most == 0) return;
    const auto equal = [=](const Term& term) { return term.stride == stride; };
    if (const auto found = std::ranges::find_if(terms_, equal); found != terms_.end()) {
      found->most += most;
    } else {
      terms_.push_back({stride, most, 0, 0});
    }
  }

  bool reach(std::int64_t target) {
    std::ranges::sort(terms_, [](const Term& a, const Term& b) { return a.stride < b.stride; });
    const bool bytes = !terms_.empty() && terms_.front().stride == 1;
    run_ = bytes ? terms_.front().most : 0;
    if (bytes) terms_.erase(terms_.begin());
    std::int64_t sum = run_, divisor = 0;
    for (Term& term : terms_) {
      term.sum = sum += term.stride * term.most;
      term.divisor = divisor = std::gcd(divisor, term.stride);
    }
    return reach(target, terms_.size());
  }

 private:
  struct Term {
    std::int64_t stride, most;
    std::int64_t sum, divisor;  ///< of this one and all smaller ones: the largest sum, and what divides them
  };

  /// By the `n` smallest strides, and a run of bytes.
  bool reach(std::int64_t target, std::size_t n) {
    if (n == 0) return target >= 0 && target <= run_;
    const Term& term = terms_[n - 1];
    if (--steps_ < 0 || target < 0 || target > term.sum || target % term.divisor > run_) return false;
    const std::int64_t rest = n == 1 ? run_ : terms_[n - 2].sum;
    const std::int64_t least = std::max<std::int64_t>(0, (target - rest + term.stride - 1) / term.stride);
    for (std::int64_t k = std::min(term.most, target / term.stride); k >= least && steps_ >= 0; --k) {
      if (reach(target - k * term.stride, n - 1)) return true;
    }
    return false;
  }

  std::vector<Term> terms_;
  std::int64_t run_ = 0;
  std::int64_t& steps_;
};

/// Whether two boxes have a byte in common. Where steps ran out, the answer says nothing.
bool meet(const Box& a, const Box& b, std::int64_t& steps) {
  Sums sums(steps);
  const auto add = [&](std::int64_t stride, std::int64_t last) { sums.add(stride, last); };
  a.each_dimension(add);
  b.each_dimension(add);  // from its highest byte down
  return sums.reach(b.high - 1 - a.low);
}

/// The same for two runs of bytes of one box. False where that takes too long.
bool meets_itself(const Box& box) {
  std::int64_t steps = patience;
  struct Distance {
    std::int64_t stride, last;
  };
  std::vector<Distance> distances;
  box.each_dimension([&](std::int64_t stride, std::int64_t last) { distances.push_back({stride, last}); });
  const Distance run = distances.back();
  distances.pop_back();
  std::ranges::sort(distances, [](const Distance& a, const Distance& b) { return a.stride < b.stride; });
  std::int64_t span = run.last;  // of all smaller strides
  for (std::size_t k = 0; k < distances.size(); ++k) {
    const Distance& own = distances[k];
    if (own.last == 0) continue;
    // Two elements that differ by at least 1 in this dimension, and by anything in those of smaller strides.
    if (own.stride <= span) {
      Sums sums(steps);
      sums.add(own.stride, own.last - 1);
      for (const Distance& d : std::span(distances).first(k)) sums.add(d.stride, 2 * d.last);
      sums.add(1, 2 * run.last);
      if (own.stride == 0 || sums.reach(span - own.stride)) return true;
    }
    span += own.stride * own.last;
  }
  return false;
}

/// Whether two boxes meet of which `pair` says that it matters.
template <typename Pair>
std::optional<bool> any_meet(std::vector<Box>& boxes, Pair&& pair) {
  std::int64_t steps = patience + std::ssize(boxes);
  std::ranges::sort(boxes, [](const Box& a, const Box& b) { return a.low < b.low; });
  std::vector<const Box*> open;  // which begin before the next one, and may end behind its beginning
  for (const Box& box : boxes) {
    std::erase_if(open, [&](const Box* other) { return other->high <= box.low; });
    for (const Box* other : open) {
      if (pair(*other, box) && meet(*other, box, steps)) return true;
      if (--steps < 0) return std::nullopt;
    }
    open.push_back(&box);
  }
  return false;
}

}  // namespace

std::optional<bool> overlap(const std::vector<Memory>& memories) {
  std::vector<Box> boxes;
  for (const Memory& memory : memories) append(boxes, memory, memories.front().address);
  return any_meet(boxes, [](const Box& a, const Box& b) { return a.memory != b.memory; });
}

std::optional<bool> overlaps_itself(const Memory& memory) {
  std::vector<Box> boxes;
  append(boxes, memory, memory.address);
  // Blocks of one part differ in the number of their rows alone.
  for (const Blocks& part : memory.parts) {
    const Box* longest = nullptr;
    for (const Box& box : boxes) {
      if (box.part == &part && (longest == nullptr || box.rows > longest->rows)) longest = &box;
    }
    if (longest != nullptr && meets_itself(*longest)) return true;
  }
  return any_meet(boxes, [](const Box&, const Box&) { return true; });
}

}  // namespace typewarp::python
