// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/collective/exchange.hpp"

#include "mpi/agree.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/session.hpp"
#include "transport/protocol/receive.hpp"
#include "transport/protocol/send.hpp"
#include "transport/buffer/message_buffer.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

namespace typewarp {
namespace {

using transport::CollectiveContext;
using transport::MessageBuffer;
using transport::Neighbours;
using transport::Operation;
using transport::Peer;
using transport::Sending;
using transport::StreamPoint;
using transport::StreamPoints;

/// What sides of the caller's wait for where their messages cannot start in the call itself.
class DeferredStart {
 public:
  /// Keeps its point in the stream, after which the caller's stream is not touched.
  void make_room(std::size_t sides) { points_.reserve(sides); }
  void take(MessageBuffer& side) {
    points_.push_back(side.turn());
    side.leave_stream();
  }
  bool reached() {
    while (!points_.empty() && points_.back().reached(false)) points_.pop_back();
    return points_.empty();
  }

 private:
  std::vector<StreamPoint> points_;
};

/// Messages that are one operation together: over when all are, and with the first error of them. They start
/// when the communicator's channel is made, which is in the call but for a communicator's first exchanges.
class ExchangeOperation final : public Operation {
 public:
  /// Messages are for their edges: the other end of each is known when the channel is made. `failure`: why
  /// this rank sends nothing; null if it takes part.
  ExchangeOperation(MPI_Comm comm, std::shared_ptr<transport::Progress> progress,
                    std::shared_ptr<CollectiveContext> channel, std::vector<Sending> incoming,
                    std::vector<Sending> outgoing, std::exception_ptr failure)
      : Operation({MPI_ANY_SOURCE, MPI_ANY_TAG, comm}, std::move(progress)),
        channel_(std::move(channel)),
        incoming_(std::move(incoming)),
        outgoing_(std::move(outgoing)),
        failure_(std::move(failure)) {
    // Once it has its turn, the next exchange waits for it, and other ranks for its messages.
    deferred_.make_room(incoming_.size() + outgoing_.size());
    messages_.reserve(incoming_.size() + outgoing_.size());
    started_.reserve(messages_.capacity());
  }

  /// To be called once, when nothing is left that it takes to wait for it.
  void begin_in_turn() {
    turn_ = channel_->take_turn();
    try {
      // Outside of a Session nobody would begin it while another request is waited for.
      const bool wait = home() == nullptr;
      if (begin(wait)) return;
      for (Sending& one : incoming_) deferred_.take(one.side);
      for (Sending& one : outgoing_) deferred_.take(one.side);
    } catch (...) {
      if (stage_ != StartStage::deferred && messages_.empty()) {
        channel_->spoil();  // others have sent, or wait, for this exchange
        throw;
      }
      // What has been started needs somebody who brings it to an end.
      give_up(failure_ ? failure_ : std::current_exception());
    }
  }

 private:
  enum class StartStage : std::uint8_t { deferred, begun, started };

  // Messages of a Session are moved on by themselves.
  bool run(bool block) override {
    if (stage_ == StartStage::deferred && (given_up_ || !deferred_.reached() || !begin(false)))
      return given_up_;
    bool over = true;
    std::uint64_t steps = 0;
    for (const std::shared_ptr<Operation>& message : messages_) {
      if (!message->home() && !message->over()) message->advance(block);
      over = message->over() && over;
      steps += message->steps() + (message->over() ? 1 : 0);
    }
    if (std::exchange(steps_, steps) != steps) repeat_step();
    if (!over) return false;
    if (given_up_) return true;
    if (failure_) std::rethrow_exception(failure_);
    for (const std::shared_ptr<Operation>& message : messages_) static_cast<void>(message->result());
    return true;
  }

  void fail() override {
    given_up_ = true;
    if (stage_ != StartStage::started || !std::ranges::all_of(messages_, &Operation::over)) channel_->spoil();
    for (const std::shared_ptr<Operation>& message : messages_) {
      if (message->home()) {
        message->home()->give_up(*message);
      } else {
        message->give_up();
      }
    }
  }

  /// Starts all messages if they can start; where that throws, `messages_` are those that were started.
  bool begin(bool block) {
    if (!channel_->made(block) || !channel_->is_turn(turn_)) return false;
    stage_ = StartStage::begun;
    const bool sends_nothing = failure_ != nullptr;
    const Taken taken{*this, started_};
    for (Sending& one : incoming_)
      started_.push_back(begin_receive(std::move(one.side), channel_->source({one.to.rank, one.to.tag})));
    for (Sending& one : outgoing_) one.to = channel_->destination({one.to.rank, one.to.tag});
    begin_sends(sends_nothing);
    incoming_.clear();
    outgoing_.clear();
    stage_ = StartStage::started;
    return true;
  }

