// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace typewarp::bench {
namespace {

std::shared_ptr<std::byte> allocate(std::int64_t bytes) {
  return {new std::byte[static_cast<std::size_t>(bytes)], [](const std::byte* data) { delete[] data; }};
}

/// Whether all data of a message lies in the memory of its workload.
bool inside(const Message& message, const Workload& workload) {
  const auto base = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(message.buffer));
  const Datatype items = contiguous(message.count, message.type);
  const auto holds = [&](std::int64_t address) {
    return std::ranges::any_of(workload.memory, [&](const Buffer& buffer) {
      const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(buffer.data()));
      return address >= begin && address < begin + buffer.bytes();
    });
  };
  return holds(base + items.true_lb()) && holds(base + items.true_ub() - 1);
}

/// Bytes of a message as ddtbench's own programs print them.
TEST(Ddtbench, MessagesHaveThePublishedSizes) {
  const std::map<std::string, std::int64_t> published{{"WRF_y_vec/2x2", 90804},
                                                      {"WRF_y_sa/8x8", 43428},
                                                      {"WRF_x_vec/4x4", 102648},
                                                      {"WRF_x_sa/2x2", 173712},
                                                      {"NAS_LU_x/1020", 40800},
                                                      {"NAS_LU_y/12", 480},
                                                      {"MILC_su3_zd/16x16x16x16", 98304},
                                                      {"MILC_su3_zd/8x8x8x8", 12288},
                                                      {"NAS_MG_x/514", 512 << 10},
                                                      {"NAS_MG_y/130", 64 << 10},
                                                      {"NAS_MG_z/258", 256 << 10},
                                                      {"LAMMPS_full/3062", 195968},
                                                      {"LAMMPS_atomic/114", 5472},
                                                      {"SPECFEM3D_oc/3225", 12900},
                                                      {"SPECFEM3D_cm/11797", 177672},
                                                      {"SPECFEM3D_mt/7600", 91200},
                                                      {"FFT2/256", 524288}};
  std::size_t found = 0;
  for (const NamedWorkload& named : ddtbench_cases()) {
    const auto entry = published.find(named.name);
    if (entry == published.end()) continue;
    ++found;
    const Workload workload = named.make(allocate);
    EXPECT_EQ(workload.send.count * workload.send.type.size(), entry->second) << named.name;
  }
  EXPECT_EQ(found, published.size());
}

TEST(Ddtbench, BothSidesHoldTheSameBytesInsideTheirMemory) {
  for (const NamedWorkload& named : ddtbench_cases()) {
    const Workload workload = named.make(allocate);
    EXPECT_EQ(workload.send.count * workload.send.type.size(),
              workload.receive.count * workload.receive.type.size())
        << named.name;
    EXPECT_TRUE(inside(workload.send, workload)) << named.name;
    EXPECT_TRUE(inside(workload.receive, workload)) << named.name;
  }
}

}  // namespace
}  // namespace typewarp::bench
