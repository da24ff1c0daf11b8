// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// MPI_Alltoallw, MPI_Alltoallv, and their kin among neighbours. All ranks make the MPI's call, which is given
// packed copies of what is on a device. Where all of them have this library and one may use a GPU, it has the
// short blocks only, and the long ones are messages of ours: both ends of a block know its bytes, but not
// each other's memory.

#include "interpose/core/buffers/streams.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/collectives/blocks.hpp"
#include "interpose/core/collectives/alltoallv.hpp"
#include "interpose/core/collectives/group.hpp"
#include "interpose/core/collectives/long_blocks.hpp"
#include "interpose/core/collectives/one_buffer.hpp"
#include "interpose/core/collectives/order_of_sends.hpp"
#include "interpose/core/collectives/staged.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/observe/observed.hpp"
#include "transport/collective/exchange.hpp"
#include "transport/wire/rts.hpp"

#include <dlfcn.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace typewarp::interpose {
namespace {

using transport::CollectiveContext;
using transport::Neighbours;

/// One side as the MPI is given it: without what is longer, and in an order, or the program's if that is
/// empty. Its arrays must live as long as the MPI's call.
template <class Given>
class ShortBlocks {
 public:
  ShortBlocks(const Given& all, std::int64_t longest, const std::vector<std::size_t>& order) : side_(all) {
    if (!all.is_given() || (order.empty() && !all.any_is_longer(longest))) return;
    for (std::size_t k = 0; k < all.size; ++k) {
      const std::size_t i = order.empty() ? k : order[k];
      const bool is_ours = all.is_longer(i, longest);
      counts_.push_back(is_ours ? 0 : all.counts[i]);
      displacements_.push_back(is_ours ? 0 : all.displacements[i]);
      if constexpr (!Given::one_type) types_.push_back(all.types[i]);
    }
    side_.counts = counts_.data();
    side_.displacements = displacements_.data();
    if constexpr (!Given::one_type) side_.types = types_.data();
  }
  ShortBlocks(const ShortBlocks&) = delete;
  ShortBlocks& operator=(const ShortBlocks&) = delete;

  const Given& side() const noexcept { return side_; }

 private:
  Given side_;
  std::vector<std::remove_const_t<std::remove_pointer_t<decltype(Given::counts)>>> counts_;
  std::vector<std::remove_const_t<std::remove_pointer_t<decltype(Given::displacements)>>> displacements_;
  std::vector<MPI_Datatype> types_;
};

/// Packed bytes of a block that stays in the MPI's call, the same in all ranks: what would go as it is by a
/// message, too. From there on messages between GPUs take less time than copies for the MPI.
constexpr std::int64_t longest_short = transport::rts_bytes - 1;

constexpr bool leaves_gpu_memory = false;

/// What becomes of a call that is not the MPI's as it is.
struct Choice {
  std::int64_t longest = 0;  ///< packed bytes of a block that is the MPI's
  bool some_are_longer = false;
  bool sends_copies = false, receives_copies = false;  ///< of what is the MPI's
  /// Of the messages of ours; null if there are none, and it need not be opened.
  std::shared_ptr<CollectiveContext> channel;
  std::vector<std::size_t> order;      ///< of what the MPI sends; empty: the program's
  std::shared_ptr<const void> arrays;  ///< of the call, where they are not the program's

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

/// One of the calls. What differs in types is compiled apart, and nothing else.
template <class Count, class Displacement, class Types>
struct Call {
  using Given = Blocks<Count, Displacement, Types>;
  int base;  ///< the call without `_c`
  bool among_neighbours;
  int number = twin<Count>(base);

  template <class... Last>
  int hand_on(const Given& sent, const Given& received, MPI_Comm comm, Last... last) const {
    return interpose::hand_on(number, sent.buffer, sent.counts, sent.displacements, sent.types,
                              const_cast<void*>(received.buffer), received.counts, received.displacements,
                              received.types, comm, last...);
  }

