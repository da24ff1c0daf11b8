// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "agenda.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace typewarp::contention {
namespace {

std::vector<Item> of_text(bool two_processes, const std::string& text) {
  std::vector<Item> items = agenda(two_processes);
  std::erase_if(items, [&](const Item& item) { return item.text() != text; });
  return items;
}

TEST(Agenda, HasTheVectorOfThePaper) {
  const Case vector = every_case().front();
  EXPECT_EQ(vector.type.size(), 262144 * 8);
  EXPECT_EQ(vector.type.true_ub(), 262143 * 64 + 8);
}

TEST(Agenda, GoesByIndicesAndNamesNoRowTwice) {
  for (const bool two_processes : {false, true}) {
    const std::vector<Item> items = agenda(two_processes);
    std::set<std::string> texts;
    for (std::size_t i = 0; i < items.size(); ++i) {
      EXPECT_EQ(items[i].index, static_cast<std::int64_t>(i));
      EXPECT_TRUE(texts.insert(items[i].text()).second) << items[i].text();
    }
  }
}

/// bench/contention/targets.py judges these.
TEST(Agenda, HasWhatTargetsAreAbout) {
  for (const Work work : every_work) {
    const std::string beside = std::string(name(work)) + "/vector/";
    for (const char* const row :
         {"device/pack/default", "pinned/pack/priority=high", "device/unpack/avoid=multiprocessors"}) {
      EXPECT_EQ(of_text(false, beside + row).size(), 1) << beside << row;
    }
  }
  EXPECT_EQ(of_text(true, "add/vector/device/pack/default").size(), 1);
}

TEST(Agenda, CopiesRowByRowOnlyTheFirstRows) {
  std::set<std::string> cases;
  for (const Item& item : agenda(false)) {
    if (item.method.way != Way::blocks && item.method.way != Way::batch) continue;
    EXPECT_EQ(item.subject.rows.height, most_blocks);
    EXPECT_EQ(item.packed_bytes(), most_blocks * item.subject.rows.width);
    cases.insert(item.subject.name);
  }
  EXPECT_EQ(cases, (std::set<std::string>{"rows", "vector"}));
}

TEST(Agenda, HasTheRowsOfLayoutsThatAreCopiedByRows) {
  for (const Item& item : agenda(false)) {
    const Rows& rows = item.subject.rows;
    const bool by_rows = item.method.way != Way::library && item.subject.rows.height > 0;
    if (!by_rows) continue;
    EXPECT_EQ(item.packed_bytes(), rows.height * rows.width) << item.text();
    EXPECT_EQ(item.subject.type.true_ub(), (rows.height - 1) * rows.pitch + rows.width) << item.text();
  }
}

TEST(Agenda, PacksByExtentOnlyAndIntoPinnedMemory) {
  for (const Item& item : agenda(false)) {
    EXPECT_TRUE(item.method.way != Way::through_host || item.place == Place::device) << item.text();
    if (item.method.way != Way::extent && item.method.way != Way::staged) continue;
    EXPECT_EQ(item.place, Place::pinned) << item.text();
    EXPECT_TRUE(item.packs) << item.text();
  }
}

TEST(Agenda, HasTheApplicationWorkFourTimesAsLong) {
  EXPECT_EQ(application_us(500), 2000);
  EXPECT_EQ(application_us(1), 200);
  EXPECT_EQ(application_us(1e6), 4000);
}

}  // namespace
}  // namespace typewarp::contention
