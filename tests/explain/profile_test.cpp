// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.hpp>

#include <gtest/gtest.h>

namespace typewarp {
namespace {

std::string profile(const std::string& rates, const std::string& ratios = "[]",
                    const std::string& version = "1") {
  return R"({"version": )" + version + R"(, "name": "mine", "gpu": "G", "source": "S", "rates": )" + rates +
         R"(, "ratios": )" + ratios + "}";
}

const std::string rates =
    R"({"copy_gb_per_s": 1000, "to_host_gb_per_s": 20, "to_device_gb_per_s": 25, "launch_us": 5})";

std::string error(const std::string& text) {
  try {
    MachineProfile::parse(text, "file.json");
  } catch (const InvalidArgument& refused) {
    return refused.what();
  }
  return "none";
}

TEST(MachineProfile, ReadsWhatItSays) {
  const MachineProfile read = MachineProfile::parse(
      profile(rates, R"([{"direction": "pack", "memory": "device", "method": "words", "run": 8, "step": 64,
                          "touched": 1000, "whole": false, "scattered": true, "ratio": 1.5, "source": "row"}])"),
      "file.json");
  EXPECT_EQ(read.name, "mine");
  EXPECT_EQ(read.copy_gb_per_s, 1000);
  EXPECT_EQ(read.launch_us, 5);
  ASSERT_EQ(read.ratios.size(), 1U);
  EXPECT_EQ(read.ratios[0].ratio, 1.5);
  EXPECT_TRUE(read.ratios[0].scattered);
}

TEST(MachineProfile, WrongOnesAreALineThatNamesThePlace) {
  const std::string start = "typewarp::MachineProfile: file.json = ";
  EXPECT_EQ(error("{"), start + "byte 2: is where it stops being JSON");
  EXPECT_EQ(error("[]"), start + "$: must be an object");
  EXPECT_EQ(error("{}"), start + "$.version: is missing");
  EXPECT_EQ(error(profile(rates, "[]", "2")),
            start + "$.version: must be 1, the one that this library reads");
  EXPECT_EQ(error(profile("{}")), start + "$.rates.copy_gb_per_s: is missing");
  EXPECT_EQ(error(profile(R"({"copy_gb_per_s": -1})")),
            start + "$.rates.copy_gb_per_s: must be a number above 0");
  EXPECT_EQ(error(profile(R"({"copy_gb_per_s": 1e400})")), start + "a number: is beyond what a double holds");
  EXPECT_EQ(error(profile(rates, "{}")), start + "$.ratios: must be a list");
  EXPECT_EQ(error(profile(rates, R"([{"direction": "both"}])")),
            start + "$.ratios[0].direction: must be \"pack\" or \"unpack\"");
  EXPECT_EQ(error(profile(rates, R"([{"direction": "pack", "memory": "device", "method": "wordz"}])")),
            start + "$.ratios[0].method: must be the name of a method (typewarp/hints.hpp)");
}

/// As text, to compare.
TEST(MachineProfile, IsReadAsItWasWritten) {
  for (const std::string& name : MachineProfile::names()) {
    const MachineProfile shipped = MachineProfile::named(name);
    const std::string text = shipped.to_json();
    const MachineProfile read = MachineProfile::parse(text, "text");
    EXPECT_EQ(read.to_json(), text);
    EXPECT_EQ(read.gpu, shipped.gpu);
    EXPECT_NEAR(read.copy_gb_per_s, shipped.copy_gb_per_s, 1e-4 * shipped.copy_gb_per_s);
    ASSERT_EQ(read.ratios.size(), shipped.ratios.size());
    for (std::size_t i = 0; i < read.ratios.size(); ++i) {
      EXPECT_NEAR(read.ratios[i].ratio, shipped.ratios[i].ratio, 1e-4 * shipped.ratios[i].ratio);
      EXPECT_NEAR(read.ratios[i].touched, shipped.ratios[i].touched, 1e-4 * shipped.ratios[i].touched);
      EXPECT_EQ(read.ratios[i].source, shipped.ratios[i].source);
    }
  }
}

TEST(MachineProfile, OnesThatAreShippedAreKnownByName) {
  for (const std::string& name : MachineProfile::names()) EXPECT_EQ(MachineProfile::named(name).name, name);
  EXPECT_THROW(MachineProfile::named("h300"), InvalidArgument);
}

}  // namespace
}  // namespace typewarp
