// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "partner.hpp"

#include <typewarp/error.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>

#include <unistd.h>

namespace typewarp::contention {
namespace {

/// Takes as many microseconds of its process's clock as it was assigned units; refuses 13 and dies of 14.
class Waiting : public Worker, public Side {
 public:
  void assign(Work work, std::int64_t units) override {
    if (units == 13) throw std::runtime_error("13 units: none of mine");
    if (units == 14) raise(SIGKILL);
    units_ = static_cast<double>(units);
    work_ = work;
  }
  Side& side() override { return *this; }

  void enqueue() override { begin_ = now_us(); }
  bool is_done() override { return now_us() >= begin_ + units_; }
  Interval interval() const override {
    return {begin_, begin_ + units_, static_cast<double>(getpid()) + (work_ == Work::stencil ? 0.5 : 0)};
  }

 private:
  double units_ = 0, begin_ = 0;
  Work work_ = Work::add;
};

std::unique_ptr<Worker> make() { return std::make_unique<Waiting>(); }

TEST(Partner, RunsInAProcessOfItsOwn) {
  Partner partner(make);
  partner.assign(Work::stencil, 300000);
  const double before = now_us();
  partner.enqueue();
  EXPECT_FALSE(partner.is_done());
  while (!partner.is_done()) {}
  const Interval interval = partner.interval();
  EXPECT_GE(interval.begin_us, before);
  EXPECT_LE(interval.end_us, now_us());
  EXPECT_NEAR(interval.end_us - interval.begin_us, 300000, 1e-3);
  EXPECT_NE(interval.device_us - 0.5, static_cast<double>(getpid()));
  EXPECT_EQ(interval.device_us - static_cast<std::int64_t>(interval.device_us), 0.5)
      << "the work that was assigned";
}

TEST(Partner, RunsAgainWhatItWasAssigned) {
  Partner partner(make);
  for (const std::int64_t units : {300, 100}) {
    partner.assign(Work::add, units);
    for (int i = 0; i < 3; ++i) {
      partner.enqueue();
      while (!partner.is_done()) {}
      EXPECT_NEAR(partner.interval().end_us - partner.interval().begin_us, static_cast<double>(units), 1e-3);
    }
  }
}

TEST(Partner, ThrowsWhatItsWorkerThrows) {
  Partner partner(make);
  try {
    partner.assign(Work::add, 13);
    partner.enqueue();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the application's process: 13 units: none of mine");
  }
}

TEST(Partner, SaysThatItsProcessHasEnded) {
  Partner partner(make);
  EXPECT_THROW(partner.assign(Work::add, 14), Error);
}

}  // namespace
}  // namespace typewarp::contention
