// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/alltoallv.hpp"

#include "interpose/collective_calls.hpp"
#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/collectives/block_messages.hpp"
#include "interpose/core/collectives/staged.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/operations.hpp"
#include "transport/collective/exchange.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/wire/rts.hpp"

#include <dlfcn.h>

#include <string>
#include <utility>

namespace typewarp::interpose::alltoallv {
namespace {

using transport::CollectiveContext;
using transport::Neighbours;

/// Packed bytes of a block that stays in the MPI's call, the same in all ranks: what would go as it is by a
/// message, too. From there on messages between GPUs take less time than copies for the MPI.
constexpr std::int64_t longest_short = transport::rts_bytes - 1;

/// Whether the MPI has calls that count by 64 bits.
bool mpi_counts_wide() noexcept {
  static const bool counts_wide = dlsym(RTLD_DEFAULT, "PMPI_Alltoallv_c") != nullptr;
  return counts_wide;
}

/// One side as the MPI is given it: without what is longer, and in an order, or the program's if that is
/// empty. `narrows`: the MPI takes int only, and the arrays are of 64 bits. Throws InvalidArgument where one
/// of the short blocks lies further than that.
class ShortBlocks {
 public:
  ShortBlocks(const CallSide& all, std::int64_t longest, const std::vector<std::size_t>& order, bool narrows)
      : side_(all),
        counts_(narrows ? no_ints : all.counts),
        displacements_(narrows ? no_ints : all.displacements) {
    if (!all.is_given() || (!narrows && order.empty() && !all.any_is_longer(longest))) return;
    for (std::size_t k = 0; k < all.size; ++k) {
      const std::size_t i = order.empty() ? k : order[k];
      const bool is_ours = all.is_longer(i, longest);
      counts_.add(is_ours ? 0 : all.count_of(i));
      displacements_.add(is_ours ? 0 : all.displacements[i]);
      types_.push_back(all.type_of(i));
    }
    side_.counts = counts_.array();
    side_.displacements = displacements_.array();
    side_.types = types_.data();
  }
  ShortBlocks& operator=(ShortBlocks&&) = delete;

  const CallSide& side() const noexcept { return side_; }

 private:
  static constexpr IntArray no_ints{static_cast<const int*>(nullptr)};

  CallSide side_;
  IntList counts_, displacements_;
  std::vector<MPI_Datatype> types_;
};

/// What becomes of a call that is not the MPI's as it is.
struct Choice {
  std::int64_t longest = 0;  ///< packed bytes of a block that is the MPI's
  bool some_are_longer = false;
  bool sends_copies = false, receives_copies = false;  ///< of what is the MPI's
  /// Of the messages of ours; null if there are none, and it need not be opened.
  std::shared_ptr<CollectiveContext> channel;
  std::vector<std::size_t> order;  ///< of what the MPI sends; empty: the program's