  /// Whether the MPI refuses the call for its one buffer, of any length. Not among neighbours, nor if any
  /// other argument differs.
  template <class... Last>
  bool is_refused(const Given& sent, const Given& received, Last...) const noexcept {
    if (sent.buffer != received.buffer || sent.counts != received.counts || sent.types != received.types)
      return false;
    if (among_neighbours || sent.in_place() || rank_in_group(received.comm) < 0) return false;
    return mpi_refuses([&](OneBuffer& one) {
      const Count few = OneBuffer::most;
      const Displacement first = 0;
      const MPI_Datatype type = MPI_INT;
      Given both{one.memory, &few, &first, {}, 1, own_comm()};
      if constexpr (Given::one_type) {
        both.types = type;
      } else {
        both.types = &type;
      }
      if constexpr (sizeof...(Last) == 0) return hand_on(both, both, own_comm());
      if constexpr (sizeof...(Last) == 1) return hand_on(both, both, own_comm(), &one.request);
      if constexpr (sizeof...(Last) == 2)
        return hand_on(both, both, own_comm(), MPI_Info{MPI_INFO_NULL}, &one.request);
    });
  }

  /// Open MPI 4 has no persistent collective calls: there all blocks are messages of ours.
  bool mpi_has_it() const {
    return dlsym(RTLD_DEFAULT, (std::string("P") + names[static_cast<std::size_t>(base)]).c_str()) != nullptr;
  }
  const char* name() const noexcept { return names[static_cast<std::size_t>(number)]; }
  /// In place of its.
  static int request_of_nothing(MPI_Info, MPI_Request* request) {
    return PMPI_Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, own_comm(), request);
  }
  std::int64_t longest_of_mpi(const std::optional<Everyone>& everyone, bool is_persistent) const {
    if (!everyone) return Given::no_limit;
    return is_persistent && !mpi_has_it() ? 0 : longest_short;
  }

  /// Nothing if the call is the MPI's as it is.
  std::optional<Choice> choose(const Given& sent, const Given& received,
                               const std::optional<Everyone>& everyone, bool any_may_be_ours,
                               bool is_nonblocking, bool is_persistent) const {
    Choice choice;
    choice.longest = longest_of_mpi(everyone, is_persistent);
    if (choice.longest != Given::no_limit) {
      choice.some_are_longer = received.any_is_longer(choice.longest) || sent.any_is_longer(choice.longest);
      const bool is_used = choice.some_are_longer || (is_persistent && !mpi_has_it());
      choice.channel = open_channel(received.comm, everyone->is_open, is_persistent, is_used);
    }
    if (among_neighbours && sent.in_place()) {  // the MPI's to refuse: who sends and who receives differ
      choice.longest = Given::no_limit;
      choice.some_are_longer = false;
      return choice.channel ? std::optional(choice) : std::nullopt;
    }
    if (any_may_be_ours) {
      choice.sends_copies = sent.any_is_ours(choice.longest);
      choice.receives_copies = received.any_is_ours(choice.longest);
    }
    // Also of host memory: what is right must not depend on that of a peer.
    if (among_neighbours && (is_nonblocking || is_persistent))
      choice.order = order_of_sends(received.comm, sent.size);
    if (!choice.channel && choice.order.empty() && !choice.sends_copies && !choice.receives_copies)
      return std::nullopt;
    return choice;
  }

  /// The blocks that are longer, as messages along their edges.
  std::unique_ptr<LongBlocks> messages_of(const Given& sent, const Given& received,
                                          const Choice& choice) const {
    const MPI_Comm comm = received.comm;
    const Neighbours all = among_neighbours ? transport::in_topology(comm) : transport::everybody(comm);
    const Given& leaving = sent.in_place() ? received : sent;
    Neighbours edges;
    std::vector<Data> outgoing, incoming;
    for (std::size_t i = 0; i < leaving.size; ++i) {
      if (!leaving.is_longer(i, choice.longest)) continue;
      edges.destinations.push_back(all.destinations[i]);
      if (!sent.in_place()) outgoing.push_back(sent.data(i));
    }
    for (std::size_t i = 0; i < received.size; ++i) {
      if (!received.is_longer(i, choice.longest)) continue;
      edges.sources.push_back(all.sources[i]);
      incoming.push_back(received.data(i));
    }
    return std::make_unique<LongBlocks>(transport::EdgeExchange(comm, std::move(edges), choice.channel), comm,
                                        stream_of(comm), std::move(outgoing), std::move(incoming),
                                        sent.in_place());
  }

