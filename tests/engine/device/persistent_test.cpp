// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/calls.hpp"
#include "engine/device/persistent_case.hpp"

/// What persistent operations move on a device, and where.
namespace typewarp::test {
namespace {

TEST(CudaPersistent, PacksEveryKindOfLayoutAgainAndAgain) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const Datatype& type : layouts()) {
    SCOPED_TRACE(testing::Message() << type);
    PersistentCase it(type);
    Persistent operation = it.packing();
    EXPECT_TRUE(operation.done());
    for (std::uint32_t round = 0; round < 3; ++round) {
      const auto expected = it.fill(round);
      clear(*it.packed, it.plan.size());
      operation.start(stream.get());
      wait_by_polling(operation);
      ASSERT_EQ(seen(*it.packed, it.plan.size()), expected) << "round " << round;
    }
  }
}

TEST(CudaPersistent, UnpacksEveryKindOfLayoutAndTouchesNothingElse) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const Datatype& type : layouts()) {
    SCOPED_TRACE(testing::Message() << type);
    PersistentCase it(type);
    Persistent operation = Persistent::unpack_init(it.packed->data(), it.user->data(), 1, it.plan);
    for (std::uint32_t round = 0; round < 2; ++round) {
      auto expected = noise(it.plan.extent(), 10 + round);
      const auto packed = noise(it.plan.size(), 20 + round);
      it.user->write(expected);
      it.packed->write(packed);
      unpack(packed.data(), expected.data(), 1, it.plan, nullptr);
      operation.start(stream.get());
      operation.wait();
      ASSERT_EQ(contents(*it.user, it.plan.extent()), expected) << "round " << round;
    }
  }
}

TEST(CudaPersistent, MovesBetweenOtherAddresses) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  PersistentCase first(vector(128, 1, 8, Named::double_));
  PersistentCase second(vector(128, 1, 8, Named::double_));
  const auto of_first = first.fill(1);
  const auto of_second = second.fill(2);
  Persistent operation = first.packing();
  for (int round = 0; round < 50; ++round) {
    clear(*first.packed, first.plan.size());
    clear(*second.packed, first.plan.size());
    operation.start(first.user->data(), second.packed->data(), stream.get());
    operation.start(second.user->data(), first.packed->data(), stream.get());
    operation.wait();
    ASSERT_EQ(seen(*first.packed, first.plan.size()), of_second);
    ASSERT_EQ(seen(*second.packed, first.plan.size()), of_first);
  }
  clear(*first.packed, first.plan.size());
  operation.start(stream.get());
  operation.wait();
  EXPECT_EQ(seen(*first.packed, first.plan.size()), of_second) << "the addresses did not stay";
}

TEST(CudaPersistent, MovesBetweenAddressesOfEveryAlignment) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const Datatype& type : layouts()) {
    const Plan plan = commit(type);
    const auto user = allocate(Source::device, plan.extent() + 16);
    const auto packed = allocate(Source::pinned, plan.size() + 16);
    const auto data = noise(plan.extent() + 16, 3);
    user->write(data);
    Persistent operation = Persistent::pack_init(user->data(), 1, plan, packed->data());
    for (std::int64_t shift = 0; shift < 16; ++shift) {
      clear(*packed, plan.size() + 16);
      operation.start(user->data() + shift, packed->data() + (15 - shift), stream.get());
      operation.wait();
      auto result = seen(*packed, plan.size() + 16);
      auto expected = std::vector<std::byte>(result.size());
      const auto bytes = packed_on_host(data.data() + shift, 1, plan);
      std::copy(bytes.begin(), bytes.end(), expected.begin() + (15 - shift));
      ASSERT_EQ(result, expected) << type << " shifted by " << shift;
    }
  }
}

TEST(CudaPersistent, MovesToMemoryOfAnotherKind) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const Datatype& type : layouts()) {
    PersistentCase it(type);
    const auto expected = it.fill(4);
    Persistent operation = it.packing();
    for (const Source source : {Source::device, Source::managed, Source::pinned, Source::registered}) {
      const auto other = allocate(source, it.plan.size());
      other->write(noise(it.plan.size(), 5));
      operation.start(it.user->data(), other->data(), stream.get());
      operation.wait();
      ASSERT_EQ(contents(*other, it.plan.size()), expected) << type << " to " << name(source);
    }
  }
}

TEST(CudaPersistent, GoesFromHostToDeviceAndBack) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  PersistentCase it(vector(128, 1, 8, Named::double_));
  const auto on_device = it.fill(6);
  const auto pageable = allocate(Source::pageable, it.plan.extent());
  const auto data = noise(it.plan.extent(), 7);
  pageable->write(data);
  const auto on_host = packed_on_host(data.data(), 1, it.plan);
  Persistent operation = Persistent::pack_init(pageable->data(), 1, it.plan, it.packed->data());
  for (int round = 0; round < 3; ++round) {
    operation.start(pageable->data(), it.packed->data(), stream.get());
    EXPECT_TRUE(operation.done());
    ASSERT_EQ(seen(*it.packed, it.plan.size()), on_host);
    operation.start(it.user->data(), it.packed->data(), stream.get());
    operation.wait();
    ASSERT_EQ(seen(*it.packed, it.plan.size()), on_device);
  }
}

TEST(CudaPersistent, NamesWhatNoGpuReaches) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const std::string rule =
      " = pageable host memory: must be memory that a GPU reaches, because the other side is a device's";
  PersistentCase it(vector(128, 1, 8, Named::double_));
  const auto expected = it.fill(14);
  std::vector<std::byte> pageable(static_cast<std::size_t>(it.plan.extent()));
  std::byte* const host = pageable.data();
  const auto packed = allocate(Source::device, it.plan.size());
  EXPECT_EQ(message_of([&] { Persistent::pack_init(it.user->data(), 1, it.plan, host); }),
            "typewarp::Persistent::pack_init: packed" + rule);
  EXPECT_EQ(message_of([&] { Persistent::pack_init(host, 1, it.plan, packed->data()); }),
            "typewarp::Persistent::pack_init: buffer" + rule);
  EXPECT_EQ(message_of([&] { Persistent::unpack_init(host, it.user->data(), 1, it.plan); }),
            "typewarp::Persistent::unpack_init: packed" + rule);
  EXPECT_EQ(message_of([&] { Persistent::copy_init(it.user->data(), 1, it.plan, host, 1, it.plan); }),
            "typewarp::Persistent::copy_init: destination" + rule);
  Persistent operation = it.packing();
  EXPECT_EQ(message_of([&] { operation.start(it.user->data(), host, stream.get()); }),
            "typewarp::Persistent::start: destination" + rule);
  clear(*it.packed, it.plan.size());
  operation.start(stream.get());
  operation.wait();
  EXPECT_EQ(seen(*it.packed, it.plan.size()), expected) << "a start that failed changed something";
}

TEST(CudaPersistent, NamesADeviceThatIsNotThere) {
  TYPEWARP_NEEDS_GPU();
  PersistentCase it(vector(128, 1, 8, Named::double_));
  const auto pack_on = [&](int device) {
    return Persistent::pack_init(it.user->data(), 1, it.plan, it.packed->data(), {0, 8}, device);
  };
  EXPECT_NE(message_of([&] { pack_on(1000); }).find(": device = 1000: must be one of the "),
            std::string::npos);
  EXPECT_EQ(message_of([&] { pack_on(-2); }),
            "typewarp::Persistent::pack_init: device = -2: must be a device, or device_of_data");
}

}  // namespace
}  // namespace typewarp::test
