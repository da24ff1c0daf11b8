// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Linked to suites that were written for messages as such, this runs them in a Session that takes nearly
// all messages by one way, in fragments of the shortest length. TYPEWARP_TEST_OVER names the way; unset:
// there is no Session.

#include "transport/channel/host_link.hpp"
#include "transport/channel/host_sharing.hpp"
#include "transport/protocol/ring/ring.hpp"
#include "transport/protocol_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace typewarp::test {
namespace {

/// What a way needs beside a Session, and whether it was taken.
class Way {
 public:
  virtual ~Way() = default;
  /// Why it cannot be taken here; empty: it can. Before there is a Session.
  virtual std::string missing() { return {}; }
  /// Why this Session cannot take it.
  virtual std::string refused(const typewarp::Session&) { return {}; }
  /// Of a device, or what stands for one.
  virtual std::int64_t pool_bytes() const { return 4096; }
  virtual void prepare(transport::SessionState&) {}
  virtual void expect_taken() {}
};

/// By a protocol of the library's; messages of memory that it is not for go as they do without.
class ByProtocol final : public Way {
 public:
  explicit ByProtocol(Protocol protocol) : protocol_(protocol) {}
  std::string refused(const typewarp::Session& made) override {
    const bool needs_proof = protocol_ == Protocol::gpu_aware || protocol_ == Protocol::ucx;
    if (!needs_proof || made.possible(protocol_)) return {};
    return std::string(name(protocol_)) + " is not possible on this machine";
  }
  std::int64_t pool_bytes() const override { return std::int64_t{1} << 20; }
  void prepare(transport::SessionState& session) override {
    session.profile.link.fragment_scale = std::int64_t{1} << 10;
    session.profile.direct.fragment_bytes = std::int64_t{16} << 10;
  }

 private:
  Protocol protocol_;
};

/// The receiver reads host memory of the sender's where it lies, or packed fragments of it.
class BySharing final : public Way {
 public:
  explicit BySharing(bool in_fragments) : in_fragments_(in_fragments) {}
  std::string missing() override {
    return HostSharing::possible() ? "" : "needs processes that may read each other's memory";
  }
  void prepare(transport::SessionState& session) override {
    sharing_.is_near = !in_fragments_;
    session.share_by(sharing_);
    if (!in_fragments_) return;
    session.profile.direct.fragments_from = 0;
    session.profile.direct.fragment_cost = 0;
    session.profile.direct.fragments_rate = std::numeric_limits<double>::infinity();
    session.profile.direct.fragment_bytes = 64;
  }
  void expect_taken() override { EXPECT_GT(in_fragments_ ? sharing_.unpacked : sharing_.mapped, 0); }

 private:
  HostSharing sharing_;
  bool in_fragments_;
};

/// A link carries host memory.
class ByLink final : public Way {
 public:
  explicit ByLink(Carrier carrier) : carrier_(carrier) {}
  std::string missing() override {
    return available(carrier_) ? "" : "needs UCX (TYPEWARP_UCX_LIBRARY names one)";
  }
  void prepare(transport::SessionState& session) override {
    session.profile.link.fragment_scale = session.profile.direct.fragment_bytes = 64;
    std::unique_ptr<transport::GpuChannel> carrier = make_host_carrier(carrier_, session.comm.get());
    ASSERT_NE(carrier, nullptr);
    session.link_by(std::make_unique<HostLink>(std::move(carrier), control_));
  }
  void expect_taken() override { EXPECT_GT(control_->sent, 0); }

 private:
  std::shared_ptr<HostLink::Control> control_ = std::make_shared<HostLink::Control>();
  Carrier carrier_;
};

/// Through rings of shared memory, short and long, in fragments of a few bytes, as long as there are any.
class ByRings final : public Way {
 public:
  std::string refused(const typewarp::Session&) override {
    const transport::SessionState& session = *transport::current();
    return session.shares_host_memory(session.comm.rank()) ? "" : "needs processes that may share memory";
  }
  void prepare(transport::SessionState& session) override {
    session.profile.ring = {.least_bytes = 509,
                            .least_in_place = 509,
                            .most_in_place = 2000,
                            .least_fragment = 64,
                            .longest_fragment = 100,
                            .long_from = 1000,
                            .least_threads = 1,
                            .least_long_fragment = 128,
                            .longest_long_fragment = 1000,
                            .bytes_at_a_time = 200};
    rings_ = &transport::rings_of(session);
  }
  void expect_taken() override { EXPECT_GT(rings_->uses(), 0U); }

 private:
  const transport::Rings* rings_ = nullptr;
};

struct Choice {
  std::string_view name;
  Protocol protocol;
  std::unique_ptr<Way> (*make)();
};

template <Protocol protocol>
std::unique_ptr<Way> by_protocol() {
  return std::make_unique<ByProtocol>(protocol);
}
template <bool in_fragments>
std::unique_ptr<Way> by_sharing() {
  return std::make_unique<BySharing>(in_fragments);
}
std::unique_ptr<Way> by_rings() { return std::make_unique<ByRings>(); }
template <Carrier carrier>
std::unique_ptr<Way> by_link() {
  return std::make_unique<ByLink>(carrier);
}

constexpr std::array choices{Choice{"pipelined", Protocol::pipelined, by_protocol<Protocol::pipelined>},
                             Choice{"direct", Protocol::direct, by_protocol<Protocol::direct>},
                             Choice{"gpu_aware", Protocol::gpu_aware, by_protocol<Protocol::gpu_aware>},
                             Choice{"ucx", Protocol::ucx, by_protocol<Protocol::ucx>},
                             Choice{"rings", Protocol::automatic, by_rings},
                             Choice{"host_direct", Protocol::direct, by_sharing<false>},
                             Choice{"host_fragments", Protocol::direct, by_sharing<true>},
                             Choice{"host_link", Protocol::pipelined, by_link<Carrier::mpi>},
                             Choice{"host_ucx", Protocol::pipelined, by_link<Carrier::ucx>}};

class Over final : public testing::Environment {
 public:
  explicit Over(std::string_view name) : name_(name) {}

  void SetUp() override {
    const auto* const choice = std::ranges::find(choices, name_, &Choice::name);
    ASSERT_NE(choice, choices.end()) << "TYPEWARP_TEST_OVER: there is no way '" << name_ << "'";
    if (!reason_to_skip().empty()) return;
    way_ = choice->make();
    reason_to_skip() = way_->missing();
    if (!reason_to_skip().empty()) return;
    const SessionOptions options{.eager_bytes = 509,
                                 .chunk_bytes = 64,
                                 .pool_bytes = 4096,
                                 .device_pool_bytes = way_->pool_bytes(),
                                 .protocol = choice->protocol};
    session_ = std::make_unique<typewarp::Session>(MPI_COMM_WORLD, with_thread_if_asked(options));
    reason_to_skip() = way_->refused(*session_);
    if (!reason_to_skip().empty()) return session_.reset();
    way_->prepare(*transport::current());
  }
  void TearDown() override {
    if (session_) way_->expect_taken();
    session_.reset();
  }

 private:
  std::string_view name_;
  std::unique_ptr<Way> way_;  // outlives the Session
  std::unique_ptr<typewarp::Session> session_;
};

const testing::Environment* asked_for() {
  const char* const name = std::getenv("TYPEWARP_TEST_OVER");
  return name == nullptr ? nullptr : testing::AddGlobalTestEnvironment(new Over(name));
}

[[maybe_unused]] const testing::Environment* const environment = asked_for();

}  // namespace
}  // namespace typewarp::test
