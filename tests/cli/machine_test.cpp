// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/machine.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace typewarp::cli {
namespace {

namespace fs = std::filesystem;

class MachineTest : public testing::Test {
 protected:
  MachineTest() { fs::create_directories(folder_ + "/typewarp"); }
  ~MachineTest() override { fs::remove_all(folder_); }

  std::string file() const { return folder_ + "/typewarp/machine.json"; }
  void write(const std::string& gpu) const {
    MachineProfile profile = MachineProfile::named("h200");
    profile.name = "machine";
    profile.gpu = gpu;
    write_text(profile.to_json());
  }
  void write_text(const std::string& text) const { std::ofstream(file()) << text; }

 private:
  std::string folder_ = testing::TempDir() + "typewarp_machine_test";
};

TEST_F(MachineTest, ItsOwnProfileIsTakenWhereItIsOfTheGpu) {
  write("NVIDIA B200");
  const Machine own = machine(file(), "NVIDIA B200");
  EXPECT_EQ(own.file, file());
  EXPECT_EQ(own.profile.name, "machine");
  EXPECT_EQ(own.note, "");
}

TEST_F(MachineTest, AndWhereThereIsNoGpuToCompareWith) {
  write("NVIDIA B200");
  EXPECT_EQ(machine(file(), "").profile.gpu, "NVIDIA B200");
}

TEST_F(MachineTest, OneOfAnotherMachineIsNotTakenAndIsToldOf) {
  write("NVIDIA B200");
  const Machine other = machine(file(), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(other.file, "");
  EXPECT_EQ(other.profile.name, "h100");
  EXPECT_EQ(other.note,
            file() +
                " is a profile of NVIDIA B200, and the GPU here is NVIDIA H100 80GB HBM3: the profile "
                "'h100' is taken");
}

TEST_F(MachineTest, ShippedOnesAreKnownByTheirGpu) {
  EXPECT_EQ(machine(file(), "NVIDIA H200").profile.name, "h200");
  EXPECT_EQ(machine(file(), "NVIDIA H100 80GB HBM3").profile.name, "h100");
  EXPECT_EQ(machine(file(), "").profile.name, "h200");
  EXPECT_EQ(machine("", "").note, "");
  EXPECT_EQ(
      machine(file(), "NVIDIA L4").note,
      "there is no profile of the GPU here, NVIDIA L4: the profile 'h200' is taken, 'typewarp tune' makes "
      "one of this machine");
}

TEST_F(MachineTest, OneThatIsNoProfileIsRefusedWithItsPlace) {
  write_text(R"({"version": 1, "name": "x", "gpu": 5})");
  try {
    machine(file(), "NVIDIA H200");
    FAIL();
  } catch (const InvalidArgument& refused) {
    EXPECT_EQ(refused.what(), "typewarp::MachineProfile: " + file() + " = $.gpu: must be a string");
  }
}

}  // namespace
}  // namespace typewarp::cli
