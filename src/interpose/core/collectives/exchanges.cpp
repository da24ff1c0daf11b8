// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// MPI_Alltoallw, MPI_Alltoallv, and their kin among neighbours. Where all ranks have this library they are
// messages of ours, whatever memory is used: ranks must agree on that, and know nothing of each other's
// memory. Elsewhere the MPI is given packed copies of what is on a device.

#include "interpose/core/collectives/blocks.hpp"
#include "interpose/core/collectives/group.hpp"
#include "interpose/core/collectives/staged.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/requests/messages.hpp"
#include "interpose/core/requests/operations.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/buffers/streams.hpp"
#include "mpi/library.hpp"
#include "transport/collective/exchange.hpp"

#include <array>
#include <list>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace typewarp::interpose {
namespace {

using transport::Among;

/// Whether nonblocking exchanges of the MPI's take the two blocks from a neighbour on both sides for each
/// other, as those of Open MPI do, since it sends them alike. Found by one with this process itself.
bool mixes_up_sides() {
  static const bool found = [] {
    constexpr int one = 1;
    constexpr std::array counts{1, 1};
    constexpr std::array places{0, 1};
    const std::array<char, 2> sent{'d', 'u'};
    std::array<char, 2> received{};
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(PMPI_Cart_create(MPI_COMM_SELF, one, &one, &one, 0, &ring), "MPI_Cart_create");
    PMPI_Ineighbor_alltoallv(sent.data(), counts.data(), places.data(), MPI_CHAR, received.data(),
                             counts.data(), places.data(), MPI_CHAR, ring, &request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Comm_free(&ring);
    return received == sent;
  }();
  return found;
}

/// The order in which such an MPI must be given what is sent.
std::vector<std::size_t> order_of_sends(MPI_Comm comm, std::size_t sends) {
  std::vector<std::size_t> order(sends);
  std::iota(order.begin(), order.end(), std::size_t{0});
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  if (topology != MPI_CART || !mixes_up_sides()) return order;
  const transport::Neighbours neighbours = transport::in_topology(comm);
  for (std::size_t down = 0; down + 1 < sends; down += 2) {
    if (neighbours.destinations[down].rank == neighbours.destinations[down + 1].rank)
      std::swap(order[down], order[down + 1]);
  }
  return order;
}

/// Messages of ours, and what is copied where data is replaced, or lies in several memories.
class Exchange {
 public:
  template <class Given>
  Exchange(const Given& sent, const Given& received)
      : replaces_(sent.in_place()), stream_(stream_of(received.comm)) {
    for (std::size_t i = 0; i < received.size; ++i) incoming_.push_back(received.data(i));
    for (std::size_t i = 0; !replaces_ && i < sent.size; ++i) outgoing_.push_back(sent.data(i));
    for (const Data& data : incoming_) receives_.push_back(to_receive(data));
  }

  /// `start(sends, receives, stream)`: which exchange it is.
  template <class Start>
  std::vector<Request> begin(MPI_Comm comm, Start start) {
    copies_.clear();
    sends_.clear();
    for (const Data& data : replaces_ ? incoming_ : outgoing_) sends_.push_back(to_send(data));
    // Nothing comes from neighbours that are MPI_PROC_NULL: there the copy must be what was there.
    Moves before;
    for (const Copied& copied : copied_) before.pack(*copied.data, copied.memory.data());
    before.reached(true);
    Request exchange = start(sends_, receives_, stream_);
    if (copied_.empty()) return one(std::move(exchange));
    return one(continued(std::move(exchange), comm, [this](const Status&, Moves& moves) {
      for (const Copied& copied : copied_) {
        moves.unpack(copied.memory.data(), copied.data->bytes(), *copied.data);
      }
    }));
  }

 private:
  /// What comes into several memories.
  struct Copied {
    const Data* data;
    transport::Staging memory;
  };

  SendPart to_send(const Data& data) {
    if (!replaces_ && !data.by_members) return {data.address, data.count, data.plan};
    const PackedCopy& copy = copies_.emplace_back(data);
    return {copy.data(), copy.bytes(), bytes_plan()};
  }
  RecvPart to_receive(const Data& data) {
    if (!data.by_members || data.bytes() == 0) return {data.address, data.count, data.plan};
    copied_.push_back({&data, staging_for_moves(data.bytes())});
    return {copied_.back().memory.data(), data.bytes(), bytes_plan()};
  }

  bool replaces_;
  Stream stream_;
  // With plans: a program may free its datatypes once a persistent request is made.
  std::vector<Data> outgoing_, incoming_;
  std::vector<SendPart> sends_;
  std::vector<RecvPart> receives_;
  std::list<PackedCopy> copies_;
  std::vector<Copied> copied_;
};

/// Which of the calls it is, and the types of its arguments.
template <int base, bool among_neighbours, class Count, class Displacement, class Types>
struct Call {
  using Given = Blocks<Count, Displacement, Types>;
  static constexpr int number = twin<Count>(base);

  template <class... Last>
  static int hand_on(const Given& sent, const Given& received, MPI_Comm comm, Last... last) {
    return interpose::hand_on(number, sent.buffer, sent.counts, sent.displacements, sent.types,
                              const_cast<void*>(received.buffer), received.counts, received.displacements,
                              received.types, comm, last...);
  }

  /// As MPICH and its kin refuse what is received where it is sent from: not among neighbours, nor if any
  /// other argument differs. Open MPI refuses nothing of the kind.
  static void refuse_one_buffer(const Given& sent, const Given& received) {
    if (among_neighbours || mpi::is_open_mpi() || sent.in_place()) return;
    if (sent.buffer != received.buffer || sent.counts != received.counts || sent.types != received.types)
      return;
    constexpr bool raised = false;
    throw MpiError(names[number], MPI_ERR_BUFFER, MPI_ERR_BUFFER, "sendbuf and recvbuf are one buffer",
                   raised);
  }

  /// Of what is the MPI's, which would crash.
  static void expect_in_reach(const char* argument, const Given& given) {
    if (mpi_takes_device_memory() || !given.out_of_reach()) return;
    throw InvalidArgument(names[number], argument, "memory of a GPU",
                          "must have a datatype that can be read");
  }

  /// What `with` makes of it, where it is not the MPI's as it is. `with(sent, received, everyone)`.
  template <class With, class... Last>
  static int decide(Given sent, Given received, MPI_Comm comm, With with, Last... last) noexcept {
    bool is_the_mpis = true;
    const int code = guarded(comm, [&] {
      constexpr bool leaves_gpu_memory = false;
      if (comm == MPI_COMM_NULL || (!has_everyone(comm) && !any_may_be_ours(leaves_gpu_memory))) return;
      const Group group = among_neighbours ? neighbours_of(comm) : all_of(comm);
      sent.size = group.sends;
      received.size = group.receives;
      const bool everyone = has_everyone(comm) && !group.between_groups;
      if (!everyone) {
        const bool sends = sent.any_is_ours();
        const bool receives = received.any_is_ours();
        if (!sends) expect_in_reach("sendbuf", sent);
        if (!receives) expect_in_reach("recvbuf", received);
        if (!sends && !receives) return;
      }
      is_the_mpis = false;
      refuse_one_buffer(sent, received);
      get_ready();
      tell_taken(received.bytes());
      with(sent, received, everyone);
    });
    return is_the_mpis && code == MPI_SUCCESS ? hand_on(sent, received, comm, last...) : code;
  }

  /// Starts an exchange as the communicator's next one.
  static auto once(MPI_Comm comm) {
    return [comm](std::span<const SendPart> sends, std::span<const RecvPart> receives, Stream stream) {
      return among_neighbours ? ineighbor_alltoallw(sends, receives, comm, stream)
                              : ialltoallw(sends, receives, comm, stream);
    };
  }

  /// Blocks in another order.
  struct Reordered {
    Given of(const Given& all, const std::vector<std::size_t>& order) {
      for (const std::size_t i : order) {
        counts.push_back(all.counts[i]);
        displacements.push_back(all.displacements[i]);
        if constexpr (!Given::one_type) types.push_back(all.types[i]);
      }
      Given made{all.buffer, counts.data(), displacements.data(), all.types, all.size, all.comm};
      if constexpr (!Given::one_type) made.types = types.data();
      return made;
    }

    std::vector<Count> counts;
    std::vector<Displacement> displacements;
    std::vector<MPI_Datatype> types;
  };

  /// Copies of both sides, which the MPI is given, with what is sent in the order that it needs.
  class Copies : private Reordered, public Staged<Given, Given> {
   public:
    Copies(const Given& sent, const Given& received, const std::vector<std::size_t>& order)
        : Copies(sent, received, order, sent.in_place() || among_neighbours) {}

   private:
    // Nothing comes from neighbours that are MPI_PROC_NULL: there the copy must be what was there.
    Copies(const Given& sent, const Given& received, const std::vector<std::size_t>& order, bool fills)
        : Staged<Given, Given>(order.empty() ? sent : Reordered::of(sent, order), sent.any_is_ours(),
                               received, received.any_is_ours(), fills) {}
  };

  /// By the MPI, on copies.
  template <class... Last>
  static void stage_sides(const Given& sent, const Given& received, MPI_Comm comm, Last... last) {
    constexpr bool blocks = sizeof...(last) == 0;
    std::vector<std::size_t> order;
    if constexpr (among_neighbours && !blocks) order = order_of_sends(comm, sent.size);
    const auto copies = std::make_shared<Copies>(sent, received, order);
    stage(
        number, comm, copies,
        [comm](const Given& from, const Given& to, auto... more) { return hand_on(from, to, comm, more...); },
        last...);
  }

  static int blocking(const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
                      Types sendtypes, void* recvbuf, const Count* recvcounts, const Displacement* rdispls,
                      Types recvtypes, MPI_Comm comm) noexcept {
    const auto with = [&](const Given& sent, const Given& received, bool everyone) {
      if (!everyone) return stage_sides(sent, received, comm);
      Exchange exchange(sent, received);
      exchange.begin(comm, once(comm)).front().wait();
    };
    return decide(Given{sendbuf, sendcounts, sdispls, sendtypes, 0, comm},
                  Given{recvbuf, recvcounts, rdispls, recvtypes, 0, comm}, comm, with);
  }

  static int nonblocking(const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
                         Types sendtypes, void* recvbuf, const Count* recvcounts, const Displacement* rdispls,
                         Types recvtypes, MPI_Comm comm, MPI_Request* request) noexcept {
    const auto with = [&](const Given& sent, const Given& received, bool everyone) {
      if (!everyone) return stage_sides(sent, received, comm, request);
      const auto exchange = std::make_shared<Exchange>(sent, received);
      *request = operations().add(comm, exchange->begin(comm, once(comm)), exchange);
    };
    return decide(Given{sendbuf, sendcounts, sdispls, sendtypes, 0, comm},
                  Given{recvbuf, recvcounts, rdispls, recvtypes, 0, comm}, comm, with, request);
  }

  static int persistent(const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,
                        Types sendtypes, void* recvbuf, const Count* recvcounts, const Displacement* rdispls,
                        Types recvtypes, MPI_Comm comm, MPI_Info info, MPI_Request* request) noexcept {
    const auto with = [&](const Given& sent, const Given& received, bool everyone) {
      if (!everyone) return stage_sides(sent, received, comm, info, request);
      const auto exchange = std::make_shared<Exchange>(sent, received);
      const transport::PersistentExchange messages(comm,
                                                   among_neighbours ? Among::neighbours : Among::all_ranks);
      *request = operations().add_persistent(comm, [exchange, comm, messages] {
        return exchange->begin(comm, [&](const auto&... parts) { return messages.start(parts...); });
      });
    };
    return decide(Given{sendbuf, sendcounts, sdispls, sendtypes, 0, comm},
                  Given{recvbuf, recvcounts, rdispls, recvtypes, 0, comm}, comm, with, info, request);
  }
};

template <int base, bool among_neighbours, class Displacement, class Types>
struct Both {
  using Small = Call<base, among_neighbours, int, Displacement, Types>;
  using Large = Call<base, among_neighbours, MPI_Count, MPI_Aint, Types>;

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

}  // namespace

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