  /// Whether something is moved by us.
  bool is_ours() const noexcept { return some_are_longer || sends_copies || receives_copies; }
};

/// Opening is collective, so all ranks do so at their first exchange, and whoever has no message there sees
/// to it that others can start theirs. Null if nothing is left to be done with it.
std::shared_ptr<CollectiveContext> open_channel(MPI_Comm comm, bool is_open, bool is_persistent,
                                                bool is_used) {
  if (is_open && !is_persistent && !is_used) return nullptr;
  std::shared_ptr<CollectiveContext> channel =
      is_persistent ? CollectiveContext::apart(comm) : CollectiveContext::of(comm);
  // To make a persistent request may wait for others.
  return channel->made(is_persistent) && !is_used ? nullptr : channel;
}

/// Open MPI 4 has no persistent collective calls: there all blocks are messages of ours.
bool mpi_has(const Call& call) {
  std::string name = std::string("P") + name_of(call.number);
  if (name.ends_with("_c")) name.resize(name.size() - 2);
  return dlsym(RTLD_DEFAULT, name.c_str()) != nullptr;
}
/// In place of one.
int request_of_nothing(const Call& call) noexcept {
  return PMPI_Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, own_comm(), call.form.request);
}

/// Which blocks are the MPI's, and the channel of the others. Where it throws, `choice` has what is known.
void divide(const Call& call, const std::optional<Everyone>& everyone, Choice& choice) {
  const bool is_persistent = call.form.is_persistent;
  choice.longest = CallSide::no_limit;
  if (!everyone) return;
  const bool is_all_ours = is_persistent && !mpi_has(call);
  choice.longest = is_all_ours ? 0 : longest_short;
  choice.some_are_longer =
      call.received.any_is_longer(choice.longest) || call.sent.any_is_longer(choice.longest);
  choice.channel =
      open_channel(call.comm, everyone->is_open, is_persistent, choice.some_are_longer || is_all_ours);
}

bool is_for_the_mpi_to_refuse(const Call& call) noexcept {
  const bool is_in_place = call.among_neighbours && call.sent.in_place();  // both sides differ there
  return is_in_place || call.sent.has_negative() || call.received.has_negative();
}

/// Nothing if the call is the MPI's as it is.
std::optional<Choice> choose(const Call& call, Choice choice, bool any_may_be_ours) {
  if (is_for_the_mpi_to_refuse(call)) {
    choice.longest = CallSide::no_limit;
    choice.some_are_longer = false;
    return choice.channel ? std::optional(choice) : std::nullopt;
  }
  if (any_may_be_ours) {
    choice.sends_copies = call.sent.any_is_ours(choice.longest);
    choice.receives_copies = call.received.any_is_ours(choice.longest);
  }
  // Also of host memory: what is right must not depend on that of a peer.
  if (call.among_neighbours && !call.form.blocks()) choice.order = order_of_sends(call.comm, call.sent.size);
  if (!choice.channel && choice.order.empty() && !choice.sends_copies && !choice.receives_copies)
    return std::nullopt;
  return choice;
}

std::vector<Data> longer_blocks(const CallSide& side, std::int64_t longest) {
  std::vector<Data> found;
  for (std::size_t i = 0; i < side.size; ++i) {
    if (side.is_longer(i, longest)) found.push_back(side.data(i));
  }
  return found;
}

/// The edges of blocks that are longer.
Neighbours long_edges(const Call& call, const Choice& choice) {
  const Neighbours all =
      call.among_neighbours ? transport::in_topology(call.comm) : transport::everybody(call.comm);
  const CallSide& leaving = call.sent.in_place() ? call.received : call.sent;
  Neighbours edges;
  for (std::size_t i = 0; i < leaving.size; ++i) {
    if (leaving.is_longer(i, choice.longest)) edges.destinations.push_back(all.destinations[i]);
  }
  for (std::size_t i = 0; i < call.received.size; ++i) {
    if (call.received.is_longer(i, choice.longest)) edges.sources.push_back(all.sources[i]);
  }
  return edges;
}

/// The blocks that are longer, as messages along their edges. Where they cannot be, peers are told so.
std::unique_ptr<LongBlocks> messages_of(const Call& call, const Choice& choice) {
  const bool in_place = call.sent.in_place();
  MessageBlocks blocks{
      .edges = long_edges(call, choice), .outgoing = {}, .incoming = {}, .replaces = in_place};
  try {
    transport::insist([&] {
      if (!in_place) blocks.outgoing = longer_blocks(call.sent, choice.longest);
      blocks.incoming = longer_blocks(call.received, choice.longest);
    });
  } catch (...) {
    blocks.failure = std::current_exception();
  }
  return std::make_unique<LongBlocks>(call.comm, choice.channel, stream_of(call.comm), std::move(blocks));
}

/// What the MPI is given, and what goes beside. `arrays`: of the call, of 64 bits, if they are not the
/// program's.
std::shared_ptr<StagedCall> staged_call(const Call& call, const Choice& choice,
                                        std::shared_ptr<const void> arrays) {
  struct OwnArguments {
    ShortBlocks outgoing, incoming;
    std::shared_ptr<const void> arrays;
  };
  const bool narrows = arrays && !mpi_counts_wide();
  const std::shared_ptr<OwnArguments> kept(
      new OwnArguments{.outgoing{call.sent, choice.longest, choice.order, narrows},
                       .incoming{call.received, choice.longest, {}, narrows},
                       .arrays = std::move(arrays)});
  Call given = call;
  given.sent = kept->outgoing.side();
  given.received = kept->incoming.side();
  if (call.form.is_persistent && choice.longest == 0) given.hand_on = request_of_nothing;
  const auto staged = std::make_shared<StagedCall>(given, choice.sends_copies, choice.receives_copies);
  staged->add(choice.channel ? messages_of(call, choice) : nullptr, kept);
  return staged;
}

/// Null if the call is the MPI's as it is.
std::shared_ptr<StagedCall> prepare(const Call& call, const Choice& divided, bool may_be_ours,
                                    const std::shared_ptr<const void>& arrays) {
  std::optional<Choice> choice = choose(call, divided, may_be_ours);
  // A request needs the arrays of the call, which end with it.
  if (!choice && arrays && (!call.form.blocks() || !mpi_counts_wide()))
    choice.emplace().longest = CallSide::no_limit;
  if (!choice) return nullptr;
  if (choice->some_are_longer) get_ready();
  const std::shared_ptr<StagedCall> staged = staged_call(call, *choice, arrays);
  if (choice->is_ours()) tell_taken(call.received.bytes());
  return staged;
}

/// For a rank that fails before it has started any message. Peers must hear of it, or they would take its
/// later messages for these.
void fail_messages(const Call& call, const Choice& choice, const std::exception_ptr& why) noexcept {
  if (!choice.some_are_longer || !choice.channel) return;
  try {
    const transport::EdgeExchange messages(
        call.comm, transport::insist([&] { return long_edges(call, choice); }), choice.channel);
    const Request told = messages.start_failed(why);
  } catch (...) {
    choice.channel->spoil();
  }
}

/// Whether some block of the MPI's part goes to another rank, or comes from one.
bool others_need_the_mpis_part(const Call& call, const Choice& choice) {
  const auto is_needed = [&](const CallSide& side) {
    for (std::size_t i = 0; side.is_given() && i < side.size; ++i) {
      const bool is_own = !call.among_neighbours && std::cmp_equal(i, call.group->rank);
      if (!is_own && side.count_of(i) > 0 && !side.is_longer(i, choice.longest)) return true;
    }
    return false;
  };
  return is_needed(call.sent) || is_needed(call.received);
}

/// The MPI's part of a call that fails here before the MPI has heard of it, without any block: all ranks must
/// make as many calls of the MPI. Where another rank needs a block of that part it waits, as it does for a
/// rank whose call the MPI refuses: it must not miss the block without an error.
void make_the_mpis_part(const Call& call, const Choice& choice,
                        const std::shared_ptr<const void>& arrays) noexcept {
  Choice nothing;
  nothing.longest = 0;
  try {
    if (others_need_the_mpis_part(call, choice)) return;
    MPI_Request made = MPI_REQUEST_NULL;
    const Form form = call.form.blocks() ? Form{} : Form{&made};
    interpose::make(transport::insist([&] { return staged_call(call, nothing, arrays); }), form);
    if (!form.blocks()) operations().free(made);
  } catch (...) {
    return;  // the error is that of the call
  }
}

/// Whether it was made: if not it is the MPI's as it is.
bool is_made(Call& call, const std::optional<Everyone>& everyone, bool may_be_ours,
             const std::shared_ptr<const void>& arrays) {
  call.join();
  if (!call.members().is_known) return false;
  Choice divided;
  std::shared_ptr<StagedCall> staged;
  try {
    divide(call, everyone, divided);
    staged = transport::insist([&] { return prepare(call, divided, may_be_ours, arrays); });
    if (staged) interpose::make(staged, call.form);
  } catch (...) {
    if (call.form.is_persistent || is_for_the_mpi_to_refuse(call)) throw;
    if (!staged || !staged->has_begun()) fail_messages(call, divided, std::current_exception());
    if (!staged || !staged->is_handed_on()) make_the_mpis_part(call, divided, arrays);
    throw;
  }
  return staged != nullptr;
}

/// Of calls that stand in for another: with and without neighbours, of int and of more, in each form.
struct StandIn {
  int number;
  int (*hand_on)(const Call&) noexcept;
};
constexpr StandIn stand_ins[2][2][3]{
    {{{call::Alltoallv, hand_on_Alltoallv},
      {call::Ialltoallv, hand_on_Ialltoallv},
      {call::Alltoallv_init, hand_on_Alltoallv_init}},
     {{call::Alltoallv_c, hand_on_Alltoallv_c},
      {call::Ialltoallv_c, hand_on_Ialltoallv_c},
      {call::Alltoallv_init_c, hand_on_Alltoallv_init_c}}},
    {{{call::Neighbor_alltoallv, hand_on_Neighbor_alltoallv},
      {call::Ineighbor_alltoallv, hand_on_Ineighbor_alltoallv},
      {call::Neighbor_alltoallv_init, hand_on_Neighbor_alltoallv_init}},
     {{call::Neighbor_alltoallv_c, hand_on_Neighbor_alltoallv_c},
      {call::Ineighbor_alltoallv_c, hand_on_Ineighbor_alltoallv_c},
      {call::Neighbor_alltoallv_init_c, hand_on_Neighbor_alltoallv_init_c}}}};

Call standing_in(const Call& call, const TypedBuffer& from, const TypedBuffer& to,
                 const Arrays& arrays) noexcept {
  const auto side = [&](const TypedBuffer& of, const IntList& counts, const IntList& displacements) {
    return CallSide{.buffer = of.buffer,
                    .type = of.type,
                    .placing = CallSide::Placing::in_extents,
                    .counts = counts.array(),
                    .displacements = displacements.array(),
                    .comm = call.comm};
  };
  const auto& [blocking, nonblocking, persistent] =
      stand_ins[call.among_neighbours ? 1 : 0][mpi_counts_wide() ? 1 : 0];
  const StandIn& made = call.form.blocks() ? blocking : call.form.is_persistent ? persistent : nonblocking;
  return {.number = made.number,
          .pattern = CallPattern::alltoall,
          .paths = path::exchange,
          .hand_on = made.hand_on,
          .comm = call.comm,
          .sent = side(from, arrays.sendcounts, arrays.sdispls),
          .received = side(to, arrays.recvcounts, arrays.rdispls),
          .form = call.form,
          .among_neighbours = call.among_neighbours};
}

}  // namespace