  /// Who could not be told of a failure would take a message of the next exchange for one of this.
  void begin_sends(bool sends_nothing) {
    std::exception_ptr why;
    try {
      if (sends_nothing) {
        transport::begin_failed_sends(outgoing_, failure_, started_);
      } else {
        why = transport::begin_sends_or_announce_failure(outgoing_, started_);
      }
    } catch (...) {
      why = std::current_exception();
      channel_->spoil();
    }
    if (!failure_) failure_ = why;
  }

  /// In place of what cannot be received, nothing is: its sender does not wait, nor does the next exchange
  /// take the message for its own.
  Request begin_receive(MessageBuffer side, const Peer& from) {
    side.is_of_collective = true;
    try {
      return transport::begin_receive(std::move(side), from).request();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
    constexpr transport::Names names{"typewarp::alltoallw", "buffer", "count"};
    constexpr bool nobody = false;
    MessageBuffer nothing(names, nullptr, 0, commit(Named::byte), from.comm, nobody, nullptr);
    return transport::begin_receive(std::move(nothing), from).request();
  }

  /// Makes messages of what was started, however that ended.
  struct Taken {
    ExchangeOperation& exchange;
    std::vector<Request>& started;
    ~Taken() {
      for (Request& message : started) exchange.messages_.push_back(take(message));
      started.clear();
      exchange.channel_->end_turn();
    }
  };

  std::shared_ptr<CollectiveContext> channel_;  ///< in use until all messages are over
  std::uint64_t turn_ = 0;
  std::vector<Sending> incoming_, outgoing_;
  DeferredStart deferred_;
  StartStage stage_ = StartStage::deferred;
  std::exception_ptr failure_;    ///< of what could not start
  std::vector<Request> started_;  // while it begins
  std::vector<std::shared_ptr<Operation>> messages_;
  std::uint64_t steps_ = 0;
  bool given_up_ = false;
};

constexpr const char* edge_exchange = "typewarp::transport::EdgeExchange";

/// An exchange's public call.
struct ExchangeCall {
  const char* name;
  MPI_Comm comm;
  Stream stream;
};

/// Between whom: neighbours of the communicator's topology, or all its ranks.
enum class Among : std::uint8_t { all, neighbours };

void check_communicator(const ExchangeCall& call, Among among) {
  mpi::check_communicator(call.name, "comm", call.comm);
  if (among == Among::all) return;
  int topology = MPI_UNDEFINED;
  mpi::check(MPI_Topo_test(call.comm, &topology), "MPI_Topo_test");
  if (topology == MPI_UNDEFINED) {
    throw InvalidArgument(call.name, "comm", "one without a topology", "must have one");
  }
}

/// Names cost as much as a short message, so that only those that are wrong have some.
template <typename Given>
MessageBuffer checked(const ExchangeCall& call, const std::string& argument, std::size_t i, const Given& part,
                      bool nobody) {
  const auto with = [&](const transport::Names& names) {
    return MessageBuffer(names, part.buffer, part.count, part.plan, call.comm, nobody, call.stream);
  };
  try {
    return with({call.name, "buffer", "count"});
  } catch (const InvalidArgument&) {
    const std::string name = argument + "[" + std::to_string(i) + "]";
    return with({call.name, (name + ".buffer").c_str(), (name + ".count").c_str()});
  }
}

/// What a caller gave for each of `edges`.
template <typename Given>
std::vector<Sending> sides(const ExchangeCall& call, const std::string& argument,
                           std::span<const Given> parts, const std::vector<Neighbours::Edge>& edges,
                           StreamPoints& points) {
  if (parts.size() != edges.size()) {
    throw InvalidArgument(call.name, argument + ".size()", static_cast<long long>(parts.size()),
                          "must be " + std::to_string(edges.size()) + ", one for each rank or neighbour");
  }
  std::vector<Sending> made;
  made.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [rank, tag] = edges[i];
    made.push_back({checked(call, argument, i, parts[i], rank == MPI_PROC_NULL), {rank, tag, call.comm}});
    points.give(made.back().side);
  }
  return made;
}

using transport::ActiveOperations;

/// All that an exchange takes.
ActiveOperations::Place prepared(const ExchangeCall& call, const Neighbours& neighbours,
                                 const std::shared_ptr<CollectiveContext>& channel,
                                 std::span<const SendPart> sends, std::span<const RecvPart> receives,
                                 const std::exception_ptr& failure = nullptr) {
  StreamPoints points;
  std::vector<Sending> outgoing = sides(call, "sends", sends, neighbours.destinations, points);
  std::vector<Sending> incoming = sides(call, "receives", receives, neighbours.sources, points);
  return ActiveOperations::place_for(
      std::make_shared<ExchangeOperation>(call.comm, transport::progress_of(transport::current()), channel,
                                          std::move(incoming), std::move(outgoing), failure));
}

Request begun(ActiveOperations::Place place) {
  const std::shared_ptr<Operation> made = place.front();
  static_cast<ExchangeOperation&>(*made).begin_in_turn();
  if (made->home()) made->home()->add(std::move(place));
  return transport::Internal::request(made);
}

/// In a rank that cannot take part because of `why`.
Request start_failed(const ExchangeCall& call, const Neighbours& neighbours,
                     const std::shared_ptr<CollectiveContext>& channel, const std::exception_ptr& why) {
  static constexpr std::byte announced{};  // a message of no bytes would be complete with its announcement
  const ExchangeCall by_no_stream{call.name, call.comm, nullptr};
  const auto prepare = [&] {
    const Plan bytes = commit(Named::byte);
    const std::vector sends(neighbours.destinations.size(), SendPart{&announced, 1, bytes});
    const std::vector receives(neighbours.sources.size(), RecvPart{nullptr, 0, bytes});
    return prepared(by_no_stream, neighbours, channel, sends, receives, why);
  };
  return begun(channel->or_spoil([&] { return transport::insist(prepare); }));
}

Request start(const ExchangeCall& call, const Neighbours& neighbours,
              const std::shared_ptr<CollectiveContext>& channel, std::span<const SendPart> sends,
              std::span<const RecvPart> receives) {
  ActiveOperations::Place place;
  try {
    place = transport::insist([&] { return prepared(call, neighbours, channel, sends, receives); });
  } catch (const InvalidArgument&) {
    throw;  // the caller's to mend
  } catch (...) {
    return start_failed(call, neighbours, channel, std::current_exception());
  }
  return begun(std::move(place));
}

Request start(const ExchangeCall& call, Among among, std::span<const SendPart> sends,
              std::span<const RecvPart> receives) {
  check_communicator(call, among);
  const auto channel = CollectiveContext::of(call.comm);
  const auto find = [&] {
    return among == Among::all ? transport::everybody(call.comm) : transport::in_topology(call.comm);
  };
  const Neighbours neighbours = channel->or_spoil([&] { return transport::insist(find); });
  return start(call, neighbours, channel, sends, receives);
}

}  // namespace

Request ialltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives, MPI_Comm comm,
                   Stream stream) {
  return start({"typewarp::ialltoallw", comm, stream}, Among::all, sends, receives);
}

void alltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives, MPI_Comm comm,
               Stream stream) {
  start({"typewarp::alltoallw", comm, stream}, Among::all, sends, receives).wait();
}

Request ineighbor_alltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives,
                            MPI_Comm comm, Stream stream) {
  return start({"typewarp::ineighbor_alltoallw", comm, stream}, Among::neighbours, sends, receives);
}

void neighbor_alltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives, MPI_Comm comm,
                        Stream stream) {
  start({"typewarp::neighbor_alltoallw", comm, stream}, Among::neighbours, sends, receives).wait();
}

namespace transport {

EdgeExchange::EdgeExchange(MPI_Comm comm, Neighbours edges, std::shared_ptr<CollectiveContext> channel)
    : comm_(comm), edges_(std::move(edges)), channel_(std::move(channel)) {
  mpi::check_communicator(edge_exchange, "comm", comm);
}

Request EdgeExchange::start(std::span<const SendPart> sends, std::span<const RecvPart> receives,
                            Stream stream) const {
  return typewarp::start({edge_exchange, comm_, stream}, edges_, channel_, sends, receives);
}

Request EdgeExchange::start_failed(std::exception_ptr why) const {
  return typewarp::start_failed({edge_exchange, comm_, nullptr}, edges_, channel_, why);
}

}  // namespace transport

}  // namespace typewarp