  struct ShortSides {
    ShortBlocks<Given> outgoing, incoming;
  };
  /// Of a call: what the MPI is given, with copies of what it cannot take, and messages of ours.
  class Parts : private ShortSides, public Staged<Given, Given> {
   public:
    Parts(const Call& call, const Given& sent, const Given& received, const Choice& choice)
        : ShortSides{{sent, choice.longest, choice.order}, {received, choice.longest, {}}},
          // Nothing comes from neighbours that are MPI_PROC_NULL: there the copy must be what was there.
          Staged<Given, Given>(ShortSides::outgoing.side(), choice.sends_copies, ShortSides::incoming.side(),
                               choice.receives_copies,
                               sent.in_place() || (call.among_neighbours && choice.receives_copies &&
                                                   some_source_is_nobody(received.comm))),
          arrays_(choice.arrays) {
      if (choice.channel) messages_ = call.messages_of(sent, received, choice);
    }

    std::vector<Request> begin() {
      this->fill();  // may fail, and whoever has begun waits for its peers
      return messages_ ? messages_->begin() : std::vector<Request>();
    }

   private:
    std::shared_ptr<const void> arrays_;
    std::unique_ptr<LongBlocks> messages_;  ///< null: none
  };

  /// Makes the MPI's call on what it is given, and what else there is.
  template <class... Last>
  void make(const Given& sent, const Given& received, const Choice& choice, Last... last) const {
    const MPI_Comm comm = received.comm;
    const auto parts = std::make_shared<Parts>(*this, sent, received, choice);
    const auto mpis_call = [&](const Given& from, const Given& to, auto... more) {
      if constexpr (sizeof...(more) == 2) {
        if (choice.longest == 0) return request_of_nothing(more...);
      }
      return hand_on(from, to, comm, more...);
    };
    stage(number, comm, parts, HandOn<Parts, Last...>(mpis_call), last...);
  }

  /// Whether it was made: if not it is the MPI's as it is. `arrays`: null where they are the program's, and
  /// else kept as long as a request needs them.
  template <class... Last>
  bool is_made(Given sent, Given received, const std::optional<Everyone>& everyone, bool may_be_ours,
               const std::shared_ptr<const void>& arrays, Last... last) const {
    const MPI_Comm comm = received.comm;
    const Group group = among_neighbours ? neighbours_of(comm)
                        : everyone       ? all_of_one_group(comm)
                                         : all_of(comm);
    if (!group.is_known) return false;
    sent.size = group.sends;
    received.size = group.receives;
    constexpr bool is_nonblocking = sizeof...(last) == 1;
    constexpr bool is_persistent = sizeof...(last) == 2;
    std::optional<Choice> choice =
        choose(sent, received, everyone, may_be_ours, is_nonblocking, is_persistent);
    if (!choice && arrays && sizeof...(last) != 0) choice.emplace().longest = Given::no_limit;
    if (!choice) return false;
    choice->arrays = arrays;
    if (choice->some_are_longer) get_ready();
    if (choice->is_ours()) tell_taken(received.bytes());
    make(sent, received, *choice, last...);
    return true;
  }

  template <class... Last>
  int decide(const Given& sent, const Given& received, Last... last) const noexcept {
    const MPI_Comm comm = received.comm;
    bool is_the_mpis = true;
    const int code = guarded(comm, [&] {
      if (comm == MPI_COMM_NULL || is_refused(sent, received, last...)) return;
      const bool may_be_ours = any_may_be_ours(leaves_gpu_memory);
      const std::optional<Everyone> everyone =
          sizeof...(last) != 0 ? everyone_of(comm) : everyone_if_device(comm, may_be_ours);
      if (!everyone && !may_be_ours) return;
      is_the_mpis = !is_made(sent, received, everyone, may_be_ours, nullptr, last...);
    });
    return is_the_mpis && code == MPI_SUCCESS ? hand_on(sent, received, comm, last...) : code;
  }

  /// As which another call is made.
  template <class... Last>
  int stand_in(const std::shared_ptr<const ExchangeArguments>& of, const Everyone& everyone,
               Last... last) const noexcept {
    const Given sent{of->sendbuf, of->sendcounts.data(), of->sdispls.data(), of->sendtype, 0, of->comm};
    const Given received{of->recvbuf, of->recvcounts.data(), of->rdispls.data(), of->recvtype, 0, of->comm};
    bool is_the_mpis = true;
    const int code = guarded(of->comm, [&] {
      is_the_mpis = !is_made(sent, received, everyone, any_may_be_ours(leaves_gpu_memory), of, last...);
    });
    return is_the_mpis && code == MPI_SUCCESS ? hand_on(sent, received, of->comm, last...) : code;
  }
};

/// The functions that programs call.
template <int base, bool among_neighbours, class Count, class Displacement, class Types>
struct Entry {
  using Made = Call<Count, Displacement, Types>;
  using Given = typename Made::Given;
  static constexpr Made call{base, among_neighbours};

