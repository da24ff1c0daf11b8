// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/generate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace hacc {
namespace {

/// Milliseconds, 003, table 4, "CPU Ref.".
constexpr std::array<double, 8> packing_times{0.96, 0.40, 1.68, 1.53, 0.92, 0.26, 0.83, 0.55};

/// Random numbers that are the same with every standard library, whose distributions differ.
class Draw {
 public:
  Draw(std::uint64_t seed, std::int64_t index)
      : engine_(seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(index)) {}

  /// From 0 up to 1.
  float unit() { return static_cast<float>(engine_() >> 40) * 0x1p-24f; }
  std::int32_t below(std::int32_t end) {
    return static_cast<std::int32_t>((engine_() >> 32) * static_cast<std::uint64_t>(end) >> 32);
  }
  /// 4 to 27, 15.5 on average.
  std::int32_t faces() {
    constexpr std::uint64_t coins = (1u << 23) - 1;
    return 4 + std::popcount(engine_() & coins);
  }

 private:
  std::mt19937_64 engine_;
};

using Site = std::array<float, 3>;

/// Those of complete cells first, in units of the block.
std::vector<Site> draw_sites(Draw& draw, std::int64_t particles, std::int32_t& complete) {
  std::vector<Site> sites(static_cast<std::size_t>(particles));
  for (Site& site : sites) {
    std::ranges::generate(site, [&] { return draw.unit(); });
  }
  const float margin = 1 / std::cbrt(static_cast<float>(std::max<std::int64_t>(particles, 1)));
  const auto inside = [margin](const Site& site) {
    return std::ranges::all_of(site, [margin](float x) { return x >= margin && x < 1 - margin; });
  };
  const auto rest = std::stable_partition(sites.begin(), sites.end(), inside);
  complete = static_cast<std::int32_t>(rest - sites.begin());
  return sites;
}

/// A simple polyhedron of F faces has 2F - 4 vertices, each in three faces.
std::int32_t vertices_of(std::int32_t faces) { return 2 * faces - 4; }

Header make_header(const Grid& place, std::int64_t particles, std::int32_t complete,
                   const std::vector<std::int32_t>& faces) {
  Header header{};
  header.num_orig_particles = header.num_cells = static_cast<std::int32_t>(particles);
  header.num_complete_cells = complete;
  for (const std::int32_t count : faces) {
    header.num_cell_faces += count;
    header.num_cell_verts += vertices_of(count);
    header.num_face_verts += 3 * vertices_of(count);
  }
  header.num_verts = (header.num_cell_verts + 3) / 4;  // each in four cells
  for (std::size_t i = 0; i < place.size(); ++i) {
    header.mins[i] = static_cast<float>(place[i]);
    header.maxs[i] = header.mins[i] + 1;
  }
  return header;
}

/// The faces of a cell have three vertices each, and the rest is dealt.
void deal_face_vertices(Draw& draw, std::span<std::int32_t> faces) {
  std::ranges::fill(faces, 3);
  const auto count = static_cast<std::int32_t>(faces.size());
  for (std::int32_t left = 3 * vertices_of(count) - 3 * count; left > 0; --left) {
    ++faces[static_cast<std::size_t>(draw.below(count))];
  }
}

}  // namespace

Grid position(const Grid& grid, std::int64_t index) {
  return {index / (grid[1] * grid[2]), index / grid[2] % grid[1], index % grid[2]};
}

std::int64_t particles_of(std::int64_t mean, std::int64_t index) {
  const double all = std::accumulate(packing_times.begin(), packing_times.end(), 0.0);
  const double share = packing_times[static_cast<std::size_t>(index) % packing_times.size()] / all;
  return std::llround(static_cast<double>(mean) * packing_times.size() * share);
}

Block generate(std::uint64_t seed, std::int64_t mean, const Grid& grid, std::int64_t index) {
  Draw draw(seed, index);
  std::int32_t complete = 0;
  const std::vector<Site> sites = draw_sites(draw, particles_of(mean, index), complete);
  std::vector<std::int32_t> faces(static_cast<std::size_t>(complete));
  std::ranges::generate(faces, [&] { return draw.faces(); });

  Block block(typewarp::MemoryKind::host,
              make_header(position(grid, index), std::ssize(sites), complete, faces));
  const Header& header = block.header();
  std::memcpy(block.members()[0].data, &header, sizeof header);
  for (std::size_t i = 0; i < 3 * sites.size(); ++i) {
    block.array<float>(Array::sites)[i] = header.mins[i % 3] + sites[i / 3][i % 3];
  }
  std::size_t axis = 0;
  for (float& x : block.array<float>(Array::vertices)) {
    x = header.mins[axis++ % 3] + draw.unit();
  }
  std::ranges::generate(block.array<float>(Array::areas), [&] { return 1 + draw.unit(); });
  std::ranges::generate(block.array<float>(Array::vols), [&] { return draw.unit(); });
  for (const Array list : {Array::cells, Array::face_verts}) {
    std::ranges::generate(block.array<std::int32_t>(list), [&] { return draw.below(header.num_verts); });
  }
  std::ranges::copy(faces, block.array<std::int32_t>(Array::num_cell_faces).begin());
  std::size_t first = 0;
  for (const std::int32_t count : faces) {
    const auto size = static_cast<std::size_t>(count);
    deal_face_vertices(draw, block.array<std::int32_t>(Array::num_face_verts).subspan(first, size));
    first += size;
  }
  return block;
}

}  // namespace hacc
