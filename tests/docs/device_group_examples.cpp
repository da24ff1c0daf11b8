// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The example of docs/guide/device-group.md, between the markers, and a test that it does what it says.
// [sum]
#include <typewarp/device_group.hpp>
#include <typewarp/mpi_ranks.hpp>

// In each of `steps` steps `count` gradients of each rank become the sum of all ranks, behind what `work`
// enqueues on `stream` to make them, and before what `use` does.
template <typename Work, typename Use>
void sum_gradients(float* gradients, std::int64_t count, int steps, typewarp::Stream stream, MPI_Comm comm,
                   Work work, Use use) {
  using typewarp::Named, typewarp::Operation;
  typewarp::DeviceGroup group(typewarp::mpi::ranks(comm), {.time_limit = std::chrono::seconds(60)});
  for (int step = 0; step < steps; ++step) {
    work(gradients, stream);
    group.allreduce(gradients, gradients, count, Named::float_, Operation::sum, stream);  // waits for nothing
    use(gradients, stream);
  }
  group.wait();
}
// [/sum]

// [register]
// In each of `steps` steps each rank gets the `bytes` bytes that all ranks have at `own`, in `all`.
template <typename Work>
void gather_often(const std::byte* own, std::byte* all, std::int64_t bytes, int steps,
                  typewarp::Stream stream, typewarp::DeviceGroup& group, Work work) {
  group.register_memory(all, group.size() * bytes);  // collective; the same number of bytes on all ranks
  for (int step = 0; step < steps; ++step) {
    work(stream);
    group.allgather(own, all, bytes, stream);
  }
  group.deregister_memory(all);  // collective
}
// [/register]

#include <typewarp/device_buffer.hpp>
#include <typewarp/engine.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(DeviceGroupExamples, GradientsAreSummed) {
  if (!typewarp::gpu_present()) GTEST_SKIP() << "needs a GPU";
  constexpr std::int64_t count = 1001;
  typewarp::DeviceBuffer memory(0, count * std::int64_t{sizeof(float)});
  const typewarp::Plan numbers = typewarp::commit(typewarp::Named::float_);
  const std::vector<float> ones(count, 1);
  std::vector<float> found(count);
  const auto work = [&](float* gradients, typewarp::Stream stream) {
    typewarp::copy(ones.data(), count, numbers, gradients, count, numbers, stream);
  };
  const auto use = [&](const float* gradients, typewarp::Stream stream) {
    typewarp::copy(gradients, count, numbers, found.data(), count, numbers, stream);
  };
  sum_gradients(reinterpret_cast<float*>(memory.data()), count, 3, nullptr, MPI_COMM_WORLD, work, use);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT_EQ(found, std::vector<float>(count, static_cast<float>(ranks)));
}

TEST(DeviceGroupExamples, BytesAreGathered) {
  if (!typewarp::gpu_present()) GTEST_SKIP() << "needs a GPU";
  constexpr std::int64_t bytes = 1 << 16;
  typewarp::DeviceGroup group(typewarp::mpi::ranks(MPI_COMM_WORLD), {.time_limit = std::chrono::seconds(60)});
  const auto parts = static_cast<std::size_t>(group.size());
  typewarp::DeviceBuffer own(0, bytes), all(0, group.size() * bytes);
  const typewarp::Plan plan = typewarp::commit(typewarp::Named::byte);
  const std::vector<char> sent(bytes, 'a');
  std::vector<char> found(parts * bytes);
  const auto work = [&](typewarp::Stream stream) {
    typewarp::copy(sent.data(), bytes, plan, own.data(), bytes, plan, stream);
  };
  gather_often(static_cast<std::byte*>(own.data()), static_cast<std::byte*>(all.data()), bytes, 2, nullptr,
               group, work);
  typewarp::copy(all.data(), std::ssize(found), plan, found.data(), std::ssize(found), plan);
  EXPECT_EQ(found, std::vector<char>(parts * bytes, 'a'));
}

}  // namespace
