// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/exchange.h>

#include "capi/arguments.hpp"
#include "schedule/streams/group.hpp"

#include <typewarp/exchange.hpp>

using namespace typewarp;
using namespace typewarp::capi;

static_assert(is(DeviceWait::automatic, TW_WAIT_AUTOMATIC) &&
              is(DeviceWait::memory_operation, TW_WAIT_MEMORY_OPERATION));
// Programs allocate them: if one grows, raise TYPEWARP_ABI_VERSION.
static_assert(sizeof(tw_exchange_options) == 16 && sizeof(tw_outgoing_part) == 32 &&
              sizeof(tw_incoming_part) == 32 && sizeof(tw_part_way) == 24);

struct tw_exchange {
  static constexpr const char* name = "exchange";
  Exchange value;
};

namespace {

ExchangeOptions options_of(const char* call, const tw_exchange_options* options) {
  ExchangeOptions made;
  if (options == nullptr) return made;
  made.time_limit = std::chrono::milliseconds(options->time_limit);
  made.wait = choice(call, "options.wait", options->wait, DeviceWait::memory_operation);
  return made;
}

tw_result way_of(const char* call, const tw_exchange* exchange, int index, tw_part_way* way,
                 std::vector<PartWay> (Exchange::*ways_of)() const) noexcept {
  return guarded(call, [&] {
    const Exchange& made = value_of(call, exchange);
    require(way, call, "way");
    const std::vector<PartWay> ways = (made.*ways_of)();
    if (index < 0 || index >= std::ssize(ways)) {
      throw InvalidArgument(call, "index", index,
                            "must be that of one of " + std::to_string(ways.size()) + " parts");
    }
    const PartWay& one = ways[static_cast<std::size_t>(index)];
    // Reasons are literals, so the pointer stays valid.
    *way = {one.bytes, one.peer, one.direct ? 1 : 0, one.reason.empty() ? "" : one.reason.data()};
  });
}

}  // namespace

tw_result tw_exchange_create(const tw_ranks* ranks, int send_count, const tw_outgoing_part* sends,
                             int recv_count, const tw_incoming_part* receives,
                             const tw_exchange_options* options, tw_exchange** exchange) {
  return guarded(__func__, [&](const char* call) {
    const Ranks& all = value_of(call, ranks);
    std::vector<OutgoingPart> out;
    std::vector<IncomingPart> in;
    ExchangeOptions chosen;
    // A rank that throws before it meets the others would leave them waiting.
    std::unique_ptr<exchange::ExchangeGroup> group = all.group();
    exchange::together(*group, [&] {
      require(exchange, call, "exchange");
      out = parts_of<OutgoingPart>(call, "send_count", send_count, "sends", sends);
      in = parts_of<IncomingPart>(call, "recv_count", recv_count, "receives", receives);
      chosen = options_of(call, options);
    });
    *exchange = new tw_exchange{Exchange(Ranks([&] { return std::move(group); }), out, in, chosen)};
  });
}

void tw_exchange_free(tw_exchange* exchange) { delete exchange; }

tw_result tw_exchange_start(tw_exchange* exchange, tw_stream stream) {
  return on(__func__, exchange, [&](Exchange& made) { made.start(Stream(stream)); });
}

tw_result tw_exchange_start_displaced(tw_exchange* exchange, int64_t sends, int64_t own_receives,
                                      tw_stream stream) {
  return on(__func__, exchange, [&](Exchange& made) {
    made.start(Stream(stream), {.sends = sends, .own_receives = own_receives});
  });
}

tw_result tw_exchange_done(tw_exchange* exchange, int* done) {
  return answer(__func__, exchange, &Exchange::done, done, "done");
}

tw_result tw_exchange_wait(tw_exchange* exchange) { return on(__func__, exchange, &Exchange::wait); }

tw_result tw_exchange_rebind(tw_exchange* exchange, int send_count, const void* const* sends, int recv_count,
                             void* const* receives) {
  constexpr const char* call = "tw_exchange_rebind";
  return on(call, exchange, [&](Exchange& made) {
    // C++ refuses a wrong number in all ranks together. A negative one becomes too large, a null list empty.
    const auto count = [](int number, const void* list, std::size_t parts) {
      return list == nullptr && parts > 0 ? std::size_t{0} : static_cast<std::size_t>(number);
    };
    try {
      made.rebind({sends, count(send_count, sends, made.ways_of_sends().size())},
                  {receives, count(recv_count, receives, made.ways_of_receives().size())});
    } catch (const InvalidArgument& error) {
      throw with_counts(error, call);
    }
  });
}

tw_result tw_exchange_way_of_send(const tw_exchange* exchange, int index, tw_part_way* way) {
  return way_of(__func__, exchange, index, way, &Exchange::ways_of_sends);
}

tw_result tw_exchange_way_of_receive(const tw_exchange* exchange, int index, tw_part_way* way) {
  return way_of(__func__, exchange, index, way, &Exchange::ways_of_receives);
}
