// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The cases of the GCL's own tests: their sizes, halos and process grids, with six layouts and eight
// periodicities. Of long fields not each layout is tried with each periodicity, but each with some.

#include "halo/fields.hpp"
#include "halo/patch.hpp"
#include "support/environment.hpp"
#include "transport/fixture.hpp"

#include <algorithm>
#include <array>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;
using halo::ProcessGrid;

struct Width {
  std::int64_t minus, plus;
};
struct Spec {
  friend void PrintTo(const Spec& spec, std::ostream* out) { *out << spec.name; }

  std::string name;
  std::array<std::int64_t, 3> lengths;
  /// Halos of each field.
  std::vector<std::array<Width, 3>> fields;
  std::vector<Datatype> elements;
  std::vector<int> processes;  ///< 0: any
  bool all_combinations;
};

const Datatype triple = contiguous(3, Named::double_);

const std::vector<Spec>& specs() {
  const std::vector<Datatype> doubles(3, Named::double_);
  const std::vector<Datatype> mixed{Named::int_, Named::double_, triple};
  const auto same = [](Width i, Width j, Width k) {
    return std::vector<std::array<Width, 3>>(3, std::array{i, j, k});
  };
  static const std::vector<Spec> all{
      {"123x56x76", {123, 56, 76}, same({2, 3}, {1, 2}, {2, 1}), doubles, {0, 0, 0}, false},
      {"23x12x7_rows", {23, 12, 7}, same({2, 2}, {4, 4}, {3, 3}), doubles, {2, 1, 0}, true},
      {"23x12x7_columns", {23, 12, 7}, same({2, 2}, {4, 4}, {3, 3}), doubles, {1, 2, 0}, true},
      {"12x12x12", {12, 12, 12}, same({2, 2}, {2, 2}, {2, 2}), doubles, {2, 1, 0}, true},
      {"generic_98x54x87",
       {98, 54, 87},
       {{Width{0, 1}, {2, 3}, {2, 1}}, {Width{0, 1}, {2, 3}, {2, 1}}, {Width{0, 1}, {2, 3}, {0, 1}}},
       doubles,
       {0, 0, 0},
       false},
      {"generic_89x45x104", {89, 45, 104}, same({3, 3}, {1, 1}, {2, 2}), mixed, {0, 0, 0}, false},
      {"generic_12x12x12", {12, 12, 12}, same({1, 2}, {0, 3}, {2, 0}), mixed, {0, 0, 0}, true}};
  return all;
}

/// The second map of the GCL: dimension d of the data lies along that dimension of the process grid.
std::vector<Whole> fields_of(const Spec& spec, const ProcessGrid& grid, const std::vector<int>& layout,
                             const std::vector<int>& along) {
  std::vector<Whole> fields;
  for (std::size_t f = 0; f < spec.fields.size(); ++f) {
    Whole field{spec.elements[f], {}, halo::Storage::permuted(layout)};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto processes = static_cast<std::size_t>(grid.sizes()[static_cast<std::size_t>(along[d])]);
      field.axes.push_back({std::vector(processes, spec.lengths[d]), spec.fields[f][d].minus,
                            spec.fields[f][d].plus, 0, 0, along[d]});
    }
    fields.push_back(field);
  }
  return fields;
}

class Gcl : public Session, public testing::WithParamInterface<Spec> {
 protected:
  void run(const std::vector<int>& layout, int periods, const halo::Options& options) {
    const std::vector<bool> periodic{(periods & 1) != 0, (periods & 2) != 0, (periods & 4) != 0};
    std::vector<int> processes = GetParam().processes;
    if (processes[0] * processes[1] > ranks_ || ranks_ % 2 != 0) processes = {0, 0, 0};
    const ProcessGrid grid(comm_, processes, periodic);
    std::vector<int> along{0, 1, 2};
    if (periods % 2 == 1) along = {1, 0, 2};
    std::vector<Patch> patches;
    std::vector<halo::Field> fields;
    for (const Whole& whole : fields_of(GetParam(), grid, layout, along)) {
      fields.push_back(patches.emplace_back(grid, whole, patches.size()).field());
    }
    Exchange exchange(grid, fields, options);
    exchange.pack(field_stream());
    exchange.start_exchange(field_stream());
    exchange.wait();
    exchange.unpack(field_stream());
    for (Patch& patch : patches) EXPECT_EQ(patch.difference().value_or("none"), "none");
  }
};

TEST_P(Gcl, EveryCellIsAsItsCoordinatesSay) {
  constexpr std::array packings{Packing::manual, Packing::datatype};
  constexpr std::uint64_t combinations = 48;
  const bool all = GetParam().all_combinations && at_most_types(combinations) == combinations;
  std::vector<int> layout{0, 1, 2};
  int turn = 0;
  int layouts = 0;
  do {
    for (int periods = 0; periods < 8; ++periods) {
      if (!all && periods != (3 * layouts + 1) % 8) continue;
      const halo::Options options{.packing = packings[static_cast<std::size_t>(turn) % packings.size()]};
      SCOPED_TRACE(testing::Message()
                   << "layout " << layout[0] << layout[1] << layout[2] << ", periods " << periods
                   << ", packing " << halo::name(options.packing) << ", turn " << turn);
      run(layout, periods, options);
      ++turn;
    }
    ++layouts;
  } while (std::ranges::next_permutation(layout).found);
}

INSTANTIATE_TEST_SUITE_P(Specs, Gcl, testing::ValuesIn(specs()),
                         [](const auto& spec) { return spec.param.name; });

}  // namespace
}  // namespace typewarp::test