  static int blocking(const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
                      Types sendtypes, void* recvbuf, const Count* recvcounts, const Displacement* rdispls,
                      Types recvtypes, MPI_Comm comm) noexcept {
    return call.decide(Given{sendbuf, sendcounts, sdispls, sendtypes, 0, comm},
                       Given{recvbuf, recvcounts, rdispls, recvtypes, 0, comm});
  }

  static int nonblocking(const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
                         Types sendtypes, void* recvbuf, const Count* recvcounts, const Displacement* rdispls,
                         Types recvtypes, MPI_Comm comm, MPI_Request* request) noexcept {
    return call.decide(Given{sendbuf, sendcounts, sdispls, sendtypes, 0, comm},
                       Given{recvbuf, recvcounts, rdispls, recvtypes, 0, comm}, request);
  }

  static int persistent(const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
                        Types sendtypes, void* recvbuf, const Count* recvcounts, const Displacement* rdispls,
                        Types recvtypes, MPI_Comm comm, MPI_Info info, MPI_Request* request) noexcept {
    return call.decide(Given{sendbuf, sendcounts, sdispls, sendtypes, 0, comm},
                       Given{recvbuf, recvcounts, rdispls, recvtypes, 0, comm}, info, request);
  }
};

template <int base, bool among_neighbours, class Displacement, class Types>
struct Both {
  using Small = Entry<base, among_neighbours, int, Displacement, Types>;
  using Large = Entry<base, among_neighbours, MPI_Count, MPI_Aint, Types>;

  static void take_blocking() noexcept {
    take(base, Small::blocking);
    take(base + 1, Large::blocking);
  }
  static void take_nonblocking() noexcept {
    take(base, Small::nonblocking);
    take(base + 1, Large::nonblocking);
  }
  static void take_persistent() noexcept {
    take(base, Small::persistent);
    take(base + 1, Large::persistent);
  }
};

/// A call in each of its forms, as which another is made.
struct Forms {
  int blocking, nonblocking, persistent;
};
constexpr Forms among_all{call::Alltoallv, call::Ialltoallv, call::Alltoallv_init};
constexpr Forms among_neighbours{call::Neighbor_alltoallv, call::Ineighbor_alltoallv,
                                 call::Neighbor_alltoallv_init};

}  // namespace

void open_exchanges(MPI_Comm comm, const Everyone& everyone, const Form& form) {
  constexpr bool is_used = false;
  open_channel(comm, everyone.is_open, form.is_persistent, is_used);
}

int exchange(const std::shared_ptr<const ExchangeArguments>& arguments, const Everyone& everyone,
             const Form& form) noexcept {
  const bool of_neighbours = arguments->among == ExchangeArguments::Among::neighbours;
  const Forms& forms = of_neighbours ? among_neighbours : among_all;
  const auto made = [&](int base) { return Call<MPI_Count, MPI_Aint, MPI_Datatype>{base, of_neighbours}; };
  if (form.blocks()) return made(forms.blocking).stand_in(arguments, everyone);
  if (form.is_persistent)
    return made(forms.persistent).stand_in(arguments, everyone, form.info, form.request);
  return made(forms.nonblocking).stand_in(arguments, everyone, form.request);
}

void take_exchanges() noexcept {
  using One = MPI_Datatype;
  using Each = const MPI_Datatype*;
  Both<call::Alltoallv, false, int, One>::take_blocking();
  Both<call::Neighbor_alltoallv, true, int, One>::take_blocking();
  Both<call::Ialltoallv, false, int, One>::take_nonblocking();
  Both<call::Ineighbor_alltoallv, true, int, One>::take_nonblocking();
  Both<call::Alltoallv_init, false, int, One>::take_persistent();
  Both<call::Neighbor_alltoallv_init, true, int, One>::take_persistent();
  Both<call::Alltoallw, false, int, Each>::take_blocking();
  Both<call::Neighbor_alltoallw, true, MPI_Aint, Each>::take_blocking();
  Both<call::Ialltoallw, false, int, Each>::take_nonblocking();
  Both<call::Ineighbor_alltoallw, true, MPI_Aint, Each>::take_nonblocking();
  Both<call::Alltoallw_init, false, int, Each>::take_persistent();
  Both<call::Neighbor_alltoallw_init, true, MPI_Aint, Each>::take_persistent();
}

}  // namespace typewarp::interpose