void open(MPI_Comm comm, const Everyone& everyone, const Form& form) {
  constexpr bool is_used = false;
  open_channel(comm, everyone.is_open, form.is_persistent, is_used);
}

std::optional<int> make(Call& call) noexcept {
  if (call.comm == MPI_COMM_NULL) return std::nullopt;
  bool is_ours = false;
  const int code = guarded(call.comm, [&] {
    const bool may_be_ours = any_may_be_ours();
    const std::optional<Everyone> everyone =
        call.form.blocks() ? everyone_if_device(call.comm, may_be_ours) : everyone_of(call.comm);
    if (everyone || may_be_ours) is_ours = is_made(call, everyone, may_be_ours, nullptr);
  });
  return is_ours || code != MPI_SUCCESS ? std::optional(code) : std::nullopt;
}

int stand_in(const Call& call, const TypedBuffer& from, const TypedBuffer& to,
             std::shared_ptr<const Arrays> arrays, const Everyone& everyone) noexcept {
  Call made = standing_in(call, from, to, *arrays);
  bool is_ours = false;
  const int code = guarded(call.comm, [&] { is_ours = is_made(made, everyone, any_may_be_ours(), arrays); });
  return is_ours || code != MPI_SUCCESS ? code : made.hand_on(made);
}

}  // namespace typewarp::interpose::alltoallv
