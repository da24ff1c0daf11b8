// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/slice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace hacc {
namespace {

using Point = std::array<float, 3>;

/// The particles of a block by boxes of about one particle each.
class Boxes {
 public:
  explicit Boxes(const Block& block)
      : block_(block),
        sites_(block.array<float>(Array::sites)),
        side_(std::max<std::int64_t>(1, std::llround(std::cbrt(sites_.size() / 3)))),
        held_(static_cast<std::size_t>(side_ * side_ * side_)) {
    for (std::int32_t i = 0; i < block.header().num_orig_particles; ++i) {
      held_[index({along(0, site(i)[0]), along(1, site(i)[1]), along(2, site(i)[2])})].push_back(i);
    }
  }

  /// The particle that is nearest to `point`; -1 if there is none.
  std::int32_t nearest(const Point& point) const {
    std::int32_t found = -1;
    float best = std::numeric_limits<float>::max();
    // What is found within a ring of boxes may be farther away than the next ring.
    for (std::int64_t reach = 0; reach <= side_; ++reach) {
      const float width = 1 / static_cast<float>(side_);
      if (found >= 0 && std::sqrt(best) < static_cast<float>(reach - 1) * width) break;
      visit_ring(point, reach, [&](std::int32_t i) {
        const float away = squared_distance(point, i);
        if (away < best) {
          best = away;
          found = i;
        }
      });
    }
    return found;
  }

 private:
  using Box = std::array<std::int64_t, 3>;

  Point site(std::int32_t i) const {
    const auto at = 3 * static_cast<std::size_t>(i);
    return {sites_[at], sites_[at + 1], sites_[at + 2]};
  }
  float squared_distance(const Point& point, std::int32_t i) const {
    const Point other = site(i);
    float sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum += (point[axis] - other[axis]) * (point[axis] - other[axis]);
    }
    return sum;
  }
  std::int64_t along(std::size_t axis, float x) const {
    const float part = x - block_.header().mins[axis];
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(part * static_cast<float>(side_)), 0,
                                    side_ - 1);
  }
  std::size_t index(const Box& box) const {
    return static_cast<std::size_t>((box[0] * side_ + box[1]) * side_ + box[2]);
  }
  template <typename Visit>
  void visit_ring(const Point& point, std::int64_t reach, Visit visit) const {
    const Box middle{along(0, point[0]), along(1, point[1]), along(2, point[2])};
    const auto first = [&](std::size_t axis) { return std::max<std::int64_t>(middle[axis] - reach, 0); };
    const auto last = [&](std::size_t axis) { return std::min(middle[axis] + reach, side_ - 1); };
    for (std::int64_t x = first(0); x <= last(0); ++x) {
      for (std::int64_t y = first(1); y <= last(1); ++y) {
        for (std::int64_t z = first(2); z <= last(2); ++z) {
          const std::int64_t away =
              std::max({std::abs(x - middle[0]), std::abs(y - middle[1]), std::abs(z - middle[2])});
          if (away == reach) {
            std::ranges::for_each(held_[index({x, y, z})], visit);
          }
        }
      }
    }
  }

  const Block& block_;
  std::span<const float> sites_;
  std::int64_t side_;
  std::vector<std::vector<std::int32_t>> held_;
};

float value_at(const Block& block, const Boxes& boxes, const Point& point) {
  const std::int32_t cell = boxes.nearest(point);
  if (cell < 0 || cell >= block.header().num_complete_cells) return 0;
  return 2 * block.array<float>(Array::vols)[static_cast<std::size_t>(cell)] - 1;
}

}  // namespace

std::vector<float> slice(std::span<const Block> blocks, const Grid& grid, apps::Shape shape) {
  std::vector<Boxes> boxes;
  for (const Block& block : blocks) {
    boxes.emplace_back(block);
  }
  std::vector<float> field;
  field.reserve(static_cast<std::size_t>(shape.points()));
  const auto place = [](std::int64_t i, std::int64_t points, std::int64_t sides) {
    return (static_cast<float>(i) + 0.5f) * static_cast<float>(sides) / static_cast<float>(points);
  };
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t column = 0; column < shape.columns; ++column) {
      const Point point{place(row, shape.rows, grid[0]), place(column, shape.columns, grid[1]), 0.5f};
      const auto in_block = [&](std::size_t axis) {
        return std::min(static_cast<std::int64_t>(point[axis]), grid[axis] - 1);
      };
      const auto index = static_cast<std::size_t>((in_block(0) * grid[1] + in_block(1)) * grid[2]);
      field.push_back(value_at(blocks[index], boxes[index], point));
    }
  }
  return field;
}

}  // namespace hacc
