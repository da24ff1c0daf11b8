// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/fixture.hpp"

#include <typewarp/halo.h>
#include <typewarp/halo_domain.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

namespace typewarp::test {

using Numbers = std::vector<double>;

/// A domain of both interfaces.
class HaloInC : public Session {
 protected:
  void SetUp() override {
    Session::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(tw_halo_domain_create(comm_, 2, cells.data(), &options, &domain_), TW_SUCCESS);
    twin_ = std::make_unique<halo::Domain>(comm_, std::vector(cells.begin(), cells.end()),
                                           halo::DomainOptions{.periodic = {true, false}, .width = 2});
  }
  void TearDown() override {
    tw_halo_domain_free(domain_);
    twin_.reset();
    Session::TearDown();
  }

  /// Numbers that no two places of no two ranks share.
  Numbers numbers(std::int64_t count, int field) const {
    Numbers made(static_cast<std::size_t>(count));
    std::iota(made.begin(), made.end(), 1e6 * rank_ + 1e4 * field);
    return made;
  }

  static constexpr std::array<std::int64_t, 2> cells{5, 7};
  static constexpr std::array periodic{1, 0};
  static constexpr tw_halo_domain_options options{nullptr, periodic.data(), 2};
  tw_halo_domain* domain_ = nullptr;
  std::unique_ptr<halo::Domain> twin_;
};

}  // namespace typewarp::test
