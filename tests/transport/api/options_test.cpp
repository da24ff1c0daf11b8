// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/expect_invalid.hpp"
#include "support/variable.hpp"
#include "transport/session.hpp"
#include "transport/fixture.hpp"

#include <array>

namespace typewarp {
namespace {

using test::invalid_argument;
using test::Variable;

TEST(SessionOptions, ComeFromTheEnvironment) {
  const Variable variables[] = {{"TYPEWARP_PROTOCOL", "pipelined"}, {"TYPEWARP_EAGER_BYTES", "1000"},
                                {"TYPEWARP_CHUNK_BYTES", "2000"},   {"TYPEWARP_POOL_BYTES", "30000"},
                                {"TYPEWARP_TIME_LIMIT_MS", "400"},  {"TYPEWARP_PROGRESS_THREAD", "1"},
                                {"TYPEWARP_DIRECT_BYTES", "700"},   {"TYPEWARP_DEVICE_POOL_BYTES", "5000"}};
  const SessionOptions options = SessionOptions::from_environment();
  EXPECT_EQ(options.protocol, Protocol::pipelined);
  EXPECT_EQ(options.eager_bytes, 1000);
  EXPECT_EQ(options.chunk_bytes, 2000);
  EXPECT_EQ(options.direct_bytes, 700);
  EXPECT_EQ(options.pool_bytes, 30000);
  EXPECT_EQ(options.device_pool_bytes, 5000);
  EXPECT_EQ(options.time_limit, std::chrono::milliseconds(400));
  EXPECT_TRUE(options.progress_thread);
}

TEST(SessionOptions, NameEveryProtocol) {
  for (const Protocol protocol : {Protocol::automatic, Protocol::eager, Protocol::pipelined, Protocol::direct,
                                  Protocol::gpu_aware, Protocol::ucx}) {
    const Variable variable("TYPEWARP_PROTOCOL", std::string(name(protocol)).c_str());
    EXPECT_EQ(SessionOptions::from_environment().protocol, protocol);
  }
}

TEST(SessionOptions, RefuseWhatIsMalformed) {
  for (const char* name : {"TYPEWARP_PROTOCOL", "TYPEWARP_EAGER_BYTES", "TYPEWARP_CHUNK_BYTES",
                           "TYPEWARP_POOL_BYTES", "TYPEWARP_TIME_LIMIT_MS", "TYPEWARP_PROGRESS_THREAD",
                           "TYPEWARP_DIRECT_BYTES", "TYPEWARP_DEVICE_POOL_BYTES"}) {
    for (const char* value : {"-1", "12x", "99999999999999999999"}) {
      const Variable variable(name, value);
      EXPECT_EQ(invalid_argument([] { (void)SessionOptions::from_environment(); }), name) << value;
    }
    const Variable empty(name, "");  // as if it were not set
    EXPECT_NO_THROW((void)SessionOptions::from_environment());
  }
}

TEST(SessionOptions, OutOfRangeAreNamed) {
  const auto construct = [](const SessionOptions& options) {
    return invalid_argument([&] { const Session session(MPI_COMM_WORLD, options); });
  };
  EXPECT_EQ(construct({.eager_bytes = 508}), "options.eager_bytes");
  EXPECT_EQ(construct({.direct_bytes = 508}), "options.direct_bytes");
  EXPECT_EQ(construct({.chunk_bytes = 63}), "options.chunk_bytes");
  EXPECT_EQ(construct({.pool_bytes = 127}), "options.pool_bytes");
  EXPECT_EQ(construct({.device_pool_bytes = -1}), "options.device_pool_bytes");
  EXPECT_EQ(construct({.time_limit = std::chrono::milliseconds(-1)}), "options.time_limit");
  EXPECT_EQ(construct({.time_limit = std::chrono::milliseconds(9'223'372'036'855)}), "options.time_limit");
  EXPECT_EQ(invalid_argument([] { const Session session(MPI_COMM_NULL, SessionOptions{}); }), "comm");
}

// None may be left waiting in a collective call.
TEST(SessionOptions, WrongInOneRankThrowInAll) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool wrong = rank == ranks - 1;
  SessionOptions options;
  if (wrong) options.chunk_bytes = 1;
  try {
    const Session session(MPI_COMM_WORLD, options);
    ADD_FAILURE() << "did not throw";
  } catch (const InvalidArgument& error) {
    EXPECT_TRUE(wrong) << error.what();
  } catch (const Error& error) {
    EXPECT_FALSE(wrong) << error.what();
  }
  const Variable variable("TYPEWARP_EAGER_BYTES", wrong ? "many" : "1000");
  EXPECT_THROW(Session{MPI_COMM_WORLD}, Error);
  const Session afterwards(MPI_COMM_WORLD, SessionOptions{});
}

TEST(SessionOptions, HintsOfTheCommunicatorAreNotTakenOver) {
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_exact_length", "true");
  MPI_Comm hinted = MPI_COMM_NULL;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &hinted);
  MPI_Info_free(&hints);
  const Session session(hinted, SessionOptions{});
  MPI_Comm_get_info(transport::current()->comm.get(), &hints);
  std::array<char, 16> value{};
  int present = 0;
  MPI_Info_get(hints, "mpi_assert_exact_length", static_cast<int>(value.size() - 1), value.data(), &present);
  if (present != 0) {
    EXPECT_STREQ(value.data(), "false");
  }
  MPI_Info_free(&hints);
  MPI_Comm_free(&hinted);
}

TEST(SessionOptions, LeastEagerLimitOfAllRanksCounts) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Session session(MPI_COMM_WORLD, {.eager_bytes = 2000 - rank});
  EXPECT_EQ(session.options().eager_bytes, 2000 - (ranks - 1));
  const auto second = [] { const Session another(MPI_COMM_WORLD, SessionOptions{}); };
  EXPECT_THROW(second(), Error);
}

}  // namespace
}  // namespace typewarp
