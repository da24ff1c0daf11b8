// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pair.hpp"

#include <gtest/gtest.h>

#include <string>

namespace typewarp::contention {
namespace {

/// Is done at the third look. Each run takes longer than the one before: 1, 2, 3, ... us and ten times that
/// by events; what the other does at the same time takes as long again.
class Counted : public Side {
 public:
  Counted(std::string& log, char letter) : log_(log), letter_(letter) {}

  void enqueue() override {
    log_ += letter_;
    ++runs_;
    looks_ = 0;
  }
  bool is_done() override { return ++looks_ > 2; }
  Interval interval() const override { return {100.0, 100.0 + runs_, 10.0 * runs_}; }

 private:
  std::string& log_;
  char letter_;
  int runs_ = 0, looks_ = 0;
};

TEST(Pair, RunsEachAloneAndBothInBothOrders) {
  std::string log;
  Counted application(log, 'a');
  Counted move(log, 'm');
  const Measured measured = measure(application, move, {}, {.least = 3, .most = 3});
  EXPECT_EQ(log,
            "amma"
            "amamma"
            "amamma"
            "amamma");
  EXPECT_EQ(measured.samples, 3);
  // The warm-up is runs 1 and 2; of three repetitions the middle one is runs 6, 7 and 8.
  EXPECT_EQ(measured.application_alone.host, 6);
  EXPECT_EQ(measured.application_alone.device, 60);
  EXPECT_EQ(measured.move_alone.host, 6);
  EXPECT_EQ(measured.application_first.application.host, 7);
  EXPECT_EQ(measured.move_first.move.device, 80);
}

TEST(Pair, TakesBothByTheHostsClockWhereNothingElseIsKnown) {
  std::string log;
  Counted application(log, 'a');
  Counted move(log, 'm');
  const Measured measured = measure(application, move, {}, {.least = 3, .most = 3});
  EXPECT_FALSE(measured.by_events);
  EXPECT_EQ(measured.application_first.both.device, 7);
}

TEST(Pair, TakesEventsOfBothForWhatRanAtOnce) {
  std::string log;
  Counted application(log, 'a');
  Counted move(log, 'm');
  const Events events = [](bool application_first) {
    return application_first ? ByEvents{1, 2, 3} : ByEvents{4, 5, 6};
  };
  const Measured measured = measure(application, move, events, {.least = 3, .most = 3});
  EXPECT_TRUE(measured.by_events);
  EXPECT_EQ(measured.application_first.application.device, 1);
  EXPECT_EQ(measured.application_first.move.device, 2);
  EXPECT_EQ(measured.application_first.both.device, 3);
  EXPECT_EQ(measured.move_first.application.device, 4);
  EXPECT_EQ(measured.move_first.move.device, 5);
  EXPECT_EQ(measured.move_first.both.device, 6);
  EXPECT_EQ(measured.move_first.both.host, 8);
  EXPECT_EQ(measured.move_alone.device, 60);
}

TEST(Pair, RepeatsAtLeastSoOftenAndStopsWhenEnoughWasSeen) {
  std::string log;
  Counted application(log, 'a');
  Counted move(log, 'm');
  EXPECT_EQ(measure(application, move, {}, {.least = 15, .most = 40, .enough_us = 0}).samples, 15);
  EXPECT_EQ(measure(application, move, {}, {.least = 15, .most = 40, .enough_us = 1e9}).samples, 40);
}

TEST(Pair, TimesOneAloneByEvents) {
  std::string log;
  Counted move(log, 'm');
  EXPECT_EQ(alone_us(move, 3), 30);  // of runs 2, 3, 4
}

}  // namespace
}  // namespace typewarp::contention
