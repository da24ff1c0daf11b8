// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/halo/gather.hpp"
#include "common/halo/halo.hpp"
#include "common/halo/sides.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace apps {
namespace {

constexpr std::int64_t field_planes[] = {3, 1, 4};

/// What a cell of the whole box holds: no two are equal.
double value(const Domain& domain, std::int64_t plane, std::int64_t row, std::int64_t column) {
  const Shape box = domain.global();
  return static_cast<double>((plane * box.rows + (row + box.rows) % box.rows) * box.columns +
                             (column + box.columns) % box.columns);
}

/// Fields of several numbers of planes.
class Memory {
 public:
  explicit Memory(const Domain& domain) : domain_(domain) {
    const Layout layout = domain.layout();
    for (const std::int64_t planes : field_planes)
      memory_.emplace_back(static_cast<std::size_t>(planes * layout.cells()), -1.0);
    for (std::size_t i = 0; i < memory_.size(); ++i) fields.add({memory_[i].data(), field_planes[i]});
    set_owned(0);
  }

  /// Sets owned cells to their values and `added`, ghosts to what no cell holds.
  void set_owned(double added) {
    each([&](double& number, double expected, bool owned) { number = owned ? expected + added : -1; });
  }

  /// Calls visit(number, value of the cell there, whether it is owned) for all of all fields.
  template <typename Visit>
  void each(Visit visit) {
    const Layout layout = domain_.layout();
    const Shape origin = domain_.origin(domain_.rank);
    const std::int64_t ghosts = domain_.ghosts;
    for (std::int64_t plane = 0; plane < fields.planes(); ++plane) {
      for (std::int64_t row = -ghosts; row < domain_.owned.rows + ghosts; ++row) {
        for (std::int64_t column = -ghosts; column < domain_.owned.columns + ghosts; ++column) {
          const bool owned =
              row >= 0 && row < domain_.owned.rows && column >= 0 && column < domain_.owned.columns;
          visit(fields.plane(plane, layout)[layout.at(0, row + ghosts, column + ghosts)],
                value(domain_, plane, origin.rows + row, origin.columns + column), owned);
        }
      }
    }
  }

  Fields fields{};

 private:
  Domain domain_;
  std::vector<std::vector<double>> memory_;
};

class OfRanks : public testing::Test {
 protected:
  OfRanks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  std::vector<Domain> domains() const {
    std::vector<Domain> all{
        {{ranks_, 1}, {3, 5}, 3, rank_}, {{1, ranks_}, {7, 4}, 2, rank_}, {{1, ranks_}, {1, 1}, 1, rank_}};
    if (ranks_ == 4) all.push_back({{2, 2}, {3, 4}, 2, rank_});  // corners come from a third rank
    return all;
  }
  Place host_{typewarp::MemoryKind::host};
  int rank_ = 0, ranks_ = 1;
};

TEST_F(OfRanks, AllGhostsOfAllFieldsAreThoseOfTheBoxByAllWays) {
  for (const Domain& domain : domains()) {
    for (const By way : {By::hand, By::mpi, By::typewarp}) {
      Memory memory(domain);
      const std::unique_ptr<Halo> halo = make_halo(way, domain, memory.fields, host_, MPI_COMM_WORLD);
      for (const double added : {0.0, 1000.0}) {
        memory.set_owned(added);
        halo->exchange();
        memory.each(
            [&](double number, double expected, bool) { EXPECT_EQ(number, expected + added) << name(way); });
      }
    }
  }
}

TEST_F(OfRanks, FieldsAreGathered) {
  for (const Domain& domain : domains()) {
    const Memory memory(domain);
    const std::vector<double> whole = gather(domain, memory.fields, host_, MPI_COMM_WORLD);
    if (rank_ != 0) {
      EXPECT_TRUE(whole.empty());
      continue;
    }
    ASSERT_EQ(std::ssize(whole), memory.fields.planes() * domain.global().points());
    for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_EQ(whole[i], static_cast<double>(i));
  }
}

TEST(Fields, AreLimitedInNumber) {
  Fields fields{};
  for (int i = 0; i < Fields::most; ++i) fields.add({nullptr, 1});
  EXPECT_THROW(fields.add({nullptr, 1}), typewarp::InvalidArgument);
}

}  // namespace
}  // namespace apps
